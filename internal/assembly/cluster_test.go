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
	"github.com/miniserver-go/miniserver/internal/release"
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
	for _, r := range []reference.Release{reference.Default, reference.Redis70, reference.Valkey81, reference.Redis80,
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

// TestClusterWithDatabases: with cluster-databases, as Valkey has it since 9.0, clients select some
// databases. The keys of a slot are those of the selected one, but for what is about all of them.
func TestClusterWithDatabases(t *testing.T) {
	r, err := release.Find("valkey:9.1")
	require.NoError(t, err)
	e := engine.New(engine.Options{Release: r, Clock: func() int64 { return 0 }, Databases: 16})
	furnishCluster(e)
	databases := e.Params.Named("cluster-databases")
	require.Error(t, databases.Set("17"))
	require.Error(t, databases.Set("0"))
	s := e.NewSession(nil)
	do := func(line string) string {
		var args [][]byte
		for word := range strings.FieldsSeq(line) {
			args = append(args, []byte(word))
		}
		return string(e.Do(s, [][][]byte{args}).Out)
	}
	require.Equal(t, "-ERR DB index is out of range\r\n", do("SELECT 1"))
	require.NoError(t, databases.Set("4"))
	for _, step := range [][2]string{
		{"SELECT 4", "-ERR DB index is out of range\r\n"}, {"SELECT 3", "+OK\r\n"}, {"SET x 1", "+OK\r\n"},
		{"MOVE x 2", ":1\r\n"}, {"SET x 2", "+OK\r\n"},
		{"SWAPDB 0 1", "-ERR SWAPDB is not allowed in cluster mode\r\n"},
		{"CLUSTER COUNTKEYSINSLOT 16287", ":1\r\n"}, {"SELECT 0", "+OK\r\n"},
		{"CLUSTER COUNTKEYSINSLOT 16287", ":0\r\n"}, {"CLUSTER GETKEYSINSLOT 16287 10", "*0\r\n"},
		{"CLUSTER SLOT-STATS SLOTSRANGE 16287 16287", "*1\r\n*2\r\n:16287\r\n*2\r\n$9\r\nkey-count\r\n:2\r\n"},
		{"CLUSTER FLUSHSLOT 16287", "+OK\r\n"}, {"SELECT 2", "+OK\r\n"}, {"DBSIZE", ":0\r\n"},
	} {
		require.Equal(t, step[1], do(step[0]), step[0])
	}
}
