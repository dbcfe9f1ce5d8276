package lua

import (
	"math/bits"
	"strings"
	"unsafe"
)

// pair is a field about to be set.
type pair struct {
	key Key
	val Value
}

// Builder makes the tables of decoders. The values read so far lie on its stacks until their table
// is complete; there they count against the memory limit. Records of one kind share the strings of
// their keys, and from the second one on the layout of their hash part, so that filling it finds no
// place twice.
type Builder struct {
	L      *State
	values []Value // of the arrays being read, the inner ones behind the outer
	fields []pair  // of the records being read
	keys   [64]string
	shapes [16]shape
}

// Builder returns L's Builder: one for all decoders, because none calls another.
func (L *State) Builder() *Builder {
	if L.builder == nil {
		L.builder = &Builder{L: L}
	}
	return L.builder
}

// measure counts what was read so far.
func (b *Builder) measure(m *meter) {
	m.bytes += cap(b.values)*valueBytes + cap(b.fields)*pairBytes
	m.values(b.values)
	for i := range b.fields {
		m.value(b.fields[i].key.Value)
		m.value(b.fields[i].val)
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
	// keptStack is the number of values and fields for which room is kept.
	keptStack = 4096
	pairBytes = int(unsafe.Sizeof(pair{}))
	noPlace   = ^uint32(0)
)

// Reset empties the stacks: a decoder that failed may have left values there.
func (b *Builder) Reset() {
	b.values, b.fields = emptied(b.values), emptied(b.fields)
}

// emptied returns an empty stack. It drops large ones, and clears the others so that they keep no
// values alive.
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

// Elements returns the elements pushed and not yet made into a table: the Builder's own slice.
func (b *Builder) Elements() []Value { return b.values }

// Fields returns how many fields were pushed and not yet made into a table.
func (b *Builder) Fields() int { return len(b.fields) }

// Push adds an element.
func (b *Builder) Push(v Value) {
	if len(b.values) == cap(b.values) {
		b.values = grown(b.L, b.values, valueBytes)
	}
	b.values = append(b.values, v)
}

// PushField adds a field.
func (b *Builder) PushField(k Key, v Value) {
	if len(b.fields) == cap(b.fields) {
		b.fields = grown(b.L, b.fields, pairBytes)
	}
	b.fields = append(b.fields, pair{k, v})
}

// Array makes a table of the elements pushed since there were first of them.
func (b *Builder) Array(first int) Value {
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

// Key returns text as a key. A copy of a short one is shared with the records before.
func (b *Builder) Key(text string) Key {
	hash := hashString(text)
	if len(text) > longestKey {
		return Key{b.L.Substring(text, 0, len(text)), hash}
	}
	kept := &b.keys[hash%uint32(len(b.keys))]
	if *kept != text {
		b.L.Alloc(len(text))
		*kept = strings.Clone(text)
	}
	return Key{String(*kept), hash}
}

// Record makes a table of the fields pushed since there were first of them.
func (b *Builder) Record(first int) Value {
	fields := b.fields[first:]
	t := b.table(fields)
	clearAll(b.L, fields)
	b.fields = b.fields[:first]
	return t.Value()
}

// table makes a table of fields: by the layout of the last record with these keys if it has one,
// else field by field. Both ways give the same order of next.
func (b *Builder) table(fields []pair) *Table {
	sum, plain := uint32(0), len(fields) > 0 && len(fields) <= widestShape
	for i := range fields {
		b.L.tickOn(i)
		sum = sum*31 + fields[i].key.hash
		if fields[i].val.IsNil() {
			sum++
		}
		plain = plain && fields[i].key.IsString()
	}
	s := &b.shapes[sum%uint32(len(b.shapes))]
	if plain && s.fits(fields) {
		return s.table(b.L, fields)
	}
	t := b.L.NewTable(0, 0)
	for i := range fields {
		b.L.Tick(1)
		if f := &fields[i]; f.key.IsString() {
			t.setString(b.L, f.key.Value, f.key.hash, f.val)
		} else {
			t.Set(b.L, f.key.Value, f.val)
		}
	}
	if plain {
		s.learn(t, sum, fields)
	}
	return t
}

// fits reports whether the fields have the shape's keys, and nil where it knows no value.
func (s *shape) fits(fields []pair) bool {
	if len(fields) != len(s.keys) {
		return false
	}
	for i, k := range s.keys {
		if f := &fields[i].key; f.n != k.n || f.p != k.p && f.str() != k.str() {
			return false
		}
		if fields[i].val.IsNil() != (s.places[i] == noPlace) {
			return false
		}
	}
	return true
}

// table makes a table of the layout and the values of the fields.
func (s *shape) table(L *State, fields []pair) *Table {
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
			t.at(place).val = fields[i].val
		}
	}
	return t
}

// learn keeps the layout of t, just filled with the fields, when it is seen for
// the second time in a row and no key was given twice.
func (s *shape) learn(t *Table, sum uint32, fields []pair) {
	if s.sum != sum {
		s.sum = sum
		return
	}
	keys, places := make([]Value, len(fields)), make([]uint32, len(fields))
	taken := make([]bool, t.mask+1)
	for i := range fields {
		keys[i] = fields[i].key.Value
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
		if !fields[i].val.IsNil() {
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
