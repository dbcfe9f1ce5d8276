package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/invariants"
)

// An entry is one key with its deadline, its access data and its value: a cell of the database's
// slab. The kind in the header tells which of two forms it has:
//
//	packed  header | deadline | key | payload
//	boxed   header | deadline | box | key       the box, in Go's heap, has the value
//
// There is room for a deadline only if the key has one. Packed is for everything that is a single
// piece of memory, unless it is very large: the payload is the text of a string, the 8 bytes of an
// integer, or a whole ziplist or intset. The collector does not know of entries, and a limiter's
// key of 12 bytes with one record is 56 bytes in all. The key of a boxed entry is in the box if it
// is long.
type entry struct{ p unsafe.Pointer }

// header begins every entry.
type header struct {
	access uint32 // low 24 bits: LRU clock or LFU counter; high 8 bits: kind and flags
	klen   uint16 // bytes of the key, or longKey
	vlen   uint16 // packed: bytes of the payload
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
	packedOther      // and what follows: of the types of Keyspace.Types that have an Open, in their order
	kindMask    kind = 0x0f

	dated               kind = 0x10 // there is room for a deadline
	exact               kind = 0x20 // the item in the index of deadlines is exactly at the entry's, and not before
	snapshotBit         kind = 0x40 // as in Keyspace.snapshotBit if the last snapshot has the entry, or it is younger
	hasElementDeadlines kind = 0x80 // elements of the value have deadlines; only a box's
)

const (
	headerSize   = int(unsafe.Sizeof(header{}))
	deadlineSize = 8
	pointerSize  = int(unsafe.Sizeof(uintptr(0)))
	accessMask   = 1<<24 - 1
	// packMax bounds a packed entry with a deadline.
	packMax = slab.MaxCell
	// copyMax is the length up to which a payload is copied to be changed. What is longer is
	// changed in its cell.
	copyMax = slab.SmallCell
	// maxCellKey is the length of the longest key that lies in the cell of a boxed entry.
	maxCellKey = slab.SmallCell - headerSize - deadlineSize - 8
	longKey    = 1<<16 - 1
)

// box has the value of a boxed entry.
type box struct {
	value       Value
	accounted   int      // bytes of the value at the last commit
	elementItem int64    // deadline of this entry's item in the index of elements, if it has one
	place       uint32   // in boxes
	cell        slab.Ref // of the entry
	settled     bool     // what changes the value leaves its blocks where they belong
}

// longBox is the box of an entry with a long key.
type longBox struct {
	box
	key string
}

// What the allocator gives for a box.
var (
	boxSize     = sizeclass.RoundScanned(int(unsafe.Sizeof(box{})))
	longBoxSize = sizeclass.RoundScanned(int(unsafe.Sizeof(longBox{})))
)

func (e entry) absent() bool { return e.p == nil }
func (e entry) head() *header {
	if invariants.Enabled {
		slab.RequireInUse(e.p)
	}
	return (*header)(e.p)
}
func (h *header) kind() kind { return kind(h.access>>24) & kindMask }
func (h *header) hasFlag(f kind) bool {
	return kind(h.access>>24)&f != 0
}
func (h *header) setFlag(f kind)   { h.access |= uint32(f) << 24 }
func (h *header) clearFlag(f kind) { h.access &^= uint32(f) << 24 }
func (h *header) clock() uint32 {
	return h.access & accessMask
}
func (h *header) setClock(c uint32) { h.access = h.access&^accessMask | c&accessMask }

// deadline returns the entry's deadline in milliseconds since the epoch; 0 for none.
func (h *header) deadline() int64 {
	if !h.hasFlag(dated) {
		return 0
	}
	return *h.deadlineRoom()
}

// deadlineRoom returns where the deadline is, of a dated entry.
func (h *header) deadlineRoom() *int64 { return (*int64)(unsafe.Add(unsafe.Pointer(h), headerSize)) }

// size returns how many bytes the header and the deadline take.
func (h *header) size() int { return headerSize + int(h.access>>25&deadlineSize) } // dated is bit 28

// box returns the box of a boxed entry.
func (e entry) box() *box { return *(**box)(unsafe.Add(e.p, e.head().size())) }

// setBox lets a boxed entry have a box, which is in boxes, since the collector does not see it
// here.
func (e entry) setBox(b *box) {
	*(*uintptr)(unsafe.Add(e.p, e.head().size())) = uintptr(unsafe.Pointer(b))
	b.cell = slab.RefOf(e.p)
}

// Key returns the key, aliasing the entry.
func (e entry) Key() string {
	h := e.head()
	at := h.size()
	switch {
	case h.klen == 0:
		return ""
	case h.klen == longKey:
		return (*longBox)(unsafe.Pointer(e.box())).key
	case h.kind() == boxed:
		at += pointerSize
	}
	return unsafe.String((*byte)(unsafe.Add(e.p, at)), int(h.klen))
}

// hasKey reports whether that is the entry's key.
func (e entry) hasKey(key string) bool {
	h := e.head()
	if int(h.klen) != len(key) || len(key) == longKey {
		return h.klen == longKey && e.Key() == key
	}
	at := h.size()
	if h.kind() == boxed {
		at += pointerSize
	}
	return unsafe.String((*byte)(unsafe.Add(e.p, at)), len(key)) == key
}

