// Package stream is the stream value: entries in the order of their IDs, each a few pairs of fields
// and values, and the groups of consumers that read them.
//
//	Stream   nodes   [ID, listpack] [ID, listpack] [ID, listpack]      ascending
//	         groups  by name:  Group  Last, Read
//	                                  pending    by ID: Pending ─▶ Consumer
//	                                  consumers  by name: each with its own part of the pending
//	         producers  by name: Producer  which entry has which idempotent ID
//
// A node is the listpack of one in Redis, byte for byte: a master entry with the fields of the
// node's first entry, then entry after entry, whose fields are left out where they are the master's
// and whose IDs are distances from the node's:
//
//	live dead n field1 .. fieldn 0 | flags ms seq value1 .. valuen count | flags ms seq ...
//
// So a node goes into a snapshot as it is; and since Limits close a node at the same entry as in
// Redis, trimming by whole nodes leaves the same entries.
//
// Invariants, all verified by Check:
//
//  1. Nodes ascend, and so do the live entries within one and from one to the next; none is after
//     Last.
//  2. No node is without entries. Deleted ones count, but only a trim by ID leaves a node with no
//     others.
//  3. Len is the number of live entries, and First the ID of the first of them.
//  4. Each pending message is in the list of its group and, unless it was returned to it, of its
//     consumer, and in no other.
//  5. Each producer remembers at least one idempotent ID, and none twice.
//  6. Bytes is the sum of what the blocks take.
//  7. A chunk counts its nodes, which are neighbours. Bytes has the whole of each chunk that has a
//     node, and of the open one.
//
// Deleted entries are marked and stay in their node until its last goes, as in Redis. An empty
// stream is a value like any other: it remembers its last ID and its groups.
//
// What comes out aliases the stream's memory and is valid until the stream is next changed; what
// goes in is copied.
//
// Non-goals: time, which the caller passes in; what reading by a group means, which the commands
// know.
//
// Unlike Redis, nodes lie in one sorted slice instead of a radix tree, and pending messages in
// sorted blocks of pointers instead of two more: less memory, and appending at the end is what
// nearly always happens.
package stream

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Stream is one stream. The zero value is an empty one to which nothing was ever added.
type Stream struct {
	nodes      []node
	length     int
	first      ID
	last       ID
	maxDeleted ID
	added      int64
	groups     []*Group // by name
	held       int      // bytes of nodes' blocks and chunks, groups, consumers, pending messages and producers
	open       *chunk   // for the next node; nil in a short stream
	producers  *Producers
	frozen     *Stream // what Freeze returned, until Thaw
}

// Limits close a node: it takes no further entry once it has Entries, or if it would reach Bytes.
// Zero is no limit.
type Limits struct{ Bytes, Entries int }

// Defaults are the limits that Redis has by default.
var Defaults = Limits{Bytes: 4096, Entries: 100}

// MaxEntryBytes is the length up to which the fields and values of one entry may grow, and the
// limit of a node where Limits say none.
const MaxEntryBytes = 1 << 30

// Len returns the number of entries. O(1).
func (s *Stream) Len() int { return s.length }

// First returns the ID of the first entry, zero if there is none. O(1).
func (s *Stream) First() ID { return s.first }

// Last returns the greatest ID that was ever added, or what SetLast said. O(1).
func (s *Stream) Last() ID { return s.last }

// MaxDeleted returns the greatest ID that was deleted singly, which trimming is not. O(1).
func (s *Stream) MaxDeleted() ID { return s.maxDeleted }

// Added returns how many entries were ever added. O(1).
func (s *Stream) Added() int64 { return s.added }

// SetLast sets the ID after which the next must come. The caller sees to it that it is not before
// an entry's.
func (s *Stream) SetLast(id ID) {
	for s.length == 0 && len(s.nodes) > 0 {
		s.removeNode(0) // which has only deleted entries, and may begin after what comes now
	}
	s.last = id
}

// SetAdded sets how many entries count as ever added, which is no less than Len.
func (s *Stream) SetAdded(n int64) { s.added = n }

// SetMaxDeleted sets the greatest ID that counts as deleted.
func (s *Stream) SetMaxDeleted(id ID) { s.maxDeleted = id }

// Encoding returns "stream".
func (s *Stream) Encoding() string { return "stream" }

// NodeCount returns the number of nodes.
func (s *Stream) NodeCount() int { return len(s.nodes) }

// Bytes returns the bytes held beyond the Stream itself, as the allocator rounds them. O(1).
func (s *Stream) Bytes() int {
	return s.held + sizeclass.RoundScanned(cap(s.nodes)*nodeSize) + sizeclass.RoundScanned(cap(s.groups)*8)
}

