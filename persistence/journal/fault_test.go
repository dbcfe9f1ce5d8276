package journal

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// set changes the faults of the disk.
func (p *faultyDisk) set(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

// While the disk fails, writes are refused in Redis' words, reads succeed, and no confirmed change
// is lost. When the disk works again, the server accepts writes again.
func TestDiskIsFullForAWhile(t *testing.T) {
	for _, policy := range []string{always, everysec, never} {
		for room := 0; room < 60; room += 7 {
			disk := newFaultyDisk()
			s := start(t, disk, "appendfsync", policy)
			s.run("SET before 1")
			require.True(t, s.journal.Commit())
			disk.set(func() { disk.room = room })
			kept := 1
			for n := 0; s.do("SET", fmt.Sprint("key", n), "x") == "+OK\r\n"; n++ {
				kept++
				s.journal.Commit()
			}
			const refusal = "-MISCONF Errors writing to the AOF file: No space left on device\r\n"
			require.Equal(t, refusal, s.do("DEL", "before"))
			require.Equal(t, refusal, s.do("PING"))
			require.Equal(t, "$1\r\n1\r\n", s.do("GET", "before"))
			require.Equal(t, "err", s.info("aof_last_write_status"))
			require.Contains(t, s.log.String(), "# Error writing to the AOF file: ")
			require.False(t, s.journal.Behind(), "who asks now is answered")

			found := start(t, disk.restart(policy == always))
			sizes := []string{fmt.Sprintf(":%d\r\n", kept), fmt.Sprintf(":%d\r\n", kept-1)}
			require.Contains(t, sizes, found.do("DBSIZE"), "but for the one that was not committed")

			disk.set(func() { disk.room = -1 })
			await(t, "solved", func() bool { return s.do("SET", "after", "1") == "+OK\r\n" })
			require.Contains(t, s.log.String(), "* AOF write error looks solved")
			require.Equal(t, "ok", s.info("aof_last_write_status"))
			s.journal.Close()
			require.Equal(t, s.digest(), start(t, disk.restart(true)).digest())
		}
	}
}

// After a failed sync the system may have dropped the data, and the next sync succeeds
// nevertheless. So the data are written again.
func TestSyncFailsOnce(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk, "appendfsync", always)
	s.run("SET a 1")
	require.True(t, s.journal.Commit())
	disk.set(func() { disk.deaf = syscall.EIO })
	s.run("SET b 2")
	require.False(t, s.journal.Commit())
	require.Equal(t, "-MISCONF Errors writing to the AOF file: Input/output error\r\n", s.do("SET", "c", "3"))
	disk.set(func() { disk.deaf = nil })
	require.True(t, s.journal.Commit())
	s.run("SET d 4")
	require.True(t, s.journal.Commit())
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
}

// If the bytes are not in memory any more, the data are rewritten.
func TestSyncFailsInTheBackground(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk, "appendfsync", never)
	s.run("SET a 1\nSET b 2")
	require.True(t, s.journal.commit(false))
	disk.set(func() { disk.deaf = syscall.EIO })
	require.False(t, s.journal.commit(true))
	disk.set(func() { disk.deaf = nil })
	s.run("CONFIG SET appendfsync everysec")
	await(t, "put down anew", func() bool { return s.info("aof_rewrites") == "1" && s.idle() })
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
}

// If the directory cannot be written, appendonly yes is refused, and a start fails.
func TestNoDirectory(t *testing.T) {
	disk := newFaultyDisk()
	disk.broken = syscall.EROFS
	require.ErrorContains(t, begin(t, disk, "appendonly", "yes").journal.Load(), "read-only file system")
	s := begin(t, disk)
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	require.Equal(t, "-ERR CONFIG SET failed (possibly related to argument 'appendonly') - Unable to turn on AOF. "+
		"Check server logs.\r\n", s.do("CONFIG", "SET", "appendonly", "yes"))
	require.Equal(t, "0", s.info("aof_enabled"))
}

// INFO tells until the next file begins that what was written before appendonly was set to no could
// not be written, as in Redis.
func TestDiskIsFullWhenTheJournalIsTurnedOff(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	disk.set(func() { disk.room = 0 })
	s.run("SET a 1\nCONFIG SET appendonly no")
	s.journal.closeStopped()
	require.Equal(t, "err", s.info("aof_last_write_status"))
	require.Equal(t, "+OK\r\n", s.do("SET", "b", "2"), "no file is to be written")
	disk.set(func() { disk.room = -1 })
	s.run("CONFIG SET appendonly yes")
	require.Equal(t, "ok", s.info("aof_last_write_status"))
}

