package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// spares are packed entries that were evicted, by their size. New ones take their place: a server at its
// limit of memory writes as much as it evicts, and would be collecting garbage all the time.
type spares [packMax/spareGrain + 1][]entry

const (
	spareGrain = 8  // all sizes are multiples of it
	maxSpares  = 32 // of a size
)

// add takes an entry in that nothing refers to any more.
func (s *spares) add(e entry) {
	if e.head().kind() == boxed {
		return
	}
	if list := &s[e.bytes()/spareGrain]; len(*list) < maxSpares {
		*list = append(*list, e)
	}
}

// memory returns n bytes, as the allocator rounds them, for an entry; the header is zero.
func (s *spares) memory(n int) unsafe.Pointer {
	n = sizeclass.Round(n)
	list := &s[n/spareGrain]
	if len(*list) == 0 {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
	}
	last := len(*list) - 1
	e := (*list)[last]
	(*list)[last] = entry{}
	*list = (*list)[:last]
	*e.head() = header{}
	return e.p
}

// Evict is Delete for a key that goes because memory is short: what it took serves the next one. The key
// must not alias the entry.
func (db *DB) Evict(key []byte) bool {
	name := view(key)
	hash := db.table.Hash(name)
	slot := db.lookupHash(hash, name)
	if slot == nil {
		return false
	}
	e := *slot
	db.drop(hash, name)
	if db.ks.snapshot == nil { // or it may have the entry
		db.ks.spares.add(e)
	}
	return true
}
