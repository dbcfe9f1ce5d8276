package journal

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// set changes what is wrong with the disk.
func (p *platter) set(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

// While the disk takes nothing, writes are refused in Redis' words, reads are not, and nothing that
// was replied to is lost. When it does again, so does the server.
func TestDiskIsFullForAWhile(t *testing.T) {
	for _, policy := range []string{always, everysec, never} {
		for room := 0; room < 60; room += 7 {
			disk := newPlatter()
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

// After a sync that failed the system may have dropped what it was for, and the next sync succeeds all
// the same. So it is written again.
func TestSyncFailsOnce(t *testing.T) {
	disk := newPlatter()
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

// Without the bytes in memory, the data are put down anew.
func TestSyncFailsInTheBackground(t *testing.T) {
	disk := newPlatter()
	s := start(t, disk, "appendfsync", never)
	s.run("SET a 1\nSET b 2")
	require.True(t, s.journal.commit(false))
	disk.set(func() { disk.deaf = syscall.EIO })
	require.False(t, s.journal.commit(true))
	disk.set(func() { disk.deaf = nil })
	require.Empty(t, s.do("WAITAOF", "1", "0", "0"))
	await(t, "put down anew", func() bool { return s.info("aof_rewrites") == "1" })
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
}

// A directory that takes no files refuses appendonly yes, and ends a start.
func TestNoDirectory(t *testing.T) {
	disk := newPlatter()
	disk.broken = syscall.EROFS
	require.ErrorContains(t, begin(t, disk, "appendonly", "yes").journal.Load(), "read-only file system")
	s := begin(t, disk)
	require.NoError(t, s.journal.Load())
	t.Cleanup(s.journal.Close)
	require.Equal(t, "-ERR CONFIG SET failed (possibly related to argument 'appendonly') - Unable to turn on AOF. Check server logs.\r\n",
		s.do("CONFIG", "SET", "appendonly", "yes"))
	require.Equal(t, "0", s.info("aof_enabled"))
}

// A rewrite that fails leaves everything as it was, and the next one succeeds.
func TestRewriteFails(t *testing.T) {
	disk := newPlatter()
	s := start(t, disk)
	s.run("SET a 1")
	require.True(t, s.journal.commit(true))
	disk.set(func() { disk.room = 10 })
	s.journal.attendNow(true)
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	disk.set(func() { disk.room = -1 })
	s.run("SET b 2")
	require.True(t, s.journal.commit(true))
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
	s.journal.attendNow(true)
	require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
	s.journal.Close()
	require.Equal(t, s.digest(), start(t, disk.restart(true)).digest(), disk.dump())
	require.Len(t, disk.names(), 3)
}

// A manifest of which the disk does not say whether it lasts may be the one that is found.
func TestManifestMayLast(t *testing.T) {
	disk := newPlatter()
	s := start(t, disk)
	s.run("SET a 1")
	disk.set(func() { disk.vague = syscall.EIO })
	s.journal.attendNow(true)
	require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
	s.run("SET b 2")
	require.True(t, s.journal.commit(true))
	disk.set(func() { disk.vague = nil })
	require.Equal(t, s.digest(), start(t, disk.restart(false)).digest(), disk.dump())
	s.journal.attendNow(true)
	require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
	require.Equal(t, s.digest(), start(t, disk.restart(false)).digest(), disk.dump())
}

// A manifest of which the disk did not say whether it lasts may be found after a loss of power at any step of a
// later rewrite, also of one that begins while the journal is off: what it names must be what it meant.
func TestManifestMayLastThroughTheNextRewrite(t *testing.T) {
	for _, when := range []string{"on", "off", "turned on again", "turned on again twice"} {
		for i := 0; ; i++ {
			power, clear := 1+i/2, i%2 // the first manifest of a rewrite may last, or the second
			disk := newPlatter()
			s := start(t, disk, "appendfsync", always)
			n, least := 0, 2
			push := func() {
				n++
				s.run(fmt.Sprint("RPUSH l ", n))
				s.journal.Commit()
			}
			fails := func() {
				disk.set(func() { disk.vague, disk.clear = syscall.EIO, clear })
				s.journal.attendNow(true)
				require.Equal(t, "err", s.info("aof_last_bgrewrite_status"))
				disk.set(func() { disk.vague = nil })
			}
			push()
			fails()
			push()
			if when != "on" {
				require.Equal(t, "+OK\r\n", s.do("CONFIG", "SET", "appendonly", "no"))
				await(t, "closed", func() bool { s.journal.files.Lock(); defer s.journal.files.Unlock(); return s.journal.file == nil })
			}
			if strings.HasPrefix(when, "turned on again") {
				s.journal.engine.With(func() { s.journal.set.enabled, s.journal.state = true, waitRewrite })
			}
			if when == "turned on again twice" {
				push()
				clear = 0 // it writes but one manifest
				fails()
			}
			push()
			if when == "on" {
				least = n
			}
			disk.set(func() { disk.power = disk.steps + power })
			s.journal.attendNow(true)
			through := s.info("aof_last_bgrewrite_status") == "ok"
			s.journal.Commit()
			for _, lossy := range []bool{false, true} {
				found := start(t, disk.restart(lossy))
				got := found.do("LRANGE", "l", "0", "-1")
				require.Contains(t, []string{numbers(least), numbers(3), numbers(n)}, got, "%s, power for %d steps\n%s", when, power, disk.dump())
				if through {
					require.Equal(t, numbers(n), got)
					found.journal.attendNow(true)
					require.Len(t, found.journal.disk.(*platter).names(), 3, "nothing is left over")
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

// numbers is the reply with the numbers from 1 to n.
func numbers(n int) string {
	text := fmt.Sprintf("*%d\r\n", n)
	for i := range n {
		text += fmt.Sprintf("$1\r\n%d\r\n", i+1)
	}
	return text
}
