package json

import (
	"encoding/binary"
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Doc is a document. Parser.Parse and Open make one; the zero value has no root.
type Doc struct {
	packed  []byte // all of a small document
	root    []byte // its root, within packed
	names   names  // of a small document: within packed
	tree    *tree  // of a large document; else nil
	trail   *trail // of changes of a small document
	farWays int    // how many went far
}

const (
	// smallBytes is the size of the largest document that is packed.
	smallBytes = 16 << 10
	// lengthBytes is the size of the head of a packed document: the length of its names, and
	// whether some of them may be stale.
	lengthBytes = 2
	staleBit    = 1 << 15
)

// Open lets d be the document that is packed so, which it aliases from then on.
func (d *Doc) Open(packed []byte) {
	head := binary.LittleEndian.Uint16(packed)
	end := lengthBytes + int(head&^staleBit)
	*d = Doc{packed: packed, root: packed[end:]}
	d.names.b, d.names.stale = packed[lengthBytes:end:end], head&staleBit != 0
}

// setPacked lets d be a small document with those names and that root, in the memory of d.packed if
// it has room there.
func (d *Doc) setPacked(names, root []byte) {
	packed := slices.Grow(d.packed[:0], lengthBytes+len(names)+len(root))
	packed = binary.LittleEndian.AppendUint16(packed, uint16(len(names)))
	d.Open(append(append(packed, names...), root...))
}

// note writes the head of a small document.
func (d *Doc) note() {
	head := uint16(len(d.names.b))
	if d.names.stale {
		head |= staleBit
	}
	binary.LittleEndian.PutUint16(d.packed, head)
}

// addNames puts the names from one place on, which were added beside a small document, into it.
func (d *Doc) addNames(from int) {
	added, stale := d.names.b[from:], d.names.stale
	d.packed = slices.Insert(d.packed, lengthBytes+from, added...)
	binary.LittleEndian.PutUint16(d.packed, uint16(from+len(added)))
	d.Open(d.packed)
	d.names.stale = stale
	d.note()
}

// table returns the names.
func (d *Doc) table() *names {
	if d.tree != nil {
		return &d.tree.names
	}
	return &d.names
}

// Root returns the document as a value.
func (d *Doc) Root() Value {
	if d.tree != nil {
		return Value{d, d.tree.cells[0].bytes()}
	}
	return Value{d, d.root}
}

// At returns the value at a place, which must be one.
func (d *Doc) At(at Place) Value {
	v := d.Root()
	for _, i := range at {
		_, v = v.Child(int(i))
	}
	return v
}

// Assign lets d be the document that o is, which must not be used any more.
func (d *Doc) Assign(o *Doc) {
	if d.tree != nil {
		d.tree.releaseAll()
	}
	if o.tree != nil {
		*d = *o
		return
	}
	d.Open(append(d.packed[:0], o.packed...))
}

// newTree lets d be an empty large document, whose memory is mem.
func (d *Doc) newTree(mem value.Memory) {
	*d = Doc{tree: &tree{cells: make([]cell, 1), mem: mem}}
}

// rebuild builds the document anew, without names that no member has: in a tree, or packed.
func (d *Doc) rebuild(inTree bool) {
	old := *d
	var b builder
	if *d = (Doc{}); inTree {
		var mem value.Memory
		if old.tree != nil {
			mem = old.tree.mem
		}
		d.newTree(mem)
	}
	b.start(d)
	b.copy(Value{&old, old.Root().b})
	b.finish(d)
	if old.tree != nil {
		old.tree.releaseAll()
	}
}

// shrink packs a large document that has become small.
func (d *Doc) shrink() {
	if d.tree != nil && d.tree.held+len(d.tree.names.b) <= smallBytes/2 {
		d.rebuild(false)
	}
}

// grow makes a tree of a small document.
func (d *Doc) grow() { d.rebuild(true) }
