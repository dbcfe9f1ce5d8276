package stream

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// chunk is memory that nodes of a long stream share, one behind the other: a block of its own would
// be a tenth larger than a node, because of the sizes that Go's allocator has.
//
//	[pack][pack][pack][pack .............]
//	                   the last node grows in what is left
//
// The last node moves to the next chunk when it does not fit any more. So a stream that grows
// leaves no garbage.
//
// A chunk lives as long as one of its nodes does. Where a few are left in the middle of the stream,
// they get blocks of their own.
type chunk struct {
	nodes int    // that lie in it
	most  int    // that did when it was full
	rest  []byte // behind the last of them, unless that is still growing
}

const (
	chunkSize  = 64 << 10
	longStream = 8 * chunkSize // bytes from which on it does not matter that a chunk is not full
	maxShare   = chunkSize / 8 // of a node
)

// entryRoom returns how many bytes a pack may grow by when an entry of size bytes comes into it, or
// when it is made for the entry.
func entryRoom(size int, pairs [][]byte) int {
	const beside, others = 10, 10 // bytes of an element beside its text; elements that are no text, and the header
	return size + beside*(len(pairs)+others)
}

// share returns room for a node of n bytes in a chunk; none if the stream is short or the node
// large. The last node grows no more.
func (s *Stream) share(n int) (room []byte, c *chunk) {
	s.closeLast()
	if n > maxShare {
		return nil, nil
	}
	if s.open == nil || cap(s.open.rest) < n {
		if s.held < longStream {
			return nil, nil
		}
		s.openChunk()
	}
	c = s.open
	room, c.rest = c.rest, nil
	return room, c
}

// openChunk makes the chunk to which nodes are added.
func (s *Stream) openChunk() {
	if s.open != nil && s.open.nodes == 0 {
		s.held -= chunkSize
	}
	s.open = &chunk{rest: make([]byte, 0, chunkSize)}
	s.held += chunkSize
}

// closeLast leaves the memory behind the last node to the next one.
func (s *Stream) closeLast() {
	if len(s.nodes) == 0 {
		return
	}
	if n := &s.nodes[len(s.nodes)-1]; n.chunk != nil && cap(n.pack) > len(n.pack) {
		n.chunk.rest = n.pack[len(n.pack):]
		n.pack = slices.Clip(n.pack)
	}
}

// reuse leaves the memory of the last node, which is removed, to the next one.
func (s *Stream) reuse(n *node) {
	if n.chunk != nil && n.chunk == s.open {
		n.chunk.most--
		if cap(n.pack) > cap(n.chunk.rest) {
			n.chunk.rest = n.pack[:0]
		}
	}
}

// enter counts the memory that a node takes.
func (s *Stream) enter(n *node) {
	if n.chunk == nil {
		s.held += sizeclass.Round(cap(n.pack))
		return
	}
	n.chunk.nodes++
	n.chunk.most = max(n.chunk.most, n.chunk.nodes)
}

// leave is the opposite of enter.
func (s *Stream) leave(n *node) {
	if n.chunk == nil {
		s.held -= sizeclass.Round(cap(n.pack))
		return
	}
	n.chunk.nodes--
	if isOpen := n.chunk == s.open; n.chunk.nodes == 0 && (!isOpen || s.held < longStream) {
		s.held -= chunkSize
		if isOpen {
			s.open = nil
		}
	}
}

// makeRoom moves the last node, which lies in a chunk, if it cannot grow by n bytes there.
func (s *Stream) makeRoom(last *node, n int) {
	if cap(last.pack)-len(last.pack) >= n {
		return
	}
	pack := last.pack
	room, c := s.share(len(pack) + n)
	moved := node{last.id, append(room[:0], pack...), c}
	s.enter(&moved)
	s.leave(last)
	*last = moved
}

// thin gives the nodes that are left of a chunk around place i blocks of their own, if they are
// few.
func (s *Stream) thin(i int, c *chunk) {
	if c == nil || c == s.open || c.nodes*4 > c.most {
		return
	}
	for i, end := max(i-c.most, 0), min(i+c.most, len(s.nodes)); i < end; i++ {
		if n := &s.nodes[i]; n.chunk == c {
			s.resize(n, slices.Clone(n.pack))
		}
	}
}

// addCopy adds a node with a copy of a pack behind the last.
func (s *Stream) addCopy(id ID, pack listpack.List) {
	room, c := s.share(len(pack))
	s.addNode(node{id, append(room[:0], pack...), c})
}
