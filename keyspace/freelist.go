package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/str"
)

// freeList holds memory of evicted keys by size, for the keys that are set next. A server at its memory limit
// writes as much as it evicts; without the list it would collect garbage all the time.
type freeList struct {
	packed [packMax/freeStep + 1][]entry
	texts  [maxFreeText/freeStep + 1][]*str.Value // of boxes
}

const (
	freeStep    = 8       // all sizes are multiples of it
	maxFreeText = 4 << 10 // bytes; larger ones are rare, and worth little for what they weigh
	maxFree     = 16      // of a size
)

// put adds the memory of an entry that nothing refers to any more.
func (s *freeList) put(e entry) {
	if e.head().kind() != boxed {
		push(&s.packed[e.bytes()/freeStep], e)
	} else if text, ok := e.box().value.(*str.Value); ok && text.Bytes() <= maxFreeText {
		push(&s.texts[text.Bytes()/freeStep], text)
	}
}

// alloc returns n bytes, as the allocator rounds them, for a packed entry; the header is zero.
func (s *freeList) alloc(n int) unsafe.Pointer {
	n = sizeclass.Round(n)
	e, ok := pop(&s.packed[n/freeStep])
	if !ok {
		return unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
	}
	*e.head() = header{}
	return e.p
}

// copyText returns a copy of a text, for a box.
func (s *freeList) copyText(text *str.Value) Value {
	if n := sizeclass.Round(text.Len()); n <= maxFreeText {
		if spare, ok := pop(&s.texts[n/freeStep]); ok {
			spare.Assign(text)
			return spare
		}
	}
	return text.Clone()
}

func push[T any](list *[]T, v T) {
	if len(*list) < maxFree {
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
	name := dict.Key(key)
	hash := db.table.Hash(name)
	slot := db.lookupHash(hash, name)
	if slot == nil {
		return false
	}
	e := *slot
	db.remove(hash, name)
	if db.ks.snapshot == nil { // or it may have the entry
		db.ks.free.put(e)
	}
	return true
}
