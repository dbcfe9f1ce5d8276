package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// backup runs BACKUP until a client has the reply, which may come when the files are written.
func (s *store) backup(sub string) string {
	s.t.Helper()
	out := s.do("BACKUP", sub)
	await(s.t, sub, func() bool {
		out += string(s.engine.Collect(s.session).Out)
		return out != ""
	})
	return out
}

// backupState returns the state and the error that BACKUP STATUS tells.
func (s *store) backupState() (state, reason string) {
	words := strings.Split(s.do("BACKUP", "STATUS"), "\r\n")
	return words[4], words[8]
}

// incrementing waits until a backup has its base.
func (s *store) incrementing() {
	s.t.Helper()
	await(s.t, "incrementing", func() bool {
		state, reason := s.backupState()
		require.Empty(s.t, reason)
		return state == backupIncrementing
	})
}

// A backup has the data of the moment of SEAL, whether the journal is on or not, and is a journal
// by itself.
func TestBackupHasTheDataOfTheSeal(t *testing.T) {
	for _, journal := range []string{"yes", "no"} {
		for _, preamble := range []string{"yes", "no"} {
			dir := t.TempDir()
			s := start(t, OS{}, "dir", dir, "aof-use-rdb-preamble", preamble)
			s.run("CONFIG SET appendonly " + journal + everyType)
			require.Equal(t, "+OK\r\n", s.do("BACKUP", "START"))
			require.Equal(t, "1", s.info("backup_in_progress"))
			s.run("APPEND s before\nSELECT 2\nSET x y\nSELECT 0")
			s.incrementing()
			require.Contains(t, s.do("BACKUP", "LIST"), "*1\r\n")
			s.run("MULTI\nAPPEND s after\nSELECT 3\nINCR n\nSELECT 0\nEXEC")
			require.Equal(t, "+OK\r\n", s.backup("SEAL"), s.log.String())
			sealed := s.digest()
			require.Equal(t, "0", s.info("backup_in_progress"))
			s.run("APPEND s later")

			base := map[string]string{"yes": "rdb", "no": "aof"}[preamble]
			path := func(name string) string { return filepath.Join(dir, "backupdir", "appendonly.aof."+name) }
			list := []string{path("1.base." + base), path("1.incr.aof"), path("manifest")}
			var want strings.Builder
			fmt.Fprintf(&want, "*%d\r\n", len(list))
			for _, p := range list {
				fmt.Fprintf(&want, "$%d\r\n%s\r\n", len(p), p)
			}
			require.Equal(t, want.String(), s.do("BACKUP", "LIST"))

			restored := t.TempDir()
			restore(t, dir, restored)
			require.Equal(t, sealed, start(t, OS{}, "dir", restored).digest(), s.log.String())
			require.Equal(t, "+OK\r\n", s.backup("CLEANUP"))
			require.Empty(t, names(t, filepath.Join(dir, "backupdir")))
		}
	}
}

// restore copies the backup of a server to the append-only file of another one.
func restore(t *testing.T, from, to string) {
	t.Helper()
	backup := os.DirFS(filepath.Join(from, "backupdir"))
	require.NoError(t, os.CopyFS(filepath.Join(to, "appendonlydir"), backup))
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := OS{}.Names(dir)
	require.NoError(t, err)
	return list
}

// Redis restores a backup too.
func TestRedisLoadsBackups(t *testing.T) {
	dir, restored := t.TempDir(), t.TempDir()
	s := start(t, OS{}, "dir", dir)
	s.clock.Store(1 << 52) // the deadlines are in the future
	s.do("BACKUP", "START")
	s.run(theirTypes)
	s.incrementing()
	require.Equal(t, "+OK\r\n", s.backup("SEAL"), s.log.String())
	restore(t, dir, restored)
	require.Equal(t, s.digest(), redis(t, restored).do("DEBUG", "DIGEST"))
}

