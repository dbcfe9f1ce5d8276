package json

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// names are the names of members, each once. A name is known by where it begins: with a varint of
// its length. A name that no member has any more stays until the document is built anew.
type names struct {
	b     []byte
	index []uint32 // of a large document: a hash table of 1 + where names begin; its length is a power of two
	count uint32   // of the names in the index
	swept uint32   // bytes of names when the large document was built
	stale bool     // some may be of no member
}

// unindexed is how many bytes of names are looked through without an index.
const unindexed = 256

// minIndex is the size of the smallest index.
const minIndex = 16

// text returns a name.
func (n *names) text(name uint32) []byte {
	b := n.b[name:]
	if b[0] < 0x80 {
		return b[1 : 1+int(b[0])]
	}
	size, head := binary.Uvarint(b)
	return b[head : head+int(size)]
}

// find returns where a name begins; false if there is no such name.
func (n *names) find(name []byte) (at uint32, ok bool) {
	if n.index != nil {
		slot, ok := n.slot(name)
		return n.index[slot] - 1, ok
	}
	for rest := n.b; len(rest) > 0; {
		size, head := nameOf(rest)
		if int(size) == len(name) && string(rest[head:head+int(size)]) == string(name) {
			return uint32(len(n.b) - len(rest)), true
		}
		rest = rest[head+int(size):]
	}
	return 0, false
}

// slot returns where a name is in the index, or if ok is false where it belongs.
func (n *names) slot(name []byte) (slot int, ok bool) {
	mask := len(n.index) - 1
	for slot = int(hash(name)) & mask; n.index[slot] != 0; slot = (slot + 1) & mask {
		if string(n.text(n.index[slot]-1)) == string(name) {
			return slot, true
		}
	}
	return slot, false
}

// add returns where a name begins, which it adds if need be.
func (n *names) add(name []byte) (at uint32) {
	if at, ok := n.find(name); ok {
		return at
	}
	at = n.append(name)
	if n.index == nil && len(n.b) > unindexed {
		n.makeIndex(minIndex)
	} else if n.index != nil {
		n.enter(at)
	}
	return at
}

// append adds a name that is not there, without an entry in the index.
func (n *names) append(name []byte) (at uint32) {
	at = uint32(len(n.b))
	n.b = binary.AppendUvarint(n.b, uint64(len(name)))
	n.b = append(n.b, name...)
	return at
}

// enter adds a name to the index, which has none of that text.
func (n *names) enter(at uint32) {
	if n.count++; int(n.count)*4 > len(n.index)*3 {
		n.makeIndex(2 * len(n.index))
		return // with at
	}
	slot, _ := n.slot(n.text(at))
	n.index[slot] = at + 1
}

// makeIndex makes an index of all names with at least that many slots, a power of two.
func (n *names) makeIndex(slots int) {
	n.count = 0
	for rest := n.b; len(rest) > 0; n.count++ {
		size, head := nameOf(rest)
		rest = rest[head+int(size):]
	}
	for int(n.count)*4 > slots*3 {
		slots *= 2
	}
	n.index = make([]uint32, slots)
	for at := 0; at < len(n.b); {
		size, head := nameOf(n.b[at:])
		slot, _ := n.slot(n.b[at+head : at+head+int(size)])
		n.index[slot] = uint32(at) + 1
		at += head + int(size)
	}
}

// clone returns a copy.
func (n *names) clone() names {
	c := *n
	c.b, c.index = slices.Clone(n.b), slices.Clone(n.index)
	return c
}

// bytes returns what a large document's names take in Go's heap.
func (n *names) bytes() int { return sizeclass.Round(cap(n.b)) + sizeclass.Round(4*cap(n.index)) }

// seed makes the places of names in indexes unknown to those who choose the names.
var seed = maphash.MakeSeed()

func hash(name []byte) uint32 { return uint32(maphash.Bytes(seed, name)) }
