package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// After CONFIG SET dir the next rewrite begins the journal anew in the other directory. What is
// there already is kept.
func TestRewriteAfterDirChanged(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	other := start(t, OS{}, "dir", to)
	other.run("SET other 1")
	other.journal.Close()
	kept := filesOf(t, to)

	s := startWithDir(t, from)
	s.run("SET a 1\nCONFIG SET dir " + to)
	require.True(t, s.journal.Commit())
	left := s.digest()
	s.journal.rewriteNow()
	require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
	s.run("SET b 2")
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, OS{}, "dir", to).digest(), s.log.String())
	require.Equal(t, left, start(t, OS{}, "dir", from).digest())
	requireKept(t, kept, to)
}

// requireKept fails unless a directory still has the files of a journal, under their own names or
// aside.
func requireKept(t *testing.T, kept map[string]string, dir string) {
	t.Helper()
	now := filesOf(t, dir)
	for name, text := range kept {
		require.Contains(t, []string{now[name], now[name+".unused-1"]}, text, name)
	}
}

// A server that started with appendonly no did not load the files that are there. Its first rewrite
// keeps them.
func TestRewriteKeepsFilesThatWereNotLoaded(t *testing.T) {
	for _, first := range []string{"BGREWRITEAOF", "CONFIG SET appendonly yes"} {
		dir := t.TempDir()
		other := start(t, OS{}, "dir", dir)
		other.run("SET other 1")
		other.journal.Close()
		kept := filesOf(t, dir)

		s := start(t, OS{}, "dir", dir, "appendonly", "no")
		s.run("SET a 1\n" + first)
		s.journal.rewriteNow()
		s.journal.rewriteNow() // which removes what the one before wrote
		s.journal.Close()
		require.Equal(t, s.digest(), start(t, OS{}, "dir", dir).digest(), s.log.String())
		requireKept(t, kept, dir)
	}
}

// What was not loaded is there for the next start until a rewrite has succeeded. A shutdown ends a
// rewrite, as in Redis.
func TestShutdownDuringTheFirstRewrite(t *testing.T) {
	disk, digest := leftDisk(t)
	s := start(t, disk, "appendonly", "no")
	s.run("SET a 1")
	s.engine.With(func() {
		s.journal.requestRewrite(false)
		require.NoError(t, s.journal.shutdown(engine.Shutdown{NoSave: true}))
	})
	s.journal.Close()
	require.Equal(t, digest, start(t, disk).digest(), s.log.String())
}

// Nor does a disk that is full at any byte of the first rewrite take away what was there.
func TestFullDuringTheFirstRewrite(t *testing.T) {
	for room, ok := 0, false; !ok; room++ {
		disk, digest := leftDisk(t)
		s := start(t, disk, "appendonly", "no")
		s.run("SET a 1")
		disk.set(func() { disk.room = room })
		s.journal.rewriteNow()
		if ok = s.info("aof_last_bgrewrite_status") == "ok"; ok {
			require.Greater(t, room, 100)
			digest = s.digest()
		}
		s.journal.Close()
		disk.set(func() { disk.room = -1 })
		require.Equal(t, digest, start(t, disk).digest(), "%d bytes: %s", room, s.log.String())
	}
}

// leftDisk returns a disk with the files of a journal, and their digest.
func leftDisk(t *testing.T) (*faultyDisk, string) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run("SET other 1")
	s.journal.Close()
	return disk, s.digest()
}

// If the other directory cannot be written, the journal goes on where it is.
func TestRewriteInADirectoryThatCannotBeWritten(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(to, "appendonlydir"), nil, 0o644))
	s := startWithDir(t, from)
	s.run("CONFIG SET dir " + to)
	s.journal.rewriteNow()
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	s.run("SET b 2")
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, OS{}, "dir", from).digest(), s.log.String())
}

// startWithDir returns a store whose parameter dir can be changed, as a saver's.
func startWithDir(t *testing.T, dir string) *store {
	s := begin(t, OS{})
	s.engine.Join(snapshot.New(s.engine, snapshot.Options{}).Part())
	for name, value := range map[string]string{"dir": dir, "appendonly": "yes", "enable-protected-configs": "yes"} {
		require.NoError(t, s.engine.Params.Named(name).Set(value))
	}
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	return s
}

// inAOF returns the path of a journal's file.
func inAOF(dir, name string) string { return filepath.Join(dir, "appendonlydir", name) }

// filesOf returns what is in a journal's directory.
func filesOf(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(filepath.Join(dir, "appendonlydir"))
	require.NoError(t, err)
	texts := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(inAOF(dir, e.Name()))
		require.NoError(t, err)
		texts[e.Name()] = string(text)
	}
	return texts
}
