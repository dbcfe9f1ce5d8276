package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Layout lists what a key costs, in bytes.
type Layout struct {
	Packed   bool // header, key and value are one cell of a slab
	Header   int  // deadline, access data, lengths; boxed: also what points to the rest
	Key      int  // the key's text
	Value    int  // the payload; boxed: all that the value holds
	Rounding int  // what the slab or the allocator gave beyond that
	Slot     int  // the pointer in the table of keys
	Index    int  // the items in the indexes of deadlines
}

// Bytes returns the sum.
func (l Layout) Bytes() int {
	return l.Header + l.Key + l.Value + l.Rounding + l.Slot + l.Index
}

const slotBytes = int(unsafe.Sizeof(entry{}))

// Layout returns what key costs; false if it is not visible. It records no access. O(1).
func (db *DB) Layout(key []byte) (l Layout, ok bool) {
	e := db.lookup(dict.Key(key))
	if e == nil {
		return l, false
	}
	h := e.head()
	if h.kind() == boxed {
		l = boxedLayout(len(key), e.box().accounted)
	} else {
		l = packedLayout(len(key), int(h.vlen))
	}
	if h.hasFlag(indexed) {
		l.Index = int(unsafe.Sizeof(indexItem{}))
	}
	if h.hasFlag(hasElementDeadlines) {
		l.Index += int(unsafe.Sizeof(indexItem{}))
	}
	return l, true
}

// PackedLayout returns what a key of n bytes would cost with a collection of that many packed bytes,
// a ziplist or an intset: in the entry if that stays small, else in a box. O(1).
func PackedLayout(n, payload int, t Type) Layout {
	if headerSize+n+payload <= packMax {
		return packedLayout(n, payload)
	}
	return boxedLayout(n, structBytes[t]+sizeclass.Round(payload))
}

// BoxedLayout returns what a key of n bytes would cost with the value v in a box. O(1).
func BoxedLayout(n int, v Value) Layout { return boxedLayout(n, heldBytes(v)) }

func packedLayout(n, payload int) Layout {
	l := Layout{Packed: true, Header: headerSize, Key: n, Value: payload, Slot: slotBytes}
	l.Rounding = slab.Size(headerSize+n+payload) - headerSize - n - payload
	return l
}

func boxedLayout(n, value int) Layout {
	l := Layout{Header: int(unsafe.Sizeof(box{})), Key: n, Value: value, Slot: slotBytes}
	l.Rounding = boxSize - l.Header + sizeclass.Round(n) - n
	return l
}

// Overhead returns the bytes of the table of keys and of the indexes of deadlines, which Bytes counts
// beside the entries. O(1).
func (db *DB) Overhead() (table, index int) {
	return db.table.Bytes() + db.boxes.bytes(), indexBytes(db.index) + indexBytes(db.elements)
}
