package keyspace

import (
	"testing"

	"github.com/miniserver-go/miniserver/ds/str"
)

// BenchmarkSetAndReap adds keys with a deadline and removes them when it has come, at a steady
// size.
func BenchmarkSetAndReap(b *testing.B) {
	const size = 1 << 17
	ks := newKeyspace()
	db := ks.DB(0)
	keys := make([][]byte, size)
	for i := range keys {
		keys[i] = keyOf(i * 40503 % size)
		db.SetUntil(keys[i], ks.Int(1), ks.Now+int64(i)+1)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		ks.Begin()
		ks.Now++
		db.Expiry().Reap(1)
		db.SetUntil(keys[i], ks.Int(1), ks.Now+size)
		i = (i + 1) % size
	}
}

// BenchmarkRenew moves the deadlines of many keys to later times, as limiters do on every call.
func BenchmarkRenew(b *testing.B) {
	const size = 1 << 17
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, size, func(int) int64 { return start + 2*size })
	keys := make([][]byte, size)
	for i := range keys {
		keys[i] = keyOf(i * 40503 % size)
	}
	i := 0
	for b.Loop() {
		ks.Now++
		db.SetDeadline(keys[i], ks.Now+2*size)
		i = (i + 1) % size
	}
}

// BenchmarkFind reads small strings of many keys.
func BenchmarkFind(b *testing.B) {
	const size = 1 << 17
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, size, never)
	b.ReportMetric(float64(db.Usage().Bytes())/size, "B/key")
	keys := make([][]byte, size)
	for i := range keys {
		keys[i] = keyOf(i * 40503 % size)
	}
	i, n := 0, 0
	for b.Loop() {
		ks.Begin()
		v, _ := db.Find(keys[i])
		n += v.(*str.Value).Len()
		i = (i + 1) % size
	}
}

// BenchmarkFetch is BenchmarkFind of keys that are fetched together.
func BenchmarkFetch(b *testing.B) {
	const size = 1 << 17
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, size, never)
	keys := make([][]byte, size)
	for i := range keys {
		keys[i] = keyOf(i * 40503 % size)
	}
	i, n := 0, 0
	for b.Loop() {
		ks.Begin()
		if i%PrefetchKeys == 0 {
			db.Keys().Prefetch(keys[i:i+PrefetchKeys], 1)
		}
		v, _ := db.Find(keys[i])
		n += v.(*str.Value).Len()
		i = (i + 1) % size
	}
}
