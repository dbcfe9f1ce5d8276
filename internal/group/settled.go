package group

import (
	"hash/maphash"
)

// settled knows which keys the leader has changed by entries that are not committed yet. A read of
// other keys need not wait for these entries: it is as if it came before them, and nobody has seen
// what they change.
type settled struct {
	seed maphash.Seed
	// By the hash of a key: the number of the entry, in the seat, in which it or another one was
	// changed last.
	keys []uint64
	all  uint64 // of the last entry that may have changed any key
}

// settledKeys is how many hashes are told apart. Keys that share one may wait for each other.
const settledKeys = 1 << 14

// begin forgets all, as a seat begins: what came before it is committed.
func (s *settled) begin() {
	*s = settled{seed: maphash.MakeSeed(), keys: make([]uint64, settledKeys)}
}

func (s *settled) at(key []byte) *uint64 { return &s.keys[maphash.Bytes(s.seed, key)%settledKeys] }

// changes notes that an entry changes a key.
func (s *settled) changes(key []byte, entry uint64) { *s.at(key) = entry }

// after reports whether no entry behind the last committed one changes a key.
func (s *settled) after(entry uint64, key []byte) bool { return s.all <= entry && *s.at(key) <= entry }
