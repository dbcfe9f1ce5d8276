package keyspace

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/zset"
)

// What was flushed or deleted is garbage at once: no view that was lent for it keeps it alive.
func TestLargeValuesAreLetGo(t *testing.T) {
	for name, remove := range map[string]func(db *DB){
		"flush":  (*DB).Flush,
		"delete": func(db *DB) { db.Delete([]byte("k")) },
		"set":    func(db *DB) { db.Set([]byte("k"), db.ks.String([]byte("small")), false) },
	} {
		t.Run(name, func(t *testing.T) { letGo(t, remove) })
	}
}

func letGo(t *testing.T, remove func(db *DB)) {
	ks := New(1, 1, func(n uint64) uint64 { return 0 })
	db := ks.DB(0)
	gone := make(chan struct{})
	for i := range 40_000 { // grows out of a view
		ks.Begin()
		v, ok := db.Edit([]byte("k"))
		if !ok {
			v = db.Create([]byte("k"), ZSet)
		}
		v.(*zset.Set).Add(fmt.Appendf(nil, "m%d", i), float64(i), zset.Limits{MaxEntries: 128, MaxValue: 64},
			func(n uint64) uint64 { return uint64(i) % n })
		db.Commit([]byte("k"))
	}
	ks.Begin()
	v, ok := db.Edit([]byte("k"))
	require.True(t, ok)
	require.Equal(t, 40_000, v.Len())
	runtime.SetFinalizer(v.(*zset.Set), func(*zset.Set) { close(gone) })
	v = nil
	ks.Begin()
	remove(db)
	for ks.ReleaseFlushed(1) {
	}
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
