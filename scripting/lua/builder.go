package lua

import (
	"math/bits"
	"strings"
	"unsafe"
)

// pair is a field about to be set. The hash counts for string keys only.
type pair struct {
	key, val Value
	hash     uint32
}

// builder makes the tables of decoders. What they read lies on its stacks
// until a table is complete, so that it counts as held. Records of one kind
// share the strings of their keys, and from the second one on the layout of
// their hash part, which is what filling it field by field led to.
type builder struct {
	L      *State
	values []Value // of the arrays being read, the inner ones behind the outer
	pairs  []pair  // of the records being read
	keys   [64]string
	shapes [16]shape
}

// newBuilder returns L's builder, one for all decoders: none calls another.
func (L *State) newBuilder() *builder {
	if L.builder == nil {
		L.builder = &builder{L: L}
	}
	return L.builder
}

// measure counts what was read so far.
func (b *builder) measure(m *meter) {
	m.bytes += cap(b.values)*valueBytes + cap(b.pairs)*pairBytes
	m.values(b.values)
	for i := range b.pairs {
		m.value(b.pairs[i].key)
		m.value(b.pairs[i].val)
	}
}

// shape is the layout of a table filled with certain string keys in a certain
// order.
type shape struct {
	sum    uint32   // of a candidate's keys
	keys   []Value  // in the order of filling
	places []uint32 // where their nodes lie, noPlace for one without a value
	nodes  []node   // without values
	free   uint32
}

const (
	// longestKey is the length up to which keys are shared.
	longestKey = 32
	// widestShape is the number of fields up to which layouts are kept.
	widestShape = 64
	// keptStack is the number of values and pairs for which room is kept.
	keptStack = 4096
	pairBytes = int(unsafe.Sizeof(pair{}))
	noPlace   = ^uint32(0)
)

// reset forgets what a decoder that failed left behind.
func (b *builder) reset() {
	b.values, b.pairs = emptied(b.values), emptied(b.pairs)
}

func emptied[T any](stack []T) []T {
	if cap(stack) > keptStack {
		return nil
	}
	clear(stack)
	return stack[:0]
}

// grown returns a full stack of elements of that size with more room, which it counts.
func grown[T any](L *State, stack []T, size int) []T {
	more := max(len(stack)/2, 16)
	L.Alloc(more * size)
	return moved(L, make([]T, 0, len(stack)+more), stack)
}

// moved appends elements, some at a time.
func moved[T any](L *State, dst, elements []T) []T {
	for len(elements) > manyTurns {
		dst = append(dst, elements[:manyTurns]...)
		L.tickMany()
		elements = elements[manyTurns:]
	}
	return append(dst, elements...)
}

// clearAll clears elements, some at a time.
func clearAll[T any](L *State, elements []T) {
	for len(elements) > manyTurns {
		clear(elements[:manyTurns])
		L.tickMany()
		elements = elements[manyTurns:]
	}
	clear(elements)
}

// push gathers an element.
func (b *builder) push(v Value) {
	if len(b.values) == cap(b.values) {
		b.values = grown(b.L, b.values, valueBytes)
	}
	b.values = append(b.values, v)
}

// pushPair gathers a field.
func (b *builder) pushPair(p pair) {
	if len(b.pairs) == cap(b.pairs) {
		b.pairs = grown(b.L, b.pairs, pairBytes)
	}
	b.pairs = append(b.pairs, p)
}

// array makes a table of the elements gathered from first on.
func (b *builder) array(first int) Value {
	values := b.values[first:]
	size, dense := 0, true
	for i, v := range values {
		b.L.tickOn(i)
		dense = dense && !v.IsNil()
	}
	if dense && len(values) > 0 { // as much room as appending makes
		size = 1 << bits.Len(uint(len(values)-1))
	}
	t := b.L.NewTable(size, 0)
	if dense {
		t.dense = int32(len(moved(b.L, t.array[:0], values)))
	} else {
		for i, v := range values {
			b.L.tickOn(i)
			t.SetInt(b.L, i+1, v)
		}
	}
	clearAll(b.L, values)
	b.values = b.values[:first]
	return t.Value()
}

// key returns text as a key with its hash.
func (b *builder) key(text string) (Value, uint32) {
	hash := hashString(text)
	if len(text) > longestKey {
		return b.L.substring(text, 0, len(text)), hash
	}
	kept := &b.keys[hash%uint32(len(b.keys))]
	if *kept != text {
		b.L.Alloc(len(text))
		*kept = strings.Clone(text)
	}
	return String(*kept), hash
}

// record makes a table of the pairs gathered from first on.
func (b *builder) record(first int) Value {
	pairs := b.pairs[first:]
	t := b.table(pairs)
	clearAll(b.L, pairs)
	b.pairs = b.pairs[:first]
	return t.Value()
}

func (b *builder) table(pairs []pair) *Table {
	sum, plain := uint32(0), len(pairs) > 0 && len(pairs) <= widestShape
	for i := range pairs {
		b.L.tickOn(i)
		sum = sum*31 + pairs[i].hash
		if pairs[i].val.IsNil() {
			sum++
		}
		plain = plain && pairs[i].key.IsString()
	}
	s := &b.shapes[sum%uint32(len(b.shapes))]
	if plain && s.fits(pairs) {
		return s.table(b.L, pairs)
	}
	t := b.L.NewTable(0, 0)
	for i := range pairs {
		b.L.Tick(1)
		if p := &pairs[i]; p.key.IsString() {
			t.setString(b.L, p.key, p.hash, p.val)
		} else {
			t.Set(b.L, p.key, p.val)
		}
	}
	if plain {
		s.learn(t, sum, pairs)
	}
	return t
}

// fits reports whether the pairs have the shape's keys, and nil where it knows no value.
func (s *shape) fits(pairs []pair) bool {
	if len(pairs) != len(s.keys) {
		return false
	}
	for i, k := range s.keys {
		if p := pairs[i].key; p.n != k.n || p.p != k.p && p.str() != k.str() {
			return false
		}
		if pairs[i].val.IsNil() != (s.places[i] == noPlace) {
			return false
		}
	}
	return true
}

// table makes a table of the layout and the values of the pairs.
func (s *shape) table(L *State, pairs []pair) *Table {
	L.Alloc(tableBytes + len(s.nodes)*int(nodeSize))
	var t *Table
	if len(s.nodes) == 8 {
		both := &struct {
			Table
			nodes [8]node
		}{}
		both.nodes = [8]node(s.nodes)
		t = &both.Table
		t.node = &both.nodes[0]
	} else {
		nodes := append([]node(nil), s.nodes...)
		t = &Table{node: &nodes[0]}
	}
	t.mask, t.free = uint32(len(s.nodes)-1), s.free
	for i, place := range s.places {
		if place != noPlace {
			t.at(place).val = pairs[i].val
		}
	}
	return t
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
		places[i] = noPlace
		at := t.position(keys[i])
		if at < 0 { // a key without a value gave its node to another one
			continue
		}
		place := uint32(at - len(t.array) - 1)
		if taken[place] {
			return
		}
		taken[place] = true
		if !pairs[i].val.IsNil() {
			places[i] = place
		}
	}
	nodes := make([]node, t.mask+1)
	for i := range nodes {
		nodes[i] = *t.at(uint32(i))
		nodes[i].val = Nil
	}
	s.keys, s.places, s.nodes, s.free = keys, places, nodes, t.free
}
