package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/value"
)

// An entry is one key with its deadline, its access data and its value. It lies in memory in one
// of two ways, told apart by the kind in the header:
//
//	packed  header | key | payload                  one cell of a slab
//	boxed   header | key string, Value, accounted   a box; the value owns memory of its own
//
// Packed is for everything small: the payload is the text of a string, the 8 bytes of an integer,
// or a whole ziplist or intset. The collector does not know of packed entries, and a limiter key of 12 bytes
// with one record is 56 bytes in all.
type entry struct{ p unsafe.Pointer }

// header begins every entry, packed or boxed.
type header struct {
	deadline int64  // milliseconds since the epoch; 0 for none
	access   uint32 // low 24 bits: LRU clock or LFU counter; high 8 bits: kind and flags
	klen     uint16 // packed: bytes of the key; boxed: see boxes
	vlen     uint16 // packed: bytes of the payload
}

type kind uint8

const (
	boxed kind = iota
	packedInt
	packedEmbstr
	packedRaw
	packedZSet
	packedHash
	packedList
	packedSet
	kindMask kind = 0x0f

	indexed             kind = 0x10 // the deadline index holds an item of this entry, at its deadline or before
	exact               kind = 0x20 // ... exactly at its deadline
	snapshotBit         kind = 0x40 // as in Keyspace.snapshotBit if the last snapshot has the entry, or it is younger
	hasElementDeadlines kind = 0x80 // elements of the value have deadlines; only a box's
)

const (
	headerSize = int(unsafe.Sizeof(header{}))
	accessMask = 1<<24 - 1
	// packMax bounds a packed entry: beyond it, rewriting the whole entry for each write costs
	// more than the box saves.
	packMax = slab.MaxCell
)

type box struct {
	header
	key         string
	value       Value
	accounted   int   // bytes of the value at the last commit
	elementItem int64 // deadline of this entry's item in the index of elements, if it has one
}

// boxSize is what the allocator gives for a box.
var boxSize = sizeclass.RoundScanned(int(unsafe.Sizeof(box{})))

func (e entry) head() *header { return (*header)(e.p) }
func (e entry) box() *box     { return (*box)(e.p) }
func (h *header) kind() kind  { return kind(h.access>>24) & kindMask }
func (h *header) hasFlag(f kind) bool {
	return kind(h.access>>24)&f != 0
}
func (h *header) setFlag(f kind)   { h.access |= uint32(f) << 24 }
func (h *header) clearFlag(f kind) { h.access &^= uint32(f) << 24 }
func (h *header) clock() uint32 {
	return h.access & accessMask
}
func (h *header) setClock(c uint32) { h.access = h.access&^accessMask | c&accessMask }

// Key returns the key, aliasing the entry.
func (e entry) Key() string {
	h := e.head()
	switch {
	case h.kind() == boxed:
		return e.box().key
	case h.klen == 0:
		return ""
	}
	return unsafe.String((*byte)(unsafe.Add(e.p, headerSize)), int(h.klen))
}

// payload returns the packed value's bytes, without further capacity so that no append can
// write past them.
func (e entry) payload() []byte {
	h := e.head()
	n := int(h.vlen)
	if n == 0 {
		return nil // the payload of an empty string may begin past the allocation
	}
	return unsafe.Slice((*byte)(unsafe.Add(e.p, headerSize+int(h.klen))), n)
}

// typ returns the type of the entry's value without unpacking it.
func (e entry) typ() Type {
	if k := e.head().kind(); k != boxed {
		return typesOfKinds[k]
	}
	return e.box().value.Type()
}

// bytes returns what the entry holds, allocator rounding included.
func (e entry) bytes() int {
	h := e.head()
	if h.kind() == boxed {
		b := e.box()
		return boxSize + sizeclass.Round(len(b.key)) + b.accounted
	}
	return slab.Size(headerSize + int(h.klen) + int(h.vlen))
}

// newPacked lays out a packed entry.
func (db *DB) newPacked(k kind, key string, payload []byte) entry {
	n := headerSize + len(key) + len(payload)
	e := entry{db.cells.Alloc(n)}
	h := e.head()
	*h = header{}
	h.setFlag(k)
	h.klen, h.vlen = uint16(len(key)), uint16(len(payload))
	mem := unsafe.Slice((*byte)(e.p), n)
	copy(mem[headerSize:], key)
	copy(mem[headerSize+len(key):], payload)
	return e
}

// repack overwrites the payload in place if the cell keeps its size, and reports whether it did.
func (e entry) repack(k kind, payload []byte) bool {
	h := e.head()
	if h.kind() == boxed {
		return false
	}
	base := headerSize + int(h.klen)
	if slab.Size(base+int(h.vlen)) != slab.Size(base+len(payload)) {
		return false
	}
	h.clearFlag(kindMask)
	h.setFlag(k)
	h.vlen = uint16(len(payload))
	if len(payload) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Add(e.p, base)), len(payload)), payload)
	}
	return true
}

func newBoxed(key string, v Value) entry {
	return entry{unsafe.Pointer(&box{key: key, value: v, accounted: heldBytes(v)})}
}

// pack returns the payload of v if it is small enough to be packed with a key of klen bytes.
func pack(v Value, klen int) (k kind, payload []byte, ok bool) {
	if text, isText := v.(*str.Value); isText { // without a dynamic call
		k = textKinds[text.Enc()]
		payload, ok = text.Packed()
	} else {
		k = packedKinds[v.Type()]
		payload, ok = v.Packed()
	}
	return k, payload, ok && headerSize+klen+len(payload) <= packMax
}

var (
	typesOfKinds = [...]Type{packedInt: String, packedEmbstr: String, packedRaw: String, packedHash: Hash,
		packedZSet: ZSet, packedSet: Set, packedList: List}
	packedKinds = [value.Types]kind{String: packedEmbstr, Hash: packedHash, ZSet: packedZSet, Set: packedSet, List: packedList}
	textKinds   = [...]kind{str.Embstr: packedEmbstr, str.Raw: packedRaw, str.Int: packedInt}
)
