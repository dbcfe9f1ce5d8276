package json

import (
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
)

// tree is where the values of a large document lie:
//
//	cells   0     the root
//	        n     a page: some children of a large container; or a long text
//	boxes   n     a large container: its pages, in order
//
// What is packed in a page or in the root tells the places of the far values in it.
type tree struct {
	names     names
	cells     []cell
	freeCells []uint32
	boxes     []*box
	freeBoxes []uint32
	held      int          // bytes of all cells
	swept     int          // the same when the document was built
	boxed     int          // bytes of all boxes
	mem       value.Memory // nil until the document is settled
	trail     *trail       // of changes that are not settled yet
	farWays   int          // how many went far
}

const (
	// pageBytes is what a page holds at most.
	pageBytes = 2 << 10
	// nearBytes is what a container holds at most that is packed in its parent when it is made.
	nearBytes = 1 << 10
	// nearText is the length of the longest text that is packed in its parent.
	nearText = 512
	// minCell is what the smallest cell holds.
	minCell = 16
	// fewPages is the number of pages of an object that are looked through without an index.
	fewPages = 2
)

// cell is a piece of memory without pointers.
type cell struct {
	p    unsafe.Pointer
	used uint32
	room uint32
}

func (c cell) bytes() []byte { return unsafe.Slice((*byte)(c.p), c.room)[:c.used] }

// box is a large container.
type box struct {
	object bool
	count  int // children
	pages  []page
	index  *index // of the members of an object with many pages; else nil
	held   int    // bytes, as the tree counts them
	hand   hand
	groups groups // of pages; nil if they are few, or not looked for since they moved
}

// page is some children of a large container, which lie in a cell.
type page struct {
	cell  uint32
	count uint32
}

var (
	treeSize = sizeclass.RoundScanned(int(unsafe.Sizeof(tree{})))
	boxSize  = sizeclass.RoundScanned(int(unsafe.Sizeof(box{})))
)

// bytes returns what the tree takes.
func (t *tree) bytes() int {
	return treeSize + t.names.bytes() + t.held + t.boxed +
		sizeclass.RoundScanned(cap(t.cells)*int(unsafe.Sizeof(cell{}))) + sizeclass.RoundScanned(8*cap(t.boxes)) +
		sizeclass.Round(4*cap(t.freeCells)) + sizeclass.Round(4*cap(t.freeBoxes))
}

// weigh counts the bytes of a box anew.
func (t *tree) weigh(x *box) {
	t.boxed -= x.held
	x.held = x.bytes()
	t.boxed += x.held
}

func (x *box) bytes() int {
	return boxSize + sizeclass.Round(cap(x.pages)*int(unsafe.Sizeof(page{}))) + x.index.bytes() +
		len(x.pages)/groupPages*4
}

// inBlock reports whether a cell of that size is in a block of the memory.
func (t *tree) inBlock(room uint32) bool { return t.mem != nil && room <= slab.MaxCell }

// newCell returns a cell with room for n bytes. The cell has them, and they are arbitrary.
func (t *tree) newCell(n int) cell {
	if t.mem != nil && n <= slab.MaxCell {
		p, held := t.mem.Block(n)
		t.held += held
		return cell{p, uint32(n), uint32(held)}
	}
	room := sizeclass.Round(n)
	t.held += room
	return cell{unsafe.Pointer(unsafe.SliceData(make([]byte, room))), uint32(n), uint32(room)}
}

// release frees the memory of a cell, if it is in use.
func (t *tree) release(c cell) {
	t.held -= int(c.room)
	if c.p != nil && t.inBlock(c.room) {
		t.mem.FreeBlock(c.p, int(c.room))
	}
}

// releaseAll frees the memory of all cells.
func (t *tree) releaseAll() {
	for _, c := range t.cells {
		t.release(c)
	}
}

// setRoot gives a new tree its root.
func (t *tree) setRoot(b []byte) {
	if t.cells[0] = t.newCell(len(b)); len(b) <= pageBytes {
		copy(t.cells[0].bytes(), b)
		return
	}
	packed := t.far(b)
	t.splice(0, 0, len(b), packed)
}

