package journal

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients count all the time, while the data are put down anew again and again. What they write falls into
// one file or the next, and never between them: of each, the last numbers are there without a gap.
func TestWritesBetweenTwoFiles(t *testing.T) {
	const rewrites, writers, places = 40, 4, 16
	disk := newPlatter()
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
				s.engine.Do(session, [][][]byte{{[]byte("SET"), []byte(place(w, n)), strconv.AppendInt(nil, int64(n), 10)}})
			}
		})
	}
	for range rewrites {
		s.journal.attendNow(true)
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