// Append adds an entry behind the last. Its ID must be greater than Last; pairs are fields and
// values in turn, MaxEntryBytes at most. O(bytes of the entry).
func (s *Stream) Append(id ID, pairs [][]byte, limits Limits) {
	size := 0
	for _, v := range pairs {
		size += len(v)
	}
	if s.frozen != nil && len(s.nodes) > 0 {
		s.own(len(s.nodes) - 1)
	}
	h, ok := s.fits(size, limits)
	if !ok {
		s.openNode(id, size, pairs)
		h = s.nodes[len(s.nodes)-1].head()
	}
	n := &s.nodes[len(s.nodes)-1]
	if n.chunk != nil {
		s.makeRoom(n, entryRoom(size, pairs))
	}
	s.resize(n, n.appended(h, id, pairs))
	s.length++
	s.added++
	s.last = id
	if s.length == 1 {
		s.first = id
	}
}

// fits reports whether the last node, whose head it returns, takes another entry of size bytes.
func (s *Stream) fits(size int, limits Limits) (h head, ok bool) {
	if len(s.nodes) == 0 {
		return h, false
	}
	most := limits.Bytes
	if most <= 0 || most > MaxEntryBytes {
		most = MaxEntryBytes
	}
	n := &s.nodes[len(s.nodes)-1]
	if len(n.pack)+size >= most {
		return h, false
	}
	h = n.head()
	return h, limits.Entries <= 0 || h.live+h.dead < limits.Entries
}

// maxRoom is the length of a node's room up to which the next node takes it over.
const maxRoom = 16 << 10

// openNode closes the last node and opens one for an entry, in a chunk if the stream is long. Else
// the closed node gets memory of its own size; its room, which grew with it, goes to the new node.
// So only the first node of a stream leaves garbage while it grows.
func (s *Stream) openNode(id ID, size int, pairs [][]byte) {
	room, c := s.share(entryRoom(size, pairs))
	if c == nil && len(s.nodes) > 0 {
		if n := &s.nodes[len(s.nodes)-1]; n.chunk == nil {
			room = n.pack
			s.resize(n, slices.Clone(n.pack))
		}
	}
	if c == nil && (room == nil || cap(room) > maxRoom) {
		room = make([]byte, 0, 64)
	}
	s.addNode(node{id, newPack(room, pairs), c})
}

// addNode adds a node behind the last, which grows no more.
func (s *Stream) addNode(n node) {
	if len(s.nodes) == cap(s.nodes) {
		s.nodes = slices.Grow(s.nodes, max(len(s.nodes), 1)) // twice as many, or they would be copied more often
	}
	s.nodes = append(s.nodes, n)
	s.enter(&n)
}

// resize gives a node its changed pack, which may have moved out of its chunk.
func (s *Stream) resize(n *node, pack listpack.List) {
	if n.chunk == nil && cap(pack) == cap(n.pack) || n.chunk != nil && &pack[0] == &n.pack[0] {
		n.pack = pack
		return
	}
	s.leave(n)
	n.pack, n.chunk = pack, nil
	s.enter(n)
}

// removeNode removes node i.
func (s *Stream) removeNode(i int) {
	n := s.nodes[i]
	if i == len(s.nodes)-1 && !s.shares(&n) {
		s.reuse(&n)
	}
	s.leave(&n)
	if i == 0 {
		s.nodes[0] = node{}
		s.nodes = s.nodes[1:]
		return
	}
	s.nodes = slices.Delete(s.nodes, i, i+1)
	s.thin(i, n.chunk)
}

// Clone returns a deep copy on the heap.
func (s *Stream) Clone() value.Value {
	c := new(Stream)
	for _, n := range s.nodes {
		c.addCopy(n.id, n.pack)
	}
	s.copyNumbers(c)
	for _, g := range s.groups {
		g.copyTo(c)
	}
	s.producers.copyTo(c)
	return c
}

// copyNumbers gives a stream the numbers that s knows of its entries.
func (s *Stream) copyNumbers(c *Stream) {
	c.length, c.first, c.last, c.maxDeleted, c.added = s.length, s.first, s.last, s.maxDeleted, s.added
}

// Packed returns false: a stream is never one block.
func (s *Stream) Packed() ([]byte, bool) { return nil, false }

// copyTo adds a copy of the group to a stream that has none of its name.
func (g *Group) copyTo(s *Stream) {
	c := s.AddGroup([]byte(g.name), g.Last, g.Read)
	for _, member := range g.consumers {
		into := c.AddConsumer([]byte(member.name), member.Seen)
		into.Active = member.Active
		member.Each(ID{}, func(p *Pending) bool {
			message := c.Deliver(p.ID, into)
			message.Delivered, message.Count = p.Delivered, p.Count
			return true
		})
	}
	g.EachReturned(func(p *Pending) { c.Return(p.ID).Count = p.Count })
}
