package journal

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/resp"
)

// Clients count all the time during many rewrites. Every write goes to one file or the next, and
// none is lost between them: the last numbers of each client are there without a gap.
func TestWritesBetweenTwoFiles(t *testing.T) {
	const writers, places = 4, 16
	disk := newFaultyDisk()
	s := start(t, disk, "auto-aof-rewrite-percentage", "0")
	place := func(w, n int) string { return fmt.Sprint("writer", w, "place", n%places) }
	var over atomic.Bool
	var busy sync.WaitGroup
	defer busy.Wait()
	defer over.Store(true)
	for w := range writers {
		for n := range places {
			s.run(fmt.Sprint("SET ", place(w, n), " ", n))
		}
		session := s.engine.NewSession(nil)
		busy.Go(func() {
			for n := places; !over.Load(); n++ {
				s.engine.Do(session,
					[][][]byte{{[]byte("SET"), []byte(place(w, n)), strconv.AppendInt(nil, int64(n), 10)}})
			}
		})
	}
	for range quick.Rounds(40) {
		s.journal.rewriteNow()
		require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
		require.True(t, s.journal.commit(false))
		found := start(t, disk.restart(false))
		for w := range writers {
			least, most := 1<<62, 0
			for i := range places {
				var size, n int
				_, err := fmt.Sscanf(found.do("GET", place(w, i)), "$%d\r\n%d", &size, &n)
				require.NoError(t, err)
				least, most = min(least, n), max(most, n)
			}
			require.Equal(t, places-1, most-least, "a gap in what writer %d counted to %d", w, most)
		}
		found.journal.Close()
	}
}

// Large values change and move while a rewrite writes them in pieces.
func TestLargeValuesChangeWhileTheyArePutDown(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		disk := newFaultyDisk()
		s := start(t, disk, "auto-aof-rewrite-percentage", "0", "aof-use-rdb-preamble", preamble)
		const size = 2000
		for i := range size {
			for _, line := range []string{"HSET hash:%d %d some", "SADD set:%d member%d", "ZADD zset:%d %d m",
				"RPUSH list:%d %d"} {
				s.run(fmt.Sprintf(line, i%2, i))
			}
			s.run(fmt.Sprintf("ZADD zset:%d %d member%d", i%2, i, i))
			s.run(fmt.Sprintf("XADD stream:%d %d-1 f some", i%2, i+1))
			s.run(fmt.Sprintf("APPEND string:%d %070d", i%2, i))
			s.run(fmt.Sprintf("HPEXPIREAT hash:%d 9999999999999 FIELDS 1 %d", i%2, i/3))
			s.run(fmt.Sprintf("SPEXPIREAT set:%d 9999999999999 MEMBERS 1 member%d", i%2, i/3))
		}
		changes := []string{"HSET hash:%d %d other", "SREM set:%d member%d", "ZINCRBY zset:%d 5 member%d",
			"LSET list:%d %d other",
			"SETRANGE string:%d %d xyz", "XDEL stream:%d %d-1", "SET small:%[2]d:%[1]d x", "HDEL hash:%d %d",
			"RPOPLPUSH list:%d list:%d",
			"COPY hash:%d copy:%[1]d REPLACE", "RENAME copy:%d hash:%[1]d", "SET string:%d %070d",
			"DEL zset:%d zset:%d"}
		var over atomic.Bool
		var busy sync.WaitGroup
		session := s.engine.NewSession(nil)
		busy.Go(func() {
			for n := 0; !over.Load(); n++ {
				i := (n * 7919) % size
				line := changes[n%len(changes)]
				if n%len(changes) > 7 && n%50 != 0 {
					line = changes[n%8]
				}
				words, _ := resp.Words(fmt.Appendf(nil, line, n/len(changes)%2, i), nil)
				s.engine.Do(session, [][][]byte{words[:min(len(words), 4)]})
			}
		})
		for range 15 {
			s.journal.rewriteNow()
			require.Equal(t, "ok", s.info("aof_last_bgrewrite_status"), s.log.String())
		}
		over.Store(true)
		busy.Wait()
		require.True(t, s.journal.commit(false))
		found := start(t, disk.restart(false))
		require.Equal(t, s.digest(), found.digest(), "preamble %s", preamble)
		found.journal.Close()
		s.journal.Close()
	}
}