// Each command has its states.
func TestBackupStates(t *testing.T) {
	dir := t.TempDir()
	s := start(t, OS{}, "dir", dir)
	status := func() string { return strings.ReplaceAll(s.do("BACKUP", "STATUS"), "\r\n", " ") }
	for _, sub := range []string{"SEAL", "ABORT", "CLEANUP"} {
		require.Equal(t, "-ERR The backup is idle\r\n", s.do("BACKUP", sub))
	}
	require.Equal(t, "*0\r\n", s.do("BACKUP", "LIST"))
	require.Equal(t, "*8 $5 state $4 idle $5 error $0  $10 start_time $1 0 $8 end_time $1 0 ", status())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "backupdir"), nil, 0o644))
	require.Equal(t, "-ERR Can't use the backup directory: Not a directory\r\n", s.do("BACKUP", "START"))
	require.NoError(t, os.Remove(filepath.Join(dir, "backupdir")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "backupdir", "old"), 0o755))
	require.Equal(t, "-ERR The backup directory is not empty\r\n", s.do("BACKUP", "START"))
	require.NoError(t, os.Remove(filepath.Join(dir, "backupdir", "old")))

	s.do("BACKUP", "START")
	s.incrementing()
	require.Equal(t, "-ERR A backup is already in progress\r\n", s.do("BACKUP", "START"))
	require.Equal(t, "-ERR The backup is incrementing\r\n", s.do("BACKUP", "CLEANUP"))
	require.Equal(t, "+OK\r\n", s.backup("ABORT"))
	require.Equal(t, "*8 $5 state $6 failed $5 error $22 the backup was aborted "+
		"$10 start_time $10 1700000000 $8 end_time $1 0 ", status())
	require.Empty(t, names(t, filepath.Join(dir, "backupdir")))
	require.Equal(t, "-ERR The backup is failed\r\n", s.do("BACKUP", "SEAL"))

	require.Equal(t, "+OK\r\n", s.do("BACKUP", "START"), "after a failure")
	s.incrementing()
	s.clock.Add(5_000_000)
	require.Equal(t, "+OK\r\n", s.backup("SEAL"))
	require.Equal(t, "*8 $5 state $6 sealed $5 error $0  "+
		"$10 start_time $10 1700000000 $8 end_time $10 1700000005 ", status())
	require.Equal(t, "-ERR The last backup is sealed. Use BACKUP CLEANUP to remove it\r\n", s.do("BACKUP", "START"))
	require.Equal(t, "-ERR The backup is sealed\r\n", s.do("BACKUP", "ABORT"))

	s.run("CONFIG SET backup-sealed-ttl 10")
	s.clock.Add(9_000_000)
	s.engine.Tick()
	require.Len(t, names(t, filepath.Join(dir, "backupdir")), 3)
	s.clock.Add(1_000_000)
	s.engine.Tick()
	require.Empty(t, names(t, filepath.Join(dir, "backupdir")))
	require.Equal(t, "*8 $5 state $4 idle $5 error $0  $10 start_time $1 0 $8 end_time $1 0 ", status())
}

// A backup that cannot begin now is pending: in a transaction, and while another snapshot is taken.
func TestPendingBackups(t *testing.T) {
	s := start(t, newFaultyDisk())
	s.engine.With(func() { s.engine.ReserveSnapshot(true) })
	require.Equal(t, "+OK\r\n", s.do("BACKUP", "START"))
	state, _ := s.backupState()
	require.Equal(t, backupPending, state)
	require.Equal(t, "+OK\r\n", s.do("BACKUP", "ABORT"))
	require.Equal(t, "+OK\r\n", s.do("BACKUP", "START"))
	s.engine.With(func() { s.engine.ReserveSnapshot(false) })
	s.engine.Tick()
	s.incrementing()
	s.run("MULTI\nSET a 1\nBACKUP ABORT\nSET b 2\nEXEC")
	await(t, "aborted", func() bool { state, _ := s.backupState(); return state == backupFailed })
	s.run("MULTI\nSET c 1\nBACKUP START\nSET d 2\nEXEC")
	s.engine.Tick()
	s.incrementing()
	s.run("MULTI\nSET e 1\nBACKUP SEAL\nSET f 2\nEXEC")
	await(t, "sealed", func() bool { state, _ := s.backupState(); return state == backupSealed })
}

