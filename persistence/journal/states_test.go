package journal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRewriteIsSeenAtOnce compares what INFO says right after a command with what Redis 8.6.3 says.
func TestRewriteIsSeenAtOnce(t *testing.T) {
	disk := newFaultyDisk()
	s := begin(t, disk, "appendonly", "yes")
	var background []func()
	s.journal.opts.Background = func(run func()) { background = append(background, run) }
	s.journal.locate()
	require.NoError(t, s.journal.open())
	s.engine.With(s.journal.goLive) // without a goroutine that ticks
	finish := func() {
		for _, run := range background {
			run()
		}
		background = nil
	}
	states := func() [5]string { // as INFO has them
		return [5]string{s.info("aof_rewrite_in_progress"), s.info("aof_rewrite_scheduled"), s.info("aof_rewrites"),
			s.info("aof_rewrites_consecutive_failures"), s.info("aof_last_bgrewrite_status")}
	}
	const refused = "-ERR Background append only file rewriting already in progress\r\n"

	require.Equal(t, "+Background append only file rewriting started\r\n", s.do("BGREWRITEAOF"))
	require.Equal(t, [5]string{"1", "0", "1", "0", "ok"}, states())
	require.Equal(t, refused, s.do("BGREWRITEAOF"))
	require.True(t, s.engine.Home().Snapshotting(), "no other snapshot can begin")
	finish()
	require.Equal(t, [5]string{"0", "0", "1", "0", "ok"}, states())
	require.False(t, s.engine.Home().Snapshotting())

	s.run("BGREWRITEAOF\nSET late 1")
	finish()
	require.True(t, s.journal.Commit())
	require.Contains(t, s.lastFile(), "late",
		"the base has the data at the command, and not what comes before it is written")
	s.run("CONFIG SET appendonly no\nCONFIG SET appendonly yes\nSET later 1")
	finish()
	require.True(t, s.journal.Commit())
	require.Contains(t, s.lastFile(), "later")
	s.run("BGREWRITEAOF\nSET between 1")
	require.True(t, s.journal.Commit(), "which opens the next file where an event loop needs it")
	require.Contains(t, s.lastFile(), "between")
	require.NotContains(t, s.lastFile(), "later")
	finish()

	s.run("BGREWRITEAOF\nCONFIG SET appendonly no")
	require.Equal(t, [5]string{"0", "0", "5", "0", "ok"}, states(), "it was cancelled, which is not a failure")
	s.run("CONFIG SET appendonly yes")
	require.Equal(t, [5]string{"1", "0", "6", "0", "ok"}, states())
	s.run("SET a 1")
	finish()
	require.Equal(t, [5]string{"0", "0", "6", "0", "ok"}, states())

	s.run("MULTI\nBGREWRITEAOF\nBGREWRITEAOF")
	const scheduled = "+Background append only file rewriting scheduled\r\n"
	require.Equal(t, "*2\r\n"+scheduled+scheduled, s.do("EXEC"))
	require.Equal(t, "+Background append only file rewriting started\r\n", s.do("BGREWRITEAOF"))
	require.Equal(t, [5]string{"1", "0", "7", "0", "ok"}, states())
	finish()

	disk.set(func() { disk.room = 0 })
	s.run("BGREWRITEAOF")
	finish()
	require.Equal(t, [5]string{"0", "0", "8", "1", "err"}, states())
	s.run("MULTI\nBGREWRITEAOF\nEXEC")
	require.Equal(t, [5]string{"0", "1", "8", "0", "err"}, states())
	disk.set(func() { disk.room = -1 })
	s.run("BGREWRITEAOF")
	finish()
	require.Equal(t, [5]string{"0", "0", "9", "0", "ok"}, states())
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, s.journal.disk).digest())
}

// lastFile returns the text of the last file of commands that the manifest names.
func (s *store) lastFile() string {
	s.t.Helper()
	text, err := readWhole(s.journal.disk,
		s.journal.path(s.journal.manifest.incrs[len(s.journal.manifest.incrs)-1].name))
	require.NoError(s.t, err)
	return string(text)
}
