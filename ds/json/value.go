package json

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"
)

// Value is a value in a document, or a scalar of its own. It is valid until the document changes.
// The zero Value is no value.
type Value struct {
	d *Doc
	b []byte // begins with the packed value
}

// Values of no document.
var (
	EmptyArray  = Value{b: []byte{tagArray, 0, 0, 0, 0}}
	EmptyObject = Value{b: []byte{tagObject, 0, 0}}
	NullValue   = Value{b: []byte{tagNull}}
	False       = Value{b: []byte{tagFalse}}
	True        = Value{b: []byte{tagTrue}}
	Zero        = Value{b: []byte{tagSmall}}
)

// Scalar makes numbers of no document, each in the memory of the one before.
type Scalar struct{ b [9]byte }

// Int returns an Integer.
func (s *Scalar) Int(n int64) Value { return Value{b: appendInt(s.b[:0], n)} }

// Number returns a Number. f is finite.
func (s *Scalar) Number(f float64) Value { return Value{b: appendDouble(s.b[:0], f)} }

// TextValue returns a String of no document, which aliases t. t is UTF-8.
func TextValue(t []byte) Value {
	d := &Doc{tree: &tree{cells: []cell{{unsafe.Pointer(unsafe.SliceData(t)), uint32(len(t)), uint32(len(t))}}}}
	return Value{d, appendFar(nil, tagFarText, 0)}
}

// Exists reports whether v is a value.
func (v Value) Exists() bool { return len(v.b) > 0 }

// Kind returns what v is.
func (v Value) Kind() Kind { return kindOf(v.b[0]) }

// Bool returns a Boolean.
func (v Value) Bool() bool { return v.b[0] == tagTrue }

// Int returns an Integer; ok is false if it is above all of int64: see Uint.
func (v Value) Int() (n int64, ok bool) {
	order := binary.LittleEndian
	switch tag := v.b[0]; tag {
	case tagInt8:
		return int64(int8(v.b[1])), true
	case tagInt16:
		return int64(int16(order.Uint16(v.b[1:]))), true
	case tagInt32:
		return int64(int32(order.Uint32(v.b[1:]))), true
	case tagInt64:
		return int64(order.Uint64(v.b[1:])), true
	case tagUint64:
		return 0, false
	default:
		return int64(tag - tagSmall), true
	}
}

// Uint returns an Integer for which Int has no room.
func (v Value) Uint() uint64 { return binary.LittleEndian.Uint64(v.b[1:]) }

// powers are those of 10.
var powers = [maxScale + 1]float64{1, 10, 100, 1000, 10000, 100000}

// Float returns a Number, or an Integer as one, rounded if it must be.
func (v Value) Float() float64 {
	switch v.b[0] {
	case tagFloat32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.b[1:])))
	case tagDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.b[1:]))
	}
	if tag := v.b[0]; tag >= tagDecimal16 && tag < tagsEnd {
		n, scale := decimalOf(v.b)
		return float64(n) / powers[scale]
	}
	if n, ok := v.Int(); ok {
		return float64(n)
	}
	return float64(v.Uint())
}

// Text returns a String, not escaped. It belongs to the document.
func (v Value) Text() []byte {
	switch tag := v.b[0]; tag {
	case tagText8:
		return v.b[2 : 2+int(v.b[1])]
	case tagText16:
		return v.b[objectHead : objectHead+lengthOf(v.b)]
	case tagFarText:
		return v.d.tree.cells[place(v.b)].bytes()
	default:
		return v.b[1 : 1+int(tag-tagShort)]
	}
}

// Len returns the number of elements of an Array or members of an Object. O(bytes) of a small
// object, else O(1).
func (v Value) Len() (n int) {
	switch tag := v.b[0]; {
	case isFar(tag):
		return v.d.tree.boxes[place(v.b)].count
	case tag == tagArray:
		return countOf(v.b)
	}
	for c := v.Children(); c.Next(); n++ {
	}
	return n
}

// Element returns element i of an Array, or the value of member i of an Object; ok is false if
// there is none. O(bytes of a page + pages).
func (v Value) Element(i int) (e Value, ok bool) {
	if i < 0 {
		return Value{}, false
	}
	c := v.Children()
	c.Skip(i)
	if !c.Next() {
		return Value{}, false
	}
	return c.Value(), true
}

// Member returns the value of the member of that name; ok is false if there is none. at is its
// index. O(bytes) if the object is small, O(pages) if it is large.
func (v Value) Member(name []byte) (m Value, at int, ok bool) {
	c := v.Children()
	if c.box != nil && c.box.index != nil {
		m, ok := v.d.tree.member(c.box, name)
		if !ok {
			return Value{}, 0, false
		}
		_, first := v.d.tree.pageOf(c.box, m.cell)
		c.b = v.d.tree.cells[m.cell].bytes()[m.at:]
		c.Next()
		return c.Value(), first + m.nth, true
	}
	for ; c.Next(); at++ {
		if c.object && text(c.Name()) == text(name) {
			return c.Value(), at, true
		}
	}
	return Value{}, 0, false
}