// payload returns the packed value's bytes, without further capacity so that no append can
// write past them.
func (e entry) payload() []byte {
	h := e.head()
	n := int(h.vlen)
	if n == 0 {
		return nil // the payload of an empty string may begin past the cell
	}
	return unsafe.Slice((*byte)(unsafe.Add(e.p, h.size()+int(h.klen))), n)
}

// roomyPayload is payload with the rest of the cell as capacity.
func (e entry) roomyPayload() []byte {
	p := e.payload()
	return unsafe.Slice(unsafe.SliceData(p), len(p)+slab.Size(e.cellBytes())-e.cellBytes())[:len(p)]
}

// typeOf returns the type of an entry's value without unpacking it.
func (ks *Keyspace) typeOf(e entry) Type {
	switch k := e.head().kind(); {
	case k == boxed:
		return e.box().value.Type()
	case k >= packedOther:
		return ks.otherType(k)
	default:
		return typesOfKinds[k]
	}
}

// otherType returns the type whose packed values are of a kind from packedOther on.
func (ks *Keyspace) otherType(k kind) Type {
	for _, t := range ks.Types {
		if t.Open == nil {
			continue
		}
		if k == packedOther {
			return t
		}
		k--
	}
	panic("keyspace: an entry is of a type that the keyspace does not have")
}

// otherKind is the inverse of otherType.
func (ks *Keyspace) otherKind(of Type) kind {
	k := packedOther
	for _, t := range ks.Types {
		if t == of {
			break
		}
		if t.Open != nil {
			k++
		}
	}
	return k
}

// cellBytes returns how many bytes of the cell are in use.
func (e entry) cellBytes() int {
	h := e.head()
	n := h.size() + int(h.klen) + int(h.vlen)
	switch {
	case h.klen == longKey:
		return h.size() + pointerSize
	case h.kind() == boxed:
		return n + pointerSize
	}
	return n
}

// bytes returns what the entry holds, allocator rounding included.
func (e entry) bytes() int {
	n := slab.Size(e.cellBytes())
	if e.head().kind() != boxed {
		return n
	}
	n += boxSize + e.box().accounted
	if e.head().klen == longKey {
		n += longBoxSize - boxSize + sizeclass.Round(len(e.Key()))
	}
	return n
}

// repack overwrites the payload in place if the cell keeps its size, and reports whether it did. A
// payload that was changed in the cell is there already.
func (e entry) repack(k kind, payload []byte, withDeadline bool) bool {
	h := e.head()
	if h.kind() == boxed || h.hasFlag(dated) != withDeadline {
		return false
	}
	base := h.size() + int(h.klen)
	if slab.Size(base+int(h.vlen)) != slab.Size(base+len(payload)) {
		return false
	}
	h.clearFlag(kindMask)
	h.setFlag(k)
	h.vlen = uint16(len(payload))
	if at := (*byte)(unsafe.Add(e.p, base)); len(payload) > 0 && at != unsafe.SliceData(payload) {
		copy(unsafe.Slice(at, len(payload)), payload)
	}
	return true
}

// pack returns the payload of v if it is small enough to be packed with a key of klen bytes.
func (ks *Keyspace) pack(v Value, klen int) (k kind, payload []byte, ok bool) {
	switch v := v.(type) { // without dynamic calls
	case *str.Value:
		k = textKinds[v.Enc()]
		payload, ok = v.Packed()
	case *zset.Set:
		k = packedZSet
		payload, ok = v.Packed()
	case *hash.Hash:
		k = packedHash
		payload, ok = v.Packed()
	case *set.Set:
		k = packedSet
		payload, ok = v.Packed()
	case *list.List:
		k = packedList
		payload, ok = v.Packed()
	default:
		if t := v.Type(); t.Open != nil {
			k = ks.otherKind(t)
			payload, ok = v.Packed()
		}
	}
	if n := headerSize + deadlineSize + klen + len(payload); n > copyMax && ok {
		ok = n <= packMax && !slab.Scarce()
	}
	return k, payload, ok
}

// packedKind returns the kind of a packed value of that type.
func packedKind(t Type) kind {
	switch t {
	case Hash:
		return packedHash
	case ZSet:
		return packedZSet
	case Set:
		return packedSet
	case List:
		return packedList
	}
	return packedEmbstr
}

var (
	typesOfKinds = [...]Type{packedInt: String, packedEmbstr: String, packedRaw: String, packedHash: Hash,
		packedZSet: ZSet, packedSet: Set, packedList: List}
	textKinds = [...]kind{str.Embstr: packedEmbstr, str.Raw: packedRaw, str.Int: packedInt}
)

// inherit takes over the deadline, if there is room for it, its index flag and the access data.
func (h *header) inherit(old *header) {
	if h.hasFlag(dated) {
		*h.deadlineRoom() = old.deadline()
	}
	h.access |= old.access &^ (uint32(kindMask|dated) << 24)
}
