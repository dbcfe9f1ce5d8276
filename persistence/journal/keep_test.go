package journal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// After CONFIG SET dir the next rewrite begins the journal anew in the other directory. What is there already is kept.
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
	for name, text := range kept {
		require.Equal(t, text, filesOf(t, to)[name+".unused-1"], name)
	}
}

// A server that started with appendonly no did not load the files that are there. Its first rewrite keeps them.
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
		for name, text := range kept {
			require.Equal(t, text, filesOf(t, dir)[name+".unused-1"], "%s: %s", first, name)
		}
	}
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
		require.NoError(t, s.engine.Param(name).Set(value))
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
