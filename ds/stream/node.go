package stream

import (
	"sort"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/listpack"
)

// node is the entries of one listpack. Their IDs are distances from its own, which is that of its
// first entry.
type node struct {
	id    ID
	pack  listpack.List
	chunk *chunk // in which the pack lies; nil if it has memory of its own
}

const nodeSize = int(unsafe.Sizeof(node{}))

// Flags of an entry.
const (
	flagDeleted    = 1
	flagSameFields = 2 // those of the master entry, which are left out
)

// head is the beginning of a node.
type head struct {
	live, dead int
	fields     int // of the master entry
	field      int // position of the first of them
	deadAt     int // position of dead
}

func (n *node) head() (h head) {
	live, pos := n.pack.Int(listpack.First)
	h.deadAt = pos
	dead, pos := n.pack.Int(pos)
	fields, pos := n.pack.Int(pos)
	h.live, h.dead, h.fields, h.field = int(live), int(dead), int(fields), pos
	return h
}

// firstEntry returns the position of the first entry.
func (n *node) firstEntry(h head) int { return n.pack.Skip(h.field, h.fields+1) }

// newPack returns the pack of a node without entries, whose master has the fields of pairs. It
// overwrites room.
func newPack(room []byte, pairs [][]byte) listpack.List {
	p := listpack.In(room).AppendInt(0).AppendInt(0).AppendInt(int64(len(pairs) / 2))
	for i := 0; i < len(pairs); i += 2 {
		p = p.Append(pairs[i])
	}
	return p.AppendInt(0)
}

// appended returns the pack with an entry behind the last.
func (n *node) appended(h head, id ID, pairs [][]byte) listpack.List {
	same := n.sameFields(h, pairs)
	p := n.pack.ReplaceInt(listpack.First, int64(h.live+1))
	flags, count := int64(0), len(pairs)+4
	if same {
		flags, count = flagSameFields, len(pairs)/2+3
	}
	p = p.AppendInt(flags).AppendInt(int64(id.Ms - n.id.Ms)).AppendInt(int64(id.Seq - n.id.Seq))
	if !same {
		p = p.AppendInt(int64(len(pairs) / 2))
	}
	for i, v := range pairs {
		if i&1 == 1 || !same {
			p = p.Append(v)
		}
	}
	return p.AppendInt(int64(count))
}

// sameFields reports whether the fields of pairs are the master's, in the same order.
func (n *node) sameFields(h head, pairs [][]byte) bool {
	if len(pairs) != 2*h.fields {
		return false
	}
	pos := h.field
	for i := 0; i < len(pairs); i += 2 {
		e, next := n.pack.Get(pos)
		if !e.Equal(pairs[i]) {
			return false
		}
		pos = next
	}
	return true
}

// recounted returns the pack with other numbers of live and of deleted entries.
func (n *node) recounted(h head, live, dead int) listpack.List {
	return n.pack.ReplaceInt(h.deadAt, int64(dead)).ReplaceInt(listpack.First, int64(live))
}

// lastID returns the ID of the node's last entry, deleted or not.
func (n *node) lastID() ID {
	id, _ := n.entryAt(n.lastEntry(n.pack.End()))
	return id
}

// entryAt returns the ID of the entry at a position, and whether it is deleted.
func (n *node) entryAt(at int) (id ID, deleted bool) {
	flags, at := n.pack.Int(at)
	ms, at := n.pack.Int(at)
	seq, _ := n.pack.Int(at)
	return n.id.plus(ms, seq), flags&flagDeleted != 0
}

// lastEntry returns the position of the entry that ends before pos; 0 if there is none.
func (n *node) lastEntry(pos int) int {
	pos = n.pack.Prev(pos)
	count, _ := n.pack.Int(pos)
	if count == 0 {
		return 0 // the end of the master entry
	}
	for range count {
		pos = n.pack.Prev(pos)
	}
	return pos
}

// seek returns the index of the last node that begins at id or before, -1 if none does. O(log n).
func (s *Stream) seek(id ID) int {
	if n := len(s.nodes); n > 0 && !id.Before(s.nodes[n-1].id) {
		return n - 1 // where most look
	}
	return sort.Search(len(s.nodes), func(i int) bool { return id.Before(s.nodes[i].id) }) - 1
}
