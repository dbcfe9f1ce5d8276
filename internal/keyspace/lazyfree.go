package keyspace

import "github.com/miniserver-go/miniserver/ds/dict"

// LazyThreshold is the number of allocations up to which Redis frees a value at once also where it
// may free it in the background.
const LazyThreshold = 64

// RemoveLazily calls remove, which removes keys, while Lazily is lazy.
func (ks *Keyspace) RemoveLazily(lazy bool, remove func()) {
	was := ks.Lazily
	ks.Lazily = lazy
	remove()
	ks.Lazily = was
}

// noteFreed counts a value that is removed or replaced, if Redis would free it in the background.
func (ks *Keyspace) noteFreed(e entry) {
	if ks.Lazily {
		ks.countFreed(e)
	}
}

// NoteFreed counts the value of key, whose elements a command is about to take out where Redis
// removes the key.
func (db *DB) NoteFreed(key []byte) {
	if e := db.lookup(dict.Key(key)); !e.absent() {
		db.ks.noteFreed(e.entry)
	}
}

func (ks *Keyspace) countFreed(e entry) {
	if e.head().kind() == boxed && e.box().value.Allocations(LazyThreshold) > LazyThreshold {
		ks.LazilyFreed++
	}
}
