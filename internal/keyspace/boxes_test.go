package keyspace

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/str"
)

// TestBoxesStayAlive lets values cross the bound of packed ones to and fro while the collector
// runs.
func TestBoxesStayAlive(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	text := func(i, round int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 1+(i+round)%3*400) }
	for round := range 6 {
		for i := range 500 {
			ks.Begin()
			db.Set(fmt.Appendf(nil, "key:%d", i), ks.String(text(i, round)), false)
			if i%7 == round {
				db.Delete(fmt.Appendf(nil, "key:%d", i))
			}
		}
		runtime.GC()
		require.NoError(t, db.Check())
		for i := range 500 {
			if v, ok := db.Find(fmt.Appendf(nil, "key:%d", i)); ok {
				require.Equal(t, string(text(i, round)), string(v.(*str.Value).Text(nil)))
			}
		}
		ks.Swap(0, 1)
		ks.Swap(0, 1)
	}
	boxed := 0
	for _, b := range db.memory.boxes.list {
		if b != nil {
			boxed++
		}
	}
	require.Equal(t, len(db.memory.boxes.list)-len(db.memory.boxes.vacant), boxed)
}

// TestSnapshotsKeepFlushedBoxes lets the collector run between a flush and the end of a snapshot.
func TestSnapshotsKeepFlushedBoxes(t *testing.T) {
	ks := newKeyspace()
	want := bytes.Repeat([]byte("x"), 1000)
	for i := range 1000 {
		ks.Begin()
		ks.DB(0).Set(fmt.Appendf(nil, "key:%d", i), ks.String(want), false)
	}
	saved := 0
	s := ks.Snapshot(func(r *Record, _ *Pace) {
		require.Equal(t, string(want), string(r.Value.(*str.Value).Text(nil)))
		saved++
	})
	ks.DB(0).Flush()
	for s.Step(20) {
		runtime.GC()
	}
	require.Equal(t, 1000, saved)
}
