package keyspace

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/zset"
)

// What was flushed is garbage at once: no view that was lent for it keeps it alive.
func TestFlushLetsGoOfLargeValues(t *testing.T) {
	ks := New(1, 1, func(n uint64) uint64 { return 0 })
	db := ks.DB(0)
	gone := make(chan struct{})
	for i := range 1000 { // grows out of a view
		ks.Begin()
		v, ok := db.Edit([]byte("k"))
		if !ok {
			v = db.Create([]byte("k"), ZSet)
		}
		v.(*zset.Set).Add(fmt.Appendf(nil, "m%d", i), float64(i), zset.Limits{MaxEntries: 128, MaxValue: 64}, func(n uint64) uint64 { return uint64(i) % n })
		db.Settle([]byte("k"))
	}
	ks.Begin()
	v, ok := db.Edit([]byte("k"))
	require.True(t, ok)
	require.Equal(t, 1000, v.Len())
	runtime.SetFinalizer(v.(*zset.Set), func(*zset.Set) { close(gone) })
	v = nil
	ks.Begin()
	db.Flush()
	for tries := 0; ; tries++ {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(ks)
			return
		case <-time.After(10 * time.Millisecond): // finalizers have a goroutine of their own
		}
		require.Less(t, tries, 1000, "something still points to it")
	}
}
