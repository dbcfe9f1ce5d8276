package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/str"
)

// memory is where the entries of a database lie. It lays them out, gives them other values, and
// accounts for their bytes. It knows neither hashes nor deadlines.
//
//	newEntry         a cell with key and value, or a cell and a box
//	setValue, refit  another value, or room for a deadline: in the same cell, or in another one,
//	                 which then has the place of the old one in the table
//	discard, drop    the cell is free when the command ends, see cells.go
type memory struct {
	ks     *Keyspace
	cells  *slab.Slab // of the entries, and of the table and the indexes
	boxes  *boxes     // those of the entries, for the collector
	blocks *blocks    // of the boxed values
	bytes  int        // of all entries, what their boxes hold included
}

func newMemory(ks *Keyspace) memory {
	return memory{ks: ks, cells: new(slab.Slab), boxes: new(boxes), blocks: newBlocks(ks)}
}

// join lets what was filled in another keyspace belong to ks.
func (m *memory) join(ks *Keyspace) { m.ks, m.blocks.ks = ks, ks }

// newEntry lays out an entry for v, packed if it fits.
func (m *memory) newEntry(key string, v Value, withDeadline bool) entry {
	if k, payload, ok := m.ks.pack(v, len(key)); ok {
		return m.newPacked(k, key, payload, withDeadline)
	}
	ks := m.ks
	if text, ok := v.(*str.Value); ok && ks.views.owns(v) && !ks.views.grown(text) {
		return m.newBoxed(key, text.Clone(), withDeadline)
	}
	return m.newBoxed(key, ks.views.keep(v), withDeadline)
}

// newCell returns a cell with a header, and room for a deadline if the key is to have one, followed
// by n bytes.
func (m *memory) newCell(k kind, withDeadline bool, n int) entry {
	room := 0
	if withDeadline {
		k |= dated
		room = deadlineSize
	}
	e := entry{m.cells.Alloc(headerSize + room + n)}
	*e.head() = header{access: uint32(k) << 24}
	if withDeadline {
		*e.head().deadlineRoom() = 0
	}
	return e
}

// newPacked lays out a packed entry.
func (m *memory) newPacked(k kind, key string, payload []byte, withDeadline bool) entry {
	e := m.newCell(k, withDeadline, len(key)+len(payload))
	h := e.head()
	h.klen, h.vlen = uint16(len(key)), uint16(len(payload))
	mem := unsafe.Slice((*byte)(unsafe.Add(e.p, h.size())), len(key)+len(payload))
	copy(mem, key)
	copy(mem[len(key):], payload)
	return e
}

// newBoxed lays out a boxed entry. Its box is in boxes from the beginning.
func (m *memory) newBoxed(key string, v Value, withDeadline bool) entry {
	var b *box
	inCell := len(key)
	if inCell > maxCellKey {
		long := &longBox{key: string([]byte(key))}
		b, inCell = &long.box, 0
	} else {
		b = new(box)
	}
	b.value = v
	m.blocks.settle(b)
	m.boxes.add(b)
	e := m.newCell(boxed, withDeadline, pointerSize+inCell)
	e.setBox(b)
	if e.head().klen = uint16(inCell); inCell < len(key) {
		e.head().klen = longKey
		return e
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(e.p, e.head().size()+pointerSize)), inCell), key)
	return e
}

// refit moves the entry in a slot to a cell with or without room for a deadline, and returns it.
func (m *memory) refit(s located, withDeadline bool) entry {
	e, h := s.entry, s.head()
	n := e.cellBytes() - h.size()
	moved := m.newCell(h.kind(), withDeadline, n)
	to := moved.head()
	to.access |= h.access &^ (uint32(kindMask|dated) << 24)
	to.klen, to.vlen = h.klen, h.vlen
	copy(unsafe.Slice((*byte)(unsafe.Add(moved.p, to.size())), n), unsafe.Slice((*byte)(unsafe.Add(e.p, h.size())), n))
	if h.kind() == boxed {
		e.box().cell = slab.RefOf(moved.p)
	}
	m.bytes += slab.Size(moved.cellBytes()) - slab.Size(e.cellBytes())
	*s.ref = slab.RefOf(moved.p)
	m.discard(e)
	return moved
}

func (m *memory) setValue(s located, v Value, withDeadline bool) entry {
	wasBoxed := s.head().kind() == boxed
	if wasBoxed && s.box().value == v {
		return m.updated(s, withDeadline)
	}
	if wasBoxed && s.box().accounted >= largeValue {
		m.ks.views.release()
	}
	key := s.Key()
	k, payload, ok := m.ks.pack(v, len(key))
	switch {
	case ok && s.repack(k, payload, withDeadline):
		return s.entry
	case ok:
		return m.replace(s, m.newPacked(k, key, payload, withDeadline))
	case wasBoxed:
		m.replaceValue(s.box(), v)
		return s.entry
	default:
		return m.replace(s, m.newBoxed(key, m.ks.views.keep(v), withDeadline))
	}
}

// updated accounts for the value in a box, which was changed. A collection that has become small is
// packed again.
func (m *memory) updated(s located, withDeadline bool) entry {
	b := s.box()
	if !b.settled && asSettled(b.value) != nil {
		if k, payload, ok := m.ks.pack(b.value, len(s.Key())); ok {
			return m.replace(s, m.newPacked(k, s.Key(), payload, withDeadline))
		}
	}
	m.blocks.settle(b)
	return s.entry
}

// replace puts another entry of the same key into a slot, and returns it.
func (m *memory) replace(s located, e entry) entry {
	e.head().inherit(s.head())
	*s.ref = slab.RefOf(e.p)
	m.drop(s.entry)
	return e
}

// replaceValue puts v in place of the value in the box, a copy if v is a view. A string is copied
// into the memory of the one before it, unless a snapshot still needs that.
func (m *memory) replaceValue(b *box, v Value) {
	ks := m.ks
	old, wasString := b.value.(*str.Value)
	text, isString := v.(*str.Value)
	if wasString && isString && ks.views.owns(v) && !ks.views.grown(text) && !ks.inSnapshot(old) {
		old.Assign(text)
	} else {
		m.blocks.drop(b.value)
		b.value = ks.views.keep(v)
	}
	m.blocks.settleNew(b)
}

// settle accounts for the value in a box of the table, which has changed.
func (m *memory) settle(b *box) {
	m.bytes -= b.accounted
	m.blocks.settle(b)
	m.bytes += b.accounted
}

// discard marks the cell of an entry that left its table, moved, or never came into the table, as
// freed.
func (m *memory) discard(e entry) {
	m.ks.freed = append(m.ks.freed, freedCell{m.cells, e.p})
}

// drop is discard for an entry whose box and value, if it has one, go with it.
func (m *memory) drop(e entry) {
	if e.head().kind() == boxed {
		m.blocks.drop(e.box().value)
		m.boxes.remove(e)
	}
	m.discard(e)
}