// add puts bytes into a new cell, and returns its place.
func (t *tree) add(b []byte) (at uint32) {
	c := t.newCell(max(len(b), minCell))
	c.used = uint32(copy(c.bytes(), b))
	if last := len(t.freeCells) - 1; last >= 0 {
		at, t.freeCells = t.freeCells[last], t.freeCells[:last]
		t.cells[at] = c
		return at
	}
	t.cells = append(t.cells, c)
	return uint32(len(t.cells) - 1)
}

// drop frees a cell.
func (t *tree) drop(at uint32) {
	t.release(t.cells[at])
	t.cells[at] = cell{}
	t.freeCells = append(t.freeCells, at)
}

// addBox returns the place of a new container.
func (t *tree) addBox(x *box) (at uint32) {
	t.weigh(x)
	if last := len(t.freeBoxes) - 1; last >= 0 {
		at, t.freeBoxes = t.freeBoxes[last], t.freeBoxes[:last]
		t.boxes[at] = x
		return at
	}
	t.boxes = append(t.boxes, x)
	return uint32(len(t.boxes) - 1)
}

// splice replaces the bytes of a cell from one place to another.
func (t *tree) splice(at uint32, from, to int, with []byte) {
	old := t.cells[at]
	t.trail.cut(old.bytes(), from)
	if len(with) == to-from {
		copy(old.bytes()[from:], with)
		return
	}
	size := int(old.used) - (to - from) + len(with)
	if size > int(old.room) || 2*size < int(old.room) && size >= minCell {
		next := t.newCell(size)
		b := append(append(next.bytes()[:0], old.bytes()[:from]...), with...)
		copy(b[len(b):size], old.bytes()[to:])
		t.cells[at] = next
		t.release(old)
		return
	}
	t.cells[at].used = uint32(size)
	whole := unsafe.Slice((*byte)(old.p), old.room)
	copy(whole[from+len(with):size], whole[to:old.used])
	copy(whole[from:], with)
}

// free frees what lies elsewhere of packed children.
func (t *tree) free(b []byte, object bool) {
	for len(b) > 0 {
		if object {
			_, n := nameOf(b)
			b = b[n:]
		}
		n := sizeOf(b)
		t.freeValue(b[:n])
		b = b[n:]
	}
}

// freeValue frees what lies elsewhere of a packed value.
func (t *tree) freeValue(b []byte) {
	switch tag := b[0]; tag {
	case tagArray, tagObject:
		t.free(bodyOf(b), tag == tagObject)
	case tagFarText:
		t.drop(place(b))
	case tagFarArray, tagFarObject:
		at := place(b)
		for _, p := range t.boxes[at].pages {
			t.free(t.cells[p.cell].bytes(), tag == tagFarObject)
			t.drop(p.cell)
		}
		t.boxed -= t.boxes[at].held
		t.boxes[at] = nil
		t.freeBoxes = append(t.freeBoxes, at)
	}
}

// far takes the value at the beginning of b out of its page, a container, and returns what is
// packed in its place.
func (t *tree) far(b []byte) (packed []byte) {
	tag, body := b[0]-tagArray+tagFarArray, bodyOf(b)
	x := &box{object: tag == tagFarObject}
	t.fill(x, body)
	return appendFar(nil, tag, t.addBox(x))
}

// fill adds packed children behind those of a box, in new pages.
func (t *tree) fill(x *box, b []byte) {
	for len(b) > 0 {
		cut, count := firstPage(b, x.object)
		if count == 0 { // a container, as near texts are short
			n := 0
			if x.object {
				_, n = nameOf(b)
			}
			one := t.far(b[n:])
			t.fill(x, slices.Concat(b[:n], one))
			b = b[n+sizeOf(b[n:]):]
			continue
		}
		p := page{t.add(b[:cut]), uint32(count)}
		x.pages, x.groups = append(x.pages, p), nil
		x.count += count
		t.note(x, b[:cut], p.cell)
		b = b[cut:]
	}
	t.makeIndex(x)
}

// firstPage returns how many of the packed children fill a page, and how many bytes they are.
func firstPage(b []byte, object bool) (cut, count int) {
	for cut < len(b) {
		next := cut
		if object {
			_, n := nameOf(b[next:])
			next += n
		}
		if next += sizeOf(b[next:]); next > pageBytes {
			break
		}
		cut = next
		count++
	}
	return cut, count
}