// A failed rewrite leaves everything as it was, and the next one succeeds.
func TestRewriteFails(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run("SET a 1")
	require.True(t, s.journal.commit(true))
	disk.set(func() { disk.room = 10 })
	s.journal.rewriteNow()
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	disk.set(func() { disk.room = -1 })
	s.run("SET b 2")
	require.True(t, s.journal.commit(true))
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
	s.journal.rewriteNow()
	require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
	require.Len(t, disk.names(), 3)
}

// If the sync of the directory fails, either manifest may be found after a loss of power.
func TestManifestMayLast(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run("SET a 1")
	disk.set(func() { disk.vague = syscall.EIO })
	s.journal.rewriteNow()
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	s.run("SET b 2")
	require.True(t, s.journal.commit(true))
	disk.set(func() { disk.vague = nil })
	require.Equal(t, s.digest(), start(t, disk.restart(false)).digest(), disk.dump())
	s.journal.rewriteNow()
	require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
	require.Equal(t, s.digest(), start(t, disk.restart(false)).digest(), disk.dump())
}

// A manifest that may not be durable may be found after a loss of power at any step of a later
// rewrite, even of one that begins while the journal is off. The files that it names must not have
// changed.
func TestManifestMayLastThroughTheNextRewrite(t *testing.T) {
	quick.Skip(t, "starts hundreds of journals")
	for _, when := range []string{"on", "off", "turned on again", "turned on again twice"} {
		for i := 0; ; i++ {
			power, clear := 1+i/2, i%2 // the first or the second manifest of a rewrite may be durable
			disk := newFaultyDisk()
			s := start(t, disk, "appendfsync", always)
			n, least := 0, 2
			push := func() {
				n++
				s.run(fmt.Sprint("RPUSH l ", n))
				s.journal.Commit()
			}
			fails := func() {
				disk.set(func() { disk.vague, disk.clear = syscall.EIO, clear })
				s.journal.rewriteNow()
				require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
				disk.set(func() { disk.vague = nil })
			}
			push()
			fails()
			push()
			if when != "on" {
				require.Equal(t, "+OK\r\n", s.do("CONFIG", "SET", "appendonly", "no"))
				await(t, "closed", func() bool {
					s.journal.files.Lock()
					defer s.journal.files.Unlock()
					return s.journal.file == nil
				})
			}
			if strings.HasPrefix(when, "turned on again") {
				s.journal.engine.With(func() { s.journal.set.enabled, s.journal.state = true, waitRewrite })
			}
			if when == "turned on again twice" {
				push()
				clear = 0 // it writes a single manifest
				fails()
			}
			push()
			if when == "on" {
				least = n
			}
			disk.set(func() { disk.power = disk.steps + power })
			s.journal.rewriteNow()
			through := s.info("aof_last_bgrewrite_status") == "ok"
			s.journal.Commit()
			for _, lossy := range []bool{false, true} {
				found := start(t, disk.restart(lossy))
				got := found.do("LRANGE", "l", "0", "-1")
				require.Contains(t, []string{numbers(least), numbers(3), numbers(n)}, got, "%s, power for %d steps\n%s",
					when, power, disk.dump())
				if through {
					require.Equal(t, numbers(n), got)
					found.journal.rewriteNow()
					require.Len(t, found.journal.disk.(*faultyDisk).names(), 3, "nothing is left over")
				}
				found.journal.Close()
			}
			disk.set(func() { disk.power = 0 })
			s.journal.Close()
			if through && i%2 == 1 {
				break
			}
		}
	}
}

// numbers returns the reply with the numbers from 1 to n.
func numbers(n int) string {
	text := fmt.Sprintf("*%d\r\n", n)
	for i := range n {
		digits := fmt.Sprint(i + 1)
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(digits), digits)
	}
	return text
}

// A base that cannot be written leaves nothing in memory or on the disk, and clients can write:
// nothing that they were promised is lost.
func TestTurnedOnWhileTheDiskIsFull(t *testing.T) {
	disk := newFaultyDisk()
	disk.room = 10
	s := begin(t, disk)
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	s.run("SET a 1\nCONFIG SET appendonly yes")
	await(t, "it was tried", func() bool { return s.info("aof_last_bgrewrite_status") == "err" })
	require.Equal(t, []string{"1", "1", "ok"},
		[]string{s.info("aof_enabled"), s.info("aof_pending_rewrite"), s.info("aof_last_write_status")})
	s.run("SET b " + strings.Repeat("x", 1000))
	require.Equal(t, "0", s.info("aof_buffer_length"))
	require.Empty(t, disk.names())
	disk.set(func() { disk.room = -1 })
	await(t, "it is on", s.idle)
	s.run("SET c 3")
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
}

