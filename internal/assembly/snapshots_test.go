package assembly_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// saver is a server that saves and loads dump.rdb of a directory.
type saver struct {
	t   *testing.T
	do  func(args ...string) resp.Value
	dir string
}

// TestSnapshotsAreThoseOfTheRelease saves the same values with a server of each release and with an
// engine like it. The snapshots have the same length, but for values that are not stored byte by
// byte as there, and each loads what the other saved.
func TestSnapshotsAreThoseOfTheRelease(t *testing.T) {
	for _, r := range comparedReleases {
		t.Run(string(r), func(t *testing.T) {
			theirs, ours, known := savers(t, r)
			var exact, others []string
			for _, v := range valuesIn(known) {
				if commands, ok := strings.CutPrefix(v, "type: "); ok {
					others = append(others, commands)
				} else {
					exact = append(exact, v)
				}
			}
			require.Len(t, body(ours.saved(exact)), len(body(theirs.saved(exact))))
			for _, values := range [][]string{exact, others} {
				a, b := theirs.saved(values), ours.saved(values)
				require.Equal(t, theirs.encodings(len(values)), ours.encodings(len(values)), "built")
				theirs.loads(b)
				ours.loads(a)
				require.Equal(t, theirs.encodings(len(values)), ours.encodings(len(values)), "loaded")
			}
		})
	}
}

func savers(t *testing.T, r reference.Release) (theirs, ours saver, known *release.Release) {
	server := r.Start(t, "--dbfilename", "dump.rdb")
	traits := corpus.TraitsOf(r)
	traits.Release = server.Release
	real, err := transcript.Connect("unix", server.Socket, traits)
	require.NoError(t, err)
	t.Cleanup(func() { real.Close() })
	dir := t.TempDir()
	like := transcript.NewMemory(transcript.Traits{Name: "like " + string(r), Release: server.Release},
		func(e *engine.Engine) {
			assembly.Join(e, assembly.Options{Disk: disk.OS{}})
			require.NoError(t, e.Params.Named("dir").Set(dir))
		})
	return saver{t, dial(t, real), server.Dir}, saver{t, dial(t, like), dir}, server.Release
}

// saved returns the snapshot of values.
func (s saver) saved(values []string) []byte {
	s.do("FLUSHALL")
	for i, v := range values {
		for c := range strings.SplitSeq(v, "; ") {
			args := strings.Fields(c)
			for j := range args {
				if args[j] == "k" {
					args[j] = fmt.Sprintf("k%02d", i)
				}
			}
			require.False(s.t, s.do(args...).IsError(), c)
		}
	}
	require.Equal(s.t, "OK", s.do("SAVE").Text)
	b, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	require.NoError(s.t, err)
	return b
}

// loads replaces the data by a snapshot with the same.
func (s saver) loads(snapshot []byte) {
	digest := s.do("DEBUG", "DIGEST").Text
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "dump.rdb"), snapshot, 0o644))
	require.Equal(s.t, "OK", s.do("DEBUG", "RELOAD", "NOSAVE").Text)
	require.Equal(s.t, digest, s.do("DEBUG", "DIGEST").Text)
}

// encodings returns the type and the encoding of each key.
func (s saver) encodings(n int) (list []string) {
	for i := range n {
		key := fmt.Sprintf("k%02d", i)
		list = append(list, key+" "+s.do("TYPE", key).Text+" "+s.do("OBJECT", "ENCODING", key).Text)
	}
	return list
}

// body returns a snapshot from its first database on: what is before depends on the time and the
// memory.
func body(snapshot []byte) []byte { return snapshot[bytes.Index(snapshot, []byte("\xfe\x00\xfb")):] }
