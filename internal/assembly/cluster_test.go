package assembly_test

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
)

// clusterCorpus is the transcripts of a node that is alone in its cluster.
var clusterCorpus = filepath.Join("testdata", "cluster")

func furnishCluster(e *engine.Engine) {
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	if err := e.Params.Named("cluster-enabled").Set("yes"); err != nil {
		panic(err)
	}
}

func TestTranscriptsInACluster(t *testing.T) {
	for _, proto := range []int{2, 3} {
		w := transcript.NewMemory(transcript.Traits{Name: "a node of a cluster", Proto: proto}, furnishCluster)
		corpus.RunFiles(t, w, clusterCorpus, corpus.Files(t, clusterCorpus))
	}
}

// TestTranscriptsInARealCluster runs them on nodes of Redis and Valkey that own all slots, and on
// engines that behave as those releases.
func TestTranscriptsInARealCluster(t *testing.T) {
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Valkey81, reference.Redis86,
		reference.Valkey91} {
		t.Run(string(r), func(t *testing.T) {
			theirs := realNode(t, r)
			corpus.RunFiles(t, theirs, clusterCorpus, corpus.Files(t, clusterCorpus))
			if r != reference.Default {
				traits := transcript.Traits{Name: "a node like " + string(r), Release: theirs.Traits().Release}
				corpus.RunFiles(t, transcript.NewMemory(traits, furnishCluster), clusterCorpus,
					corpus.Files(t, clusterCorpus))
			}
		})
	}
}

// TestShardsLikeValkey91 runs what was recorded from Valkey 9.1 there and on an engine that behaves
// so.
func TestShardsLikeValkey91(t *testing.T) {
	theirs := realNode(t, reference.Valkey91)
	files := slices.DeleteFunc(corpus.Files(t, clusterCorpus),
		func(f *transcript.File) bool { return filepath.Base(f.Name) != "shards.txt" })
	corpus.RunFiles(t, theirs, clusterCorpus, files)
	traits := transcript.Traits{Name: "a node like valkey:9.1", Release: theirs.Traits().Release}
	corpus.RunFiles(t, transcript.NewMemory(traits, furnishCluster), clusterCorpus, files)
}

// realNode starts a server as the only node of a cluster, and waits until that is complete.
func realNode(t *testing.T, r reference.Release) *transcript.Server {
	server := r.Start(t, "--cluster-enabled", "yes", "--cluster-port", freePort(t))
	conn := server.Dial(t)
	replies := resp.NewReader(conn)
	ask := func(words ...string) resp.Value {
		out := resp.NewWriter(2)
		out.Command(words...)
		_, err := conn.Write(out.Bytes())
		require.NoError(t, err)
		v, err := replies.Read()
		require.NoError(t, err)
		return v
	}
	require.Equal(t, "OK", ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383").Text)
	require.Eventually(t, func() bool { return strings.Contains(ask("CLUSTER", "INFO").Text, "cluster_state:ok") },
		time.Minute, 50*time.Millisecond)
	traits := corpus.TraitsOf(r)
	traits.Release = server.Release
	w, err := transcript.Connect("unix", server.Socket, traits)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