// makeIndex makes the index of an object with many pages that has none.
func (t *tree) makeIndex(x *box) {
	if !x.object || x.index != nil || len(x.pages) <= fewPages || len(t.cells) > mostCells {
		return
	}
	x.index = newIndex(x.count)
	for _, p := range x.pages {
		t.note(x, t.cells[p.cell].bytes(), p.cell)
	}
}

// relieve splits a page that has become too large, or takes the largest container out of it.
func (t *tree) relieve(x *box, at int) {
	for {
		p := x.pages[at]
		b := t.cells[p.cell].bytes()
		if len(b) <= pageBytes {
			return
		}
		from, n := largest(b, x.object)
		if n < nearBytes {
			t.split(x, at)
			continue
		}
		packed := t.far(b[from : from+n])
		t.splice(p.cell, from, from+n, packed)
	}
}

// largest returns where the largest packed child is that is a container, and its size; 0 if there
// is none.
func largest(b []byte, object bool) (at, size int) {
	for i := 0; i < len(b); {
		if object {
			_, n := nameOf(b[i:])
			i += n
		}
		n := sizeOf(b[i:])
		if tag := b[i]; n > size && (tag == tagArray || tag == tagObject) {
			at, size = i, n
		}
		i += n
	}
	return at, size
}

// split makes two pages of one.
func (t *tree) split(x *box, at int) {
	x.moved()
	p := x.pages[at]
	b := t.cells[p.cell].bytes()
	cut, count := 0, 0
	for cut < len(b)/2 {
		next := cut
		if x.object {
			_, n := nameOf(b[next:])
			next += n
		}
		if next += sizeOf(b[next:]); next == len(b) && count > 0 {
			break // neither page is empty
		}
		cut = next
		count++
	}
	next := page{t.add(b[cut:]), p.count - uint32(count)}
	t.move(x, b[cut:], p.cell, next.cell)
	t.splice(p.cell, cut, len(b), nil)
	x.pages[at].count = uint32(count)
	x.pages = slices.Insert(x.pages, at+1, next)
	t.makeIndex(x)
}

// merge joins a page that has become small with one beside it, if both have room in one, and
// removes it if it is empty.
func (t *tree) merge(x *box, at int) {
	used := func(i int) int { return int(t.cells[x.pages[i].cell].used) }
	switch {
	case used(at) == 0:
		x.moved()
		t.drop(x.pages[at].cell)
		x.pages = slices.Delete(x.pages, at, at+1)
		return
	case used(at) > pageBytes/4:
		return
	case at+1 < len(x.pages) && used(at)+used(at+1) <= pageBytes*3/4:
	case at > 0 && used(at)+used(at-1) <= pageBytes*3/4:
		at--
	default:
		return
	}
	x.moved()
	to, from := x.pages[at], x.pages[at+1]
	moved := t.cells[from.cell].bytes()
	t.move(x, moved, from.cell, to.cell)
	t.splice(to.cell, used(at), used(at), moved)
	t.drop(from.cell)
	x.pages[at].count += from.count
	x.pages = slices.Delete(x.pages, at+1, at+2)
}

// clone returns a copy in Go's heap.
func (t *tree) clone() *tree {
	c := &tree{names: t.names.clone(), freeCells: slices.Clone(t.freeCells), freeBoxes: slices.Clone(t.freeBoxes)}
	c.cells, c.boxes = make([]cell, len(t.cells)), make([]*box, len(t.boxes))
	for i, one := range t.cells {
		if one.p != nil {
			c.cells[i] = c.newCell(int(one.used))
			copy(c.cells[i].bytes(), one.bytes())
		}
	}
	for i, x := range t.boxes {
		if x != nil {
			c.boxes[i] = &box{object: x.object, count: x.count, pages: slices.Clone(x.pages), index: x.index.clone()}
			c.weigh(c.boxes[i])
		}
	}
	return c
}

// An index says in which pages the members of a large object are: a hash table with linear probing,
// that does not tell members of one page apart whose names have the same print.
type index struct {
	slots []slot // a power of two
	used  int    // slots that are not 0
}