// Where the file could not be written and is in use no more, clients can write. INFO shows the
// failure until the journal is on again, as Redis 8.6 does.
func TestTurnedOffWhileTheDiskIsFull(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	disk.set(func() { disk.room = 0 })
	s.run("SET a 1")
	require.False(t, s.journal.Commit())
	s.run("CONFIG SET appendonly no\nSET b 1")
	require.True(t, s.journal.Commit(), "it ends the file")
	s.run("SET c 1")
	require.Equal(t, "err", s.info("aof_last_write_status"))
	disk.set(func() { disk.room = -1 })
	s.run("CONFIG SET appendonly yes")
	require.Equal(t, "ok", s.info("aof_last_write_status"))
	await(t, "it is on", s.idle)
	require.Equal(t, "ok", s.info("aof_last_write_status"))
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
}

// The changes of a master cannot be refused. When they fill the memory they are dropped there, and
// written again with all data.
func TestDiskOfAReplicaIsFull(t *testing.T) {
	quick.Skip(t, "writes gigabytes")
	for _, policy := range []string{always, everysec, never} {
		disk := newFaultyDisk()
		s := start(t, disk, "appendfsync", policy)
		master := s.engine.ConnectMaster(nil, engine.Endpoint{})
		s.engine.With(func() { s.engine.SetRole(engine.Role{Replica: true}) })
		disk.set(func() { disk.room = 1000 })
		long := bytes.Repeat([]byte("x"), 1<<20)
		for n := range maxAhead>>20 + 2 {
			s.engine.With(func() {
				require.NoError(t, s.engine.Home().Apply(master, [][]byte{[]byte("SET"), fmt.Append(nil, n%3), long}))
			})
		}
		await(t, "the changes are dropped", func() bool {
			s.journal.Commit()
			return s.info("aof_pending_rewrite") == "1" && s.info("aof_buffer_length") == "0" &&
				s.info("aof_last_bgrewrite_status") == "err"
		})
		require.Equal(t, ":3\r\n", s.do("DBSIZE"))
		disk.set(func() { disk.room = -1 })
		await(t, "it is written again", s.idle)
		require.Contains(t, s.log.String(), "# Error writing to the AOF file: ")
		require.Contains(t, s.log.String(), "# The master's changes cannot be written to the AOF file")
		require.NotContains(t, s.log.String(), "looks solved")
		s.journal.Close()
		require.Equal(t, s.digest(), start(t, disk.restart(true)).digest())
	}
}

// Files that no manifest names are not loaded, so they stay whatever the journal does.
func TestFilesWithoutAManifestStay(t *testing.T) {
	disk := newFaultyDisk()
	s := start(t, disk)
	s.run("SET a 1")
	s.journal.rewriteNow()
	s.run("SET b 2")
	s.journal.Close()
	lost := map[string]string{}
	for _, name := range disk.names() {
		text, err := readWhole(disk, s.journal.path(name))
		require.NoError(t, err)
		if strings.HasSuffix(name, ".manifest") {
			require.NoError(t, disk.Remove(s.journal.path(name)))
		} else {
			lost[string(text)] = name
		}
	}
	require.Len(t, lost, 2)
	for range 3 {
		s = start(t, disk)
		s.run("SET c 3")
		s.journal.rewriteNow()
		s.journal.rewriteNow()
		s.journal.Close()
		require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), "the new files load")
	}
	for _, name := range disk.names() {
		text, err := readWhole(disk, s.journal.path(name))
		require.NoError(t, err)
		delete(lost, string(text))
	}
	require.Empty(t, lost)
}

// What a slow disk takes is among the events of LATENCY.
func TestLatencyOfTheDisk(t *testing.T) {
	disk := newFaultyDisk()
	disk.during = func() { time.Sleep(2 * time.Millisecond) }
	s := start(t, disk, "appendfsync", always)
	s.run("CONFIG SET latency-monitor-threshold 1\nSET k 1")
	require.True(t, s.journal.Commit())
	for _, event := range []string{"aof-write", "aof-write-alone", "aof-fsync-always"} {
		require.Contains(t, s.do("LATENCY", "LATEST"), "\n"+event+"\r")
	}
	require.NotContains(t, s.do("LATENCY", "LATEST"), "active-child")
	s.engine.With(func() { s.engine.ReserveSnapshot(true) })
	s.run("SET k 2")
	require.True(t, s.journal.Commit())
	require.Contains(t, s.do("LATENCY", "LATEST"), "\naof-write-active-child\r")
	s.engine.With(func() { s.engine.ReserveSnapshot(false) })
	disk.look = 2 * time.Millisecond
	s.journal.rewriteNow()
	for _, event := range []string{"aof-rename", "aof-fstat"} {
		require.Contains(t, s.do("LATENCY", "LATEST"), "\n"+event+"\r")
	}
}
