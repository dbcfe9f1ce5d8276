package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/str"
)

// spares is what was evicted, by size. What is set next takes its place: a server at its limit of memory
// writes as much as it evicts, and would be collecting garbage all the time.
type spares struct {
	packed [packMax/spareGrain + 1][]entry
	texts  [maxSpareText/spareGrain + 1][]*str.Value // of boxes
}

const (
	spareGrain   = 8       // all sizes are multiples of it
	maxSpareText = 4 << 10 // bytes; larger ones are rare, and worth little for what they weigh
	maxSpares    = 16      // of a size
)

// add takes an entry in that nothing refers to any more.
func (s *spares) add(e entry) {
	if e.head().kind() != boxed {
		push(&s.packed[e.bytes()/spareGrain], e)
	} else if text, ok := e.box().value.(*str.Value); ok && text.Bytes() <= maxSpareText {
		push(&s.texts[text.Bytes()/spareGrain], text)
	}
}

// memory returns n bytes, as the allocator rounds them, for a packed entry; the header is zero.
func (s *spares) memory(n int) unsafe.Pointer {
	n = sizeclass.Round(n)
	e, ok := pop(&s.packed[n/spareGrain])
	if !ok {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
	}
	*e.head() = header{}
	return e.p
}

// clone returns a copy of a text, for a box.
func (s *spares) clone(text *str.Value) Value {
	if n := sizeclass.Round(text.Len()); n <= maxSpareText {
		if spare, ok := pop(&s.texts[n/spareGrain]); ok {
			spare.Assign(text)
			return spare
		}
	}
	return text.Clone()
}

func push[T any](list *[]T, v T) {
	if len(*list) < maxSpares {
		*list = append(*list, v)
	}
}

func pop[T any](list *[]T) (v T, ok bool) {
	last := len(*list) - 1
	if last < 0 {
		return v, false
	}
	v, (*list)[last] = (*list)[last], v
	*list = (*list)[:last]
	return v, true
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