// A slot is 0, or 1 + the cell of a page, and above that some bits of the hash of a name. One whose
// member has gone is gone.
type slot uint32

const (
	cellBits  = 20
	mostCells = 1<<cellBits - 2 // of a document whose objects have indexes

	gone slot = 1<<32 - 1
)

func newSlot(h, cell uint32) slot { return slot(h>>cellBits<<cellBits | (cell + 1)) }

func (s slot) cell() uint32 { return uint32(s)&(1<<cellBits-1) - 1 }

// sees reports whether a slot may be that of a name with a hash.
func (s slot) sees(h uint32) bool { return s != gone && uint32(s)>>cellBits == h>>cellBits }

func newIndex(members int) *index {
	size := 16
	for members*8 > size*7 {
		size *= 2
	}
	return &index{slots: make([]slot, size)}
}

// first returns the first slot from a name's on for which is is true, or the first that is 0.
func (x *index) first(h uint32, is func(s slot) bool) int {
	i, mask := int(h)&(len(x.slots)-1), len(x.slots)-1
	for x.slots[i] != 0 && !is(x.slots[i]) {
		i = (i + 1) & mask
	}
	return i
}

// memberSpot is where a member of an object with an index is.
type memberSpot struct {
	cell uint32 // of its page
	at   int    // where it begins there
	nth  int    // of the members in the page
}

// member returns where a member is of an object with an index. ok is false if there is none.
func (t *tree) member(x *box, name []byte) (m memberSpot, ok bool) {
	h := hash(name)
	s := x.index.slots[x.index.first(h, func(s slot) bool { return s.sees(h) && t.isIn(s.cell(), name, &m) })]
	return m, s != 0
}

// isIn reports whether a member is in a page, and where.
func (t *tree) isIn(cell uint32, name []byte, m *memberSpot) bool {
	*m = memberSpot{cell: cell}
	for b := t.cells[cell].bytes(); m.at < len(b); m.nth++ {
		one, n := nameOf(b[m.at:])
		if text(t.names.text(one)) == text(name) {
			return true
		}
		m.at += n
		m.at += sizeOf(b[m.at:])
	}
	return false
}

// each calls fn with the hashes of the names of packed members.
func (t *tree) each(b []byte, fn func(h uint32)) {
	for len(b) > 0 {
		name, n := nameOf(b)
		fn(hash(t.names.text(name)))
		b = b[n+sizeOf(b[n:]):]
	}
}

// note notes the page of members that are new. An index without room for them is forgotten: see
// makeIndex.
func (t *tree) note(x *box, b []byte, cell uint32) {
	if x.index == nil {
		return
	}
	t.each(b, func(h uint32) {
		if x.index == nil {
			return
		}
		if (x.index.used+1)*8 > len(x.index.slots)*7 || cell > mostCells {
			x.index = nil
			return
		}
		x.index.slots[x.index.first(h, func(slot) bool { return false })] = newSlot(h, cell)
		x.index.used++
	})
}

// move notes that packed members have gone from one page to another.
func (t *tree) move(x *box, b []byte, from, to uint32) {
	if x.index != nil && to > mostCells {
		x.index = nil
	}
	if x.index == nil {
		return
	}
	t.each(b, func(h uint32) { *x.index.at(h, from) = newSlot(h, to) })
}

// forget notes that a packed member goes.
func (t *tree) forget(x *box, b []byte, from uint32) {
	if x.index != nil {
		t.each(b, func(h uint32) { *x.index.at(h, from) = gone })
	}
}

// at returns the slot of a member, or of one that cannot be told from it.
func (x *index) at(h, cell uint32) *slot {
	return &x.slots[x.first(h, func(s slot) bool { return s.sees(h) && s.cell() == cell })]
}

func (x *index) bytes() int {
	if x == nil {
		return 0
	}
	return sizeclass.Round(int(unsafe.Sizeof(index{}))) + sizeclass.Round(4*cap(x.slots))
}

func (x *index) clone() *index {
	if x == nil {
		return nil
	}
	return &index{slices.Clone(x.slots), x.used}
}
