package lua

import (
	"strings"
	"unsafe"
)

// pair is a field about to be set. The hash counts for string keys only.
type pair struct {
	key, val Value
	hash     uint32
}

// recordMaker builds the tables of a decoder. Records of one kind share the
// strings of their keys, and from the second one on the layout of their hash
// part, which is what filling it field by field led to.
type recordMaker struct {
	keys   [64]string
	shapes [16]shape
	pairs  []pair // of the records being read, the inner ones behind the outer
}

// shape is the layout of a table filled with certain string keys in a certain
// order.
type shape struct {
	sum    uint32   // of a candidate's keys
	keys   []Value  // in the order of filling
	places []uint32 // where their nodes lie
	nodes  []node   // without values
	free   uint32
}

const (
	// longestKey is the length up to which keys are shared.
	longestKey = 32
	// widestShape is the number of fields up to which layouts are kept.
	widestShape = 64
	// keptPairs is the room for pairs kept for the next call.
	keptPairs = 4096
)

// reset forgets what a decoder that failed left behind.
func (m *recordMaker) reset() {
	clear(m.pairs)
	m.pairs = m.pairs[:0]
	if cap(m.pairs) > keptPairs {
		m.pairs = nil
	}
}

// add gathers a pair.
func (m *recordMaker) add(L *State, p pair) {
	if len(m.pairs) == cap(m.pairs) {
		L.Alloc(cap(m.pairs) * int(unsafe.Sizeof(p)))
	}
	m.pairs = append(m.pairs, p)
}

// key returns text as a key with its hash.
func (m *recordMaker) key(L *State, text string) (Value, uint32) {
	hash := hashString(text)
	if len(text) > longestKey {
		return L.substring(text, 0, len(text)), hash
	}
	kept := &m.keys[hash%uint32(len(m.keys))]
	if *kept != text {
		L.Alloc(len(text))
		*kept = strings.Clone(text)
	}
	return String(*kept), hash
}

// take makes a table of the pairs gathered from first on.
func (m *recordMaker) take(L *State, first int) *Table {
	pairs := m.pairs[first:]
	t := m.table(L, pairs)
	clear(pairs)
	m.pairs = m.pairs[:first]
	return t
}

func (m *recordMaker) table(L *State, pairs []pair) *Table {
	t := L.NewTable(0, 0)
	if len(pairs) == 0 {
		return t
	}
	sum, plain := uint32(0), len(pairs) <= widestShape
	for i := range pairs {
		sum = sum*31 + pairs[i].hash
		plain = plain && pairs[i].key.IsString() && !pairs[i].val.IsNil()
	}
	s := &m.shapes[sum%uint32(len(m.shapes))]
	if plain && s.fits(pairs) {
		s.fill(L, t, pairs)
		return t
	}
	for i := range pairs {
		if p := &pairs[i]; p.key.IsString() {
			t.setString(L, p.key, p.hash, p.val)
		} else {
			t.Set(L, p.key, p.val)
		}
	}
	if plain {
		s.learn(t, sum, pairs)
	}
	return t
}

func (s *shape) fits(pairs []pair) bool {
	if len(pairs) != len(s.keys) {
		return false
	}
	for i, k := range s.keys {
		if p := pairs[i].key; p.n != k.n || p.p != k.p && p.str() != k.str() {
			return false
		}
	}
	return true
}

// fill gives an empty table the layout and the values of the pairs.
func (s *shape) fill(L *State, t *Table, pairs []pair) {
	L.Alloc(len(s.nodes) * int(nodeSize))
	nodes := append([]node(nil), s.nodes...)
	for i, place := range s.places {
		nodes[place].val = pairs[i].val
	}
	t.node, t.mask, t.free = &nodes[0], uint32(len(nodes)-1), s.free
}

// learn keeps the layout of t, just filled with the pairs, when it is seen for
// the second time in a row and no key was given twice.
func (s *shape) learn(t *Table, sum uint32, pairs []pair) {
	if s.sum != sum {
		s.sum = sum
		return
	}
	keys, places := make([]Value, len(pairs)), make([]uint32, len(pairs))
	taken := make([]bool, t.mask+1)
	for i := range pairs {
		keys[i] = pairs[i].key
		place := uint32(t.position(keys[i]) - len(t.array) - 1)
		if taken[place] {
			return
		}
		places[i], taken[place] = place, true
	}
	nodes := make([]node, t.mask+1)
	for i := range nodes {
		nodes[i] = *t.at(uint32(i))
		nodes[i].val = Nil
	}
	s.keys, s.places, s.nodes, s.free = keys, places, nodes, t.free
}