// Whatever the disk refuses, the backup fails, leaves nothing behind, and denies no writes.
func TestBackupOnABrokenDisk(t *testing.T) {
	good := func() int { // steps of a backup without faults
		disk := newFaultyDisk()
		s := begin(t, disk)
		require.NoError(t, s.journal.Load())
		defer s.journal.Close()
		s.do("BACKUP", "START")
		s.incrementing()
		s.run("SET a 1")
		s.backup("SEAL")
		return disk.steps
	}()
	failed := errors.New("the disk failed")
	for step := range good {
		disk := newFaultyDisk()
		s := begin(t, disk)
		require.NoError(t, s.journal.Load())
		disk.during = func() {
			disk.mu.Lock()
			defer disk.mu.Unlock()
			if disk.broken = nil; disk.steps == step {
				disk.broken, disk.steps = failed, disk.steps+1
			}
		}
		s.do("BACKUP", "START")
		await(t, "a base or a failure", func() bool {
			state, _ := s.backupState()
			return state == backupIncrementing || state == backupFailed
		})
		s.run("SET a 1")
		s.backup("SEAL")
		state, reason := s.backupState()
		if state == backupFailed {
			require.Contains(t, reason, failed.Error(), "step %d", step)
			require.Empty(t, disk.names(), "step %d", step)
		}
		require.Equal(t, "+OK\r\n", s.do("SET", "b", "2"))
		s.journal.Close()
	}
}

// A dataset that is replaced, and the end of the server, end a backup.
func TestWhatEndsBackups(t *testing.T) {
	disk := newFaultyDisk()
	s := begin(t, disk)
	require.NoError(t, s.journal.Load())
	s.do("BACKUP", "START")
	s.engine.With(s.journal.Restart)
	await(t, "failed", func() bool { state, _ := s.backupState(); return state == backupFailed })
	_, reason := s.backupState()
	require.Equal(t, "the dataset was replaced", reason)
	s.do("BACKUP", "START")
	s.incrementing()
	s.journal.Close()
	require.Empty(t, disk.names())
}

// number returns an integer reply.
func number(t *testing.T, reply string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Trim(reply, ":\r\n"))
	require.NoError(t, err)
	return n
}

// Clients write all the time: a backup has what was written before SEAL, and nothing that came
// after it without what came before.
func TestBackupsWhileClientsWrite(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk, "appendonly", "no")
	var over atomic.Bool
	var busy sync.WaitGroup
	defer busy.Wait()
	defer over.Store(true)
	writer := s.engine.NewSession(nil)
	busy.Go(func() {
		for n := 0; !over.Load(); n++ {
			text := strconv.AppendInt(nil, int64(n), 10)
			s.engine.Do(writer, [][][]byte{
				{[]byte("RPUSH"), []byte("first"), text}, {[]byte("RPUSH"), []byte("second"), text}})
		}
	})
	for range quick.Rounds(10) {
		s.do("BACKUP", "START")
		s.incrementing()
		before := s.do("LLEN", "second")
		require.Equal(t, "+OK\r\n", s.backup("SEAL"), s.log.String())
		restored := disk.restart(false)
		for path, c := range restored.files {
			if name, is := strings.CutPrefix(path, s.journal.backups.dir); is {
				restored.files[s.journal.dir+name] = c
			}
		}
		found := start(t, restored)
		first, second := number(t, found.do("LLEN", "first")), number(t, found.do("LLEN", "second"))
		require.GreaterOrEqual(t, second, number(t, before))
		require.Contains(t, []int{0, 1}, first-second)
		_, last, _ := strings.Cut(found.do("LINDEX", "second", "-1"), "\n")
		require.Equal(t, fmt.Sprintf("%d\r\n", second-1), last)
		s.backup("CLEANUP")
		found.journal.Close()
	}
}
