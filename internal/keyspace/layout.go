package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Layout lists what a key costs, in bytes.
type Layout struct {
	Packed   bool // header, key and value are one cell of a slab
	Header   int  // access data, lengths, the deadline if there is one; boxed: also the box
	Key      int  // the key's text
	Value    int  // the payload; boxed: all that the value holds
	Rounding int  // what the slab or the allocator gave beyond that
	Slot     int  // the reference and the fingerprint in the table of keys
	Index    int  // the items in the indexes of deadlines
}

// Bytes returns the sum.
func (l Layout) Bytes() int {
	return l.Header + l.Key + l.Value + l.Rounding + l.Slot + l.Index
}

const slotBytes = int(unsafe.Sizeof(slab.Ref(0))) + 1

// Usage is what a database and its keys take, in bytes.
type Usage struct{ db *DB }

// Usage returns the database's.
func (db *DB) Usage() Usage { return Usage{db} }

// Key returns what one key costs: its entry, its slot in the table and its item in the index of
// deadlines; 0 if it is not visible.
func (u Usage) Key(key []byte) int {
	l, _ := u.Layout(key)
	return l.Bytes()
}

// Layout returns what key costs; false if it is not visible. It records no access. O(1).
func (u Usage) Layout(key []byte) (l Layout, ok bool) {
	e := u.db.lookup(dict.Key(key))
	if e.absent() {
		return l, false
	}
	h := e.head()
	if h.kind() == boxed {
		l = boxedLayout(h.size(), len(key), e.box().accounted)
	} else {
		l = packedLayout(h.size(), len(key), int(h.vlen))
	}
	if h.hasFlag(dated) {
		l.Index = deadlines.ItemBytes
	}
	if h.hasFlag(hasElementDeadlines) {
		l.Index += deadlines.ItemBytes
	}
	return l, true
}

// PackedLayout returns what a key of n bytes would cost with a collection of that many packed
// bytes, a ziplist or an intset: in the entry if that stays small, else in a box. O(1).
func PackedLayout(n, payload int, t Type) Layout {
	if headerSize+deadlineSize+n+payload <= packMax {
		return packedLayout(headerSize, n, payload)
	}
	return boxedLayout(headerSize, n, t.Size+sizeclass.Round(payload))
}

// BoxedLayout returns what a key of n bytes would cost with the value v in a box. O(1).
func BoxedLayout(n int, v Value) Layout { return boxedLayout(headerSize, n, heldBytes(v)) }

func packedLayout(header, n, payload int) Layout {
	l := Layout{Packed: true, Header: header, Key: n, Value: payload, Slot: slotBytes}
	l.Rounding = slab.Size(header+n+payload) - header - n - payload
	return l
}

func boxedLayout(header, n, value int) Layout {
	l := Layout{Header: header + pointerSize + int(unsafe.Sizeof(box{})), Key: n, Value: value, Slot: slotBytes}
	if n <= maxCellKey {
		l.Rounding = slab.Size(header+pointerSize+n) - header - pointerSize - n + boxSize - int(unsafe.Sizeof(box{}))
		return l
	}
	l.Header += int(unsafe.Sizeof(longBox{}) - unsafe.Sizeof(box{}))
	l.Rounding = slab.Size(header+pointerSize) - header - pointerSize + longBoxSize - int(unsafe.Sizeof(longBox{})) +
		sizeclass.Round(n) - n
	return l
}

// Bytes returns the bytes held by the entries, the table and the indexes.
func (u Usage) Bytes() int {
	return u.db.memory.bytes + u.db.table.Bytes() + u.db.memory.boxes.bytes() + u.db.expires.index.Bytes() +
		u.db.elements.index.Bytes() + u.db.indexes.bytes()
}

// Overhead returns the bytes of the table of keys and of the indexes of deadlines, which Bytes
// counts beside the entries. O(1).
func (u Usage) Overhead() (table, index int) {
	return u.db.table.Bytes() + u.db.memory.boxes.bytes(), u.db.expires.index.Bytes() + u.db.elements.index.Bytes()
}

// Bytes returns the bytes that all databases hold. With maxmemory it runs before each command.
func (ks *Keyspace) Bytes() (n int) {
	for _, db := range ks.dbs[:ks.used] {
		n += db.Usage().Bytes()
	}
	return n
}
