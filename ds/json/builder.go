package json

import (
	"encoding/binary"
	"slices"
)

// builder packs values one after the other, for the document into which they go. In a tree it makes
// what is large far at once, so that what is packed stays small.
type builder struct {
	d       *Doc
	b       []byte
	open    []level
	entries []entry // a hash table of the document's names; its length is a power of two
	names   int     // in entries
	serial  uint32  // of the last object opened
	fresh   bool    // d has no names but those that the builder added
	most    int     // how many bytes may be packed outside of a tree; 0 for any number
}

// level is a container that is being built.
type level struct {
	start   int // of its head in b
	body    int // of its children there
	child   int // where the child begins that is being built: of a member its name
	serial  uint32
	object  bool
	twice   bool // the member that is being built is there already
	mixed   bool // an element is no number; only a Parser that rounds looks at it
	members int
	box     *box // has what was there when it became large; else nil
}

// entry is 1 + a name, and the object that had it last.
type entry struct{ name, serial uint32 }

// start prepares the builder to pack values for d. If d is empty, it finds the names of d by a
// table of its own.
func (x *builder) start(d *Doc) {
	x.d, x.b, x.open, x.serial, x.names, x.most = d, x.b[:0], x.open[:0], 0, 0, 0
	if x.fresh = len(d.table().b) == 0 && d.root == nil; !x.fresh {
		return
	}
	if len(x.entries) > keptEntries {
		x.entries = nil
	}
	clear(x.entries)
}

// keptEntries is how many entries a builder keeps.
const keptEntries = 1 << 10

// entry returns the entry of a name, which is added to the document if need be.
func (x *builder) entry(name []byte) *entry {
	if len(x.entries) == 0 {
		x.entries = make([]entry, 64)
	}
	mask := uint32(len(x.entries) - 1)
	for i := hash(name) & mask; ; i = (i + 1) & mask {
		e := &x.entries[i]
		if e.name == 0 {
			return x.enter(name, x.d.table().append(name))
		}
		if text(x.d.table().text(e.name-1)) == text(name) {
			return e
		}
	}
}

// enter adds the entry of a name that has none.
func (x *builder) enter(name []byte, at uint32) *entry {
	if x.names++; x.names*4 > len(x.entries)*3 {
		old := x.entries
		x.entries = make([]entry, max(64, 2*len(old)))
		for _, e := range old {
			if e.name != 0 {
				*x.vacant(x.d.table().text(e.name - 1)) = e
			}
		}
	}
	e := x.vacant(name)
	e.name, e.serial = at+1, 0
	return e
}

// vacant returns the empty entry where a name belongs.
func (x *builder) vacant(name []byte) *entry {
	mask := uint32(len(x.entries) - 1)
	i := hash(name) & mask
	for x.entries[i].name != 0 {
		i = (i + 1) & mask
	}
	return &x.entries[i]
}

// begin opens a container.
func (x *builder) begin(object bool) {
	tag := tagArray
	if object {
		tag = tagObject
		x.serial++
	}
	start := len(x.b)
	x.b = append(x.b, tag, 0, 0, 0, 0)[:start+headOf(tag)]
	x.open = append(x.open, level{start: start, body: len(x.b), child: len(x.b), object: object, serial: x.serial})
}

// name begins a member of the innermost container, an object. The last one of several with the same
// name counts, in the place of the first.
func (x *builder) name(name []byte) {
	in := &x.open[len(x.open)-1]
	e := x.entry(name)
	switch {
	case e.serial < in.serial: // no object had it since this one was opened
	case e.serial == in.serial:
		in.twice = true
	default: // an object in this one had it
		in.twice = x.has(in, e.name-1)
	}
	e.serial = in.serial
	x.b = binary.AppendUvarint(x.b, uint64(e.name-1))
}

// member begins a member that the innermost container does not have yet.
func (x *builder) member(name []byte) {
	at := uint32(0)
	if x.fresh {
		at = x.entry(name).name - 1
	} else {
		at = x.d.table().add(name)
	}
	x.b = binary.AppendUvarint(x.b, uint64(at))
}

// has reports whether the object that is being built has a member.
func (x *builder) has(in *level, name uint32) bool {
	if in.box != nil && in.box.index != nil {
		if _, ok := x.d.tree.member(in.box, x.d.tree.names.text(name)); ok {
			return true
		}
	} else if in.box != nil {
		for _, p := range in.box.pages {
			if at, _, _ := memberAt(x.d.tree.cells[p.cell].bytes(), name); at >= 0 {
				return true
			}
		}
	}
	at, _, _ := memberAt(x.b[in.body:in.child], name)
	return at >= 0
}

