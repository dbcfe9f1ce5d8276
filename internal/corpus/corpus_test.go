package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

func TestTour(t *testing.T) {
	const dir = "testdata/tour"
	if Updating(t, dir, nil) {
		return
	}
	files := Files(t, dir)
	t.Run("RESP2", func(t *testing.T) { RunFiles(t, Redis(t, 2), dir, files) })
	t.Run("RESP3", func(t *testing.T) { RunFiles(t, Redis(t, 3), dir, files) })
	t.Run("OneByte", func(t *testing.T) {
		w := Redis(t, 2)
		w.OneByte = true
		RunFiles(t, w, dir, files)
	})
}

// parse returns a file of these lines.
func parse(t *testing.T, lines ...string) *transcript.File {
	t.Helper()
	f, err := transcript.Parse("test.txt", strings.Join(lines, "\n")+"\n")
	require.NoError(t, err)
	return f
}

func TestTheFirstLineSaysWhatAFileCovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.txt")
	require.NoError(t, os.WriteFile(path, []byte("> PING\nPONG\n"), 0o644))
	_, err := family.Load(path)
	require.ErrorContains(t, err, "test.txt:1: the first line must be a comment")
}

// late is a world whose clock goes on by 50 ms in the first of its runs.
type late struct {
	*transcript.Server
	stalls int
}

func (l *late) Dial(name string) (transcript.Conn, error) {
	conn, err := l.Server.Dial(name)
	return lateConn{conn, l}, err
}

type lateConn struct {
	transcript.Conn
	world *late
}

func (c lateConn) Send(args []string) error {
	err := c.Conn.Send(args)
	if c.world.stalls > 0 {
		c.world.stalls--
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

func TestRunsWithALateStepAreRepeated(t *testing.T) {
	f := parse(t, "> SET k v PX 40", "OK", "> GET k", `"v"`)
	w := &late{Redis(t, 2), 1}
	out, err := f.Run(w)
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 1)
	require.True(t, out.Slipped)
	w.stalls = 1
	again := new(retries)
	out, err = again.run(f, w)
	require.NoError(t, err)
	require.Empty(t, out.Mismatches)

	out, err = again.run(parse(t, "> PING", "wrong"), w)
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 1, "what is wrong in time is wrong")
}

// lateAlways counts its runs and slips in every one.
type lateAlways struct {
	late
	runs int
}

func (l *lateAlways) Dial(name string) (transcript.Conn, error) {
	l.runs++
	l.stalls = 1
	return l.late.Dial(name)
}

func TestRunsThatFailAlikeEnd(t *testing.T) {
	w := &lateAlways{late: late{Server: Redis(t, 2)}}
	out, err := new(retries).run(parse(t, "> PING", "wrong"), w)
	require.NoError(t, err)
	require.Len(t, out.Mismatches, 1)
	require.Equal(t, alikeRuns, w.runs)
}

func TestRepeatedRunsShareTheirTime(t *testing.T) {
	w := &lateAlways{late: late{Server: Redis(t, 2)}}
	again := &retries{spent: retryFor - time.Millisecond}
	for range 3 {
		out, err := again.run(parse(t, "> PING", "wrong"), w)
		require.NoError(t, err)
		require.Len(t, out.Mismatches, 1)
	}
	require.Equal(t, 4, w.runs, "one of the three files was run twice")
}
