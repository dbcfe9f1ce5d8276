package keyspace

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/invariants"
)

// setMany sets n small strings and ends the command.
func setMany(ks *Keyspace, n int) {
	for i := range n {
		ks.DB(0).Set(fmt.Appendf(nil, "key:%d", i), ks.String([]byte("some text")), false)
	}
	ks.Begin()
}

func TestRoomOfRemovedKeysIsUsedAgain(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	const n = 100_000
	setMany(ks, n)
	live, held := ks.CellBytes()
	require.InEpsilon(t, live, held, 0.4)
	entries := db.memory.bytes
	for i := range n {
		db.Delete(fmt.Appendf(nil, "key:%d", i))
	}
	require.NoError(t, db.Check())
	freed, _ := ks.CellBytes()
	require.Equal(t, entries, freed, "the command still may read what it removed")
	ks.Begin()
	freed, kept := ks.CellBytes()
	require.Zero(t, freed)
	require.Less(t, kept, held)
	setMany(ks, n)
	_, again := ks.CellBytes()
	require.LessOrEqual(t, again, held)
}

func TestRemovedValuesAreReadableUntilBegin(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	for name, remove := range map[string]func(key []byte){
		"delete":         func(key []byte) { db.Delete(key) },
		"flush":          func([]byte) { db.Flush() },
		"another value":  func(key []byte) { db.Set(key, ks.String([]byte("a text that takes another cell")), false) },
		"rename":         func(key []byte) { db.Rename(key, []byte("other")) },
		"evict":          func(key []byte) { db.Delete(key) },
		"a larger value": func(key []byte) { db.Set(key, ks.String(bytes.Repeat([]byte("x"), 1000)), false) },
	} {
		t.Run(name, func(t *testing.T) {
			ks.Begin()
			key := []byte("key")
			db.Set(key, ks.String([]byte("some text")), false)
			v, _ := db.Find(key)
			remove(key)
			db.Set([]byte("next"), ks.String([]byte("next text")), false)
			require.Equal(t, "some text", string(v.(*str.Value).Text(nil)))
			require.NoError(t, db.Check())
			ks.Begin()
			if invariants.Poison && name != "flush" {
				require.NotEqual(t, "some text", string(v.(*str.Value).Text(nil)), "a view after the command shows")
			}
		})
	}
}

// TestDroppedKeyspacesGiveTheirMemoryBack makes and drops some, as tests with embedded servers do.
func TestDroppedKeyspacesGiveTheirMemoryBack(t *testing.T) {
	const n = 20
	released := make(chan struct{}, n)
	for range n {
		ks := newKeyspace()
		setMany(ks, 100)
		runtime.AddCleanup(ks.DB(0).memory.cells, func(struct{}) { released <- struct{}{} }, struct{}{})
	}
	for gone := 0; gone < n/2; { // the last ones may still be on a stack
		runtime.GC()
		select {
		case <-released:
			gone++
		default:
			runtime.Gosched()
		}
	}
}

func TestAnEmptyKeyspaceIsSmall(t *testing.T) {
	var before, after runtime.MemStats
	const n = 100
	all := make([]*Keyspace, n)
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = New(16, 1, nil)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc)/n, 12<<10)
	for _, ks := range all {
		_, held := ks.CellBytes()
		require.Zero(t, held)
	}
}

func TestFlushedMemoryWaitsForTheSnapshot(t *testing.T) {
	ks := newKeyspace()
	setMany(ks, 1000)
	saved := 0
	s := ks.Snapshot(func(r *Record, _ *Pace) {
		require.Equal(t, "some text", string(r.Value.(*str.Value).Text(nil)))
		saved++
	})
	ks.DB(0).Flush()
	setMany(ks, 10)
	require.False(t, ks.ReleaseFlushed(100))
	for s.Step(10) {
		ks.Begin()
	}
	require.Equal(t, 1000, saved)
	for ks.ReleaseFlushed(1) {
	}
	require.Empty(t, ks.flushed)
	require.NoError(t, ks.DB(0).Check())
}