// memberAt returns where in packed members one begins, its value, and where it ends; -1 if there is
// none.
func memberAt(b []byte, name uint32) (at, value, end int) {
	for at < len(b) {
		one, n := nameOf(b[at:])
		end = at + n + sizeOf(b[at+n:])
		if one == name {
			return at, at + n, end
		}
		at = end
	}
	return -1, 0, 0
}

// done ends the value that is being built.
func (x *builder) done() {
	if len(x.open) == 0 {
		return
	}
	in := &x.open[len(x.open)-1]
	if in.twice {
		in.twice = false
		x.replace(in)
	} else {
		in.members++
	}
	in.child = len(x.b)
	if x.d.tree != nil && len(x.b)-in.start > pageBytes {
		x.flush(in)
	}
}

// replace gives a member that is there already the value that was built last.
func (x *builder) replace(in *level) {
	name, n := nameOf(x.b[in.child:])
	fresh := slices.Clone(x.b[in.child+n:])
	x.b = x.b[:in.child]
	if _, value, end := memberAt(x.b[in.body:], name); end > 0 {
		value, end = value+in.body, end+in.body
		x.freeValue(x.b[value:end])
		x.b = slices.Replace(x.b, value, end, fresh...)
		return
	}
	for i, p := range in.box.pages {
		b := x.d.tree.cells[p.cell].bytes()
		if _, value, end := memberAt(b, name); end > 0 {
			x.freeValue(b[value:end])
			x.d.tree.splice(p.cell, value, end, fresh)
			x.d.tree.relieve(in.box, i)
			return
		}
	}
}

func (x *builder) freeValue(b []byte) {
	if x.d.tree != nil {
		x.d.tree.freeValue(b)
	}
}

// flush moves the children of a container to its pages.
func (x *builder) flush(in *level) {
	if in.box == nil {
		in.box = &box{object: in.object}
	}
	x.d.tree.fill(in.box, x.b[in.body:])
	x.b = x.b[:in.body]
	in.child = len(x.b)
}

// end closes the innermost container.
func (x *builder) end() {
	in := &x.open[len(x.open)-1]
	size := len(x.b) - in.body
	if x.d.tree != nil && (in.box != nil || size > nearBytes) {
		if size > 0 {
			x.flush(in)
		}
		tag := tagFarArray
		if in.object {
			tag = tagFarObject
		}
		x.b = appendFar(x.b[:in.start], tag, x.d.tree.addBox(in.box))
	} else {
		setLength(x.b[in.start:], size)
		if !in.object {
			setCount(x.b[in.start:], in.members)
		}
	}
	x.open = x.open[:len(x.open)-1]
	x.done()
}

// text packs a text.
func (x *builder) text(t []byte) {
	if x.d.tree != nil && len(t) > nearText {
		x.b = appendFar(x.b, tagFarText, x.d.tree.add(t))
	} else {
		x.b = append(appendTextHead(x.b, len(t)), t...)
	}
	x.done()
}

// full reports whether more is packed than there may be.
func (x *builder) full() bool { return x.most > 0 && len(x.b) > x.most }

// copy packs a value of any document. It stops when it is full.
func (x *builder) copy(v Value) {
	switch v.Kind() {
	case String:
		if !x.tooLong(len(v.Text())) {
			x.text(v.Text())
		}
	case Array, Object:
		object := v.Kind() == Object
		x.begin(object)
		for c := v.Children(); c.Next() && !x.full(); {
			if object {
				x.member(c.Name())
			}
			x.copy(c.Value())
		}
		x.end()
	default:
		x.b = append(x.b, v.b[:sizeOf(v.b)]...)
		x.done()
	}
}

// tooLong reports whether a text of n bytes is more than there is room for, and makes the builder
// full then.
func (x *builder) tooLong(n int) bool {
	if x.most == 0 || len(x.b)+n <= x.most {
		return false
	}
	x.b = append(x.b, make([]byte, x.most+1-len(x.b))...)
	return true
}

// finish makes what was packed the root of d, which was empty before.
func (x *builder) finish(d *Doc) {
	switch {
	case d.tree != nil:
		d.tree.names.b = slices.Clip(slices.Clone(d.tree.names.b))
		d.table().swept = uint32(len(d.table().b))
		d.tree.setRoot(x.b)
		d.tree.swept = d.tree.held
	case lengthBytes+len(d.table().b)+len(x.b) <= smallBytes:
		d.setPacked(d.names.b, x.b)
	default:
		d.root = x.b
		d.grow()
	}
}