// Child returns child i of a container, which there must be, and of an Object its name. It is for
// changes, which look at one child after the other.
func (v Value) Child(i int) (name []byte, child Value) {
	c := v.Children()
	i = c.enter(i)
	at, i := v.d.walk(c.b, c.object, i)
	c.b = c.b[at:]
	for ; i > 0 && c.Next(); i-- {
	}
	c.Next()
	if c.object {
		name = c.Name()
	}
	return name, c.Value()
}

// Equal reports whether two values are the same: of one kind, arrays with equal elements in order,
// objects with equal members in any order. 1 is not 1.0. O(bytes), times the members of large
// objects.
func Equal(a, b Value) bool {
	kind := a.Kind()
	if kind != b.Kind() {
		return false
	}
	switch kind {
	case Null:
		return true
	case Boolean:
		return a.Bool() == b.Bool()
	case Integer:
		return bytes.Equal(a.b[:sizeOf(a.b)], b.b[:sizeOf(b.b)])
	case Number:
		return a.Float() == b.Float()
	case String:
		return bytes.Equal(a.Text(), b.Text())
	}
	if a.Len() != b.Len() {
		return false
	}
	other := b.Children()
	for c := a.Children(); c.Next(); {
		var one Value
		if c.object {
			one, _, _ = b.Member(c.Name())
		} else {
			other.Next()
			one = other.Value()
		}
		if !one.Exists() || !Equal(c.Value(), one) {
			return false
		}
	}
	return true
}

// Bytes returns what the value takes in its document: packed, and in its cells. O(bytes).
func (v Value) Bytes() int {
	n := sizeOf(v.b)
	switch v.b[0] {
	case tagFarText:
		return n + int(v.d.tree.cells[place(v.b)].room)
	case tagFarArray, tagFarObject:
		x := v.d.tree.boxes[place(v.b)]
		n += x.bytes()
		for _, p := range x.pages {
			n += int(v.d.tree.cells[p.cell].room - v.d.tree.cells[p.cell].used)
		}
	case tagArray, tagObject:
		n = headOf(v.b[0])
	default:
		return n
	}
	for c := v.Children(); c.Next(); {
		n += c.named + c.Value().Bytes()
	}
	return n
}

// Children walks over the elements of an Array, or the members of an Object in their order.
type Children struct {
	d      *Doc
	b      []byte // what follows, in this page
	v      []byte // begins with the value
	box    *box   // nil if the container is small
	page   int    // the next one
	name   uint32
	named  int // bytes of the name in the page
	object bool
}

// Children returns a walk before the first child of an Array or Object; of another value there are
// none.
func (v Value) Children() Children {
	c := Children{d: v.d}
	switch tag := v.b[0]; tag {
	case tagArray, tagObject:
		c.b, c.object = bodyOf(v.b), tag == tagObject
	case tagFarArray, tagFarObject:
		c.box, c.object = v.d.tree.boxes[place(v.b)], tag == tagFarObject
	}
	return c
}

// Next goes to the next child, and reports whether there is one.
func (c *Children) Next() bool {
	for len(c.b) == 0 {
		if c.box == nil || c.page == len(c.box.pages) {
			return false
		}
		c.b = c.d.tree.cells[c.box.pages[c.page].cell].bytes()
		c.page++
	}
	if c.object {
		name, n := nameOf(c.b)
		c.name, c.named, c.b = name, n, c.b[n:]
	}
	c.v = c.b
	c.b = c.b[sizeOf(c.b):]
	return true
}

// Value returns the child.
func (c *Children) Value() Value { return Value{c.d, c.v} }

// Name returns the name of the member. It belongs to the document.
func (c *Children) Name() []byte { return c.d.table().text(c.name) }

// Skip passes over n children before the first call of Next. O(bytes of a page + pages).
func (c *Children) Skip(n int) {
	n = c.enter(n)
	if c.d != nil {
		at, left := c.d.trailOf().skip(c.b, n)
		c.b, n = c.b[at:], left
	}
	for ; n > 0 && c.Next(); n-- {
	}
}

// enter goes to the page of child i before the first call of Next, and returns the child's index
// there.
func (c *Children) enter(i int) int {
	if c.box != nil && len(c.box.pages) > 0 {
		c.page, i = c.box.seek(i)
		c.b = c.d.tree.cells[c.box.pages[c.page].cell].bytes()
		c.page++
	}
	return i
}
