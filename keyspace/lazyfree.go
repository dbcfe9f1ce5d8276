package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/stream"
)

// LazyThreshold is the number of allocations up to which Redis frees a value at once also where it may free it in the background.
const LazyThreshold = 64

// noteFreed counts a value that is removed or replaced, if Redis would free it in the background.
func (ks *Keyspace) noteFreed(e entry) {
	if ks.Lazily {
		ks.countFreed(e)
	}
}

// NoteFreed counts the value of key, whose elements a command is about to take out where Redis removes the key.
func (db *DB) NoteFreed(key []byte) {
	if e := db.lookup(dict.Key(key)); !e.absent() {
		db.ks.noteFreed(e.entry)
	}
}

func (ks *Keyspace) countFreed(e entry) {
	if e.head().kind() == boxed && allocations(e.box().value) > LazyThreshold {
		ks.LazilyFreed++
	}
}

// allocations returns for how many allocations Redis takes a value.
func allocations(v Value) (n int) {
	if _, packed := v.Packed(); packed {
		return 1
	}
	switch v := v.(type) {
	case *list.List:
		v.Nodes(func(list.Node) bool {
			n++
			return n <= LazyThreshold
		})
		return n
	case *stream.Stream:
		n = v.TreeNodes()
		if groups := v.Groups(); len(groups) > 0 {
			n += len(groups) * (1 + groups[0].Pending())
		}
		return n
	}
	if v.Type() == String {
		return 1
	}
	return v.Len()
}
