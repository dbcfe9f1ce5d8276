package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/str"
)

// freeList holds texts of evicted keys by size, for the keys that are set next. A server at its memory limit
// writes as much as it evicts; without the list it would collect garbage all the time.
type freeList [maxFreeText/freeStep + 1][]*str.Value

const (
	freeStep    = 8       // all sizes are multiples of it
	maxFreeText = 4 << 10 // bytes; larger ones are rare, and worth little for what they weigh
	maxFree     = 16      // of a size
)

// put adds the text of a string that nothing refers to any more. It does nothing with other values.
func (s *freeList) put(v Value) {
	text, ok := v.(*str.Value)
	if !ok || text.Bytes() > maxFreeText {
		return
	}
	if list := &s[text.Bytes()/freeStep]; len(*list) < maxFree {
		*list = append(*list, text)
	}
}

// copyText returns a copy of a text, for a box.
func (s *freeList) copyText(text *str.Value) Value {
	if n := sizeclass.Round(text.Len()); s != nil && n <= maxFreeText {
		if spare := pop(&s[n/freeStep]); spare != nil {
			spare.Assign(text)
			return spare
		}
	}
	return text.Clone()
}

// pop takes the last text out of a list; nil if there is none.
func pop(list *[]*str.Value) (v *str.Value) {
	last := len(*list) - 1
	if last < 0 {
		return nil
	}
	v, (*list)[last] = (*list)[last], nil
	*list = (*list)[:last]
	return v
}

// Evict is Delete for a key that goes because memory is short: what it took serves the next one. The key
// must not alias the entry.
func (db *DB) Evict(key []byte) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	s := db.lookupHash(hash, name)
	if s.absent() {
		return false
	}
	var v Value
	if s.head().kind() == boxed {
		v = s.box().value
	}
	db.remove(hash, name)
	if db.ks.free == nil {
		db.ks.free = new(freeList)
	}
	if db.ks.snapshot == nil { // or it may have the entry
		db.ks.free.put(v)
	}
	return true
}
