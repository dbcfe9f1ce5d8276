package timeseries

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
)

// The data of a chunk are a block of the series' Memory if that takes so much, else they are in
// Go's heap, which has no pointers to look for there.

// leastRoom is the memory of a chunk with few samples.
const leastRoom = 64

// makeRoom lets a chunk have memory for n bytes, or for its size if that is less.
func (s *Series) makeRoom(c *chunk, n int) {
	if n <= len(c.data) || len(c.data) >= int(c.size) {
		return
	}
	room := max(leastRoom, len(c.data)*2)
	if len(c.data) >= slab.SmallCell {
		room = len(c.data) * 3 / 2
	}
	s.resize(c, min(max(room, n), int(c.size)))
}

// resize lets a chunk have memory for n bytes, which are enough for its samples.
func (s *Series) resize(c *chunk, n int) {
	data := s.block(n)
	copy(data, c.data)
	s.free(c.data)
	c.data = data
}

// block returns memory for n bytes, which are zero.
func (s *Series) block(n int) []byte {
	if n == 0 {
		return nil
	}
	if s.mem != nil && n <= slab.MaxCell {
		p, held := s.mem.Block(n)
		s.held += held
		return unsafe.Slice((*byte)(p), held)
	}
	data := make([]byte, sizeclass.Round(n))
	s.held += len(data)
	return data
}

// inBlock reports whether data lie in a block of the Memory.
func (s *Series) inBlock(data []byte) bool { return s.mem != nil && len(data) <= slab.MaxCell }

// free frees memory of a chunk. It can be read until the end of the command.
func (s *Series) free(data []byte) {
	s.held -= len(data)
	if len(data) > 0 && s.inBlock(data) {
		s.mem.FreeBlock(unsafe.Pointer(unsafe.SliceData(data)), len(data))
	}
}

// Settle implements value.Settler. O(chunks) the first time and with compact.
func (s *Series) Settle(mem value.Memory, compact bool) (done bool) {
	if s.mem == mem && !compact {
		return true
	}
	was := s.mem
	for _, c := range s.chunks {
		stays := len(c.data) == 0 || !s.inBlock(c.data) || !mem.Retired(unsafe.Pointer(unsafe.SliceData(c.data)))
		if was == mem && stays {
			continue
		}
		old := c.data
		s.mem = mem
		c.data = s.block(len(old))
		copy(c.data, old)
		s.mem = was
		s.free(old)
	}
	s.mem = mem
	return true
}

// BlockBytes implements value.Settler. O(chunks).
func (s *Series) BlockBytes() (n int) {
	for _, c := range s.chunks {
		if s.inBlock(c.data) {
			n += len(c.data)
		}
	}
	return n
}

// Drop implements value.Settler.
func (s *Series) Drop(n int) (more bool) {
	for ; n > 0 && len(s.chunks) > 0; n-- {
		last := len(s.chunks) - 1
		s.discard(s.chunks[last])
		s.chunks = s.chunks[:last]
	}
	return len(s.chunks) > 0
}

// What the allocator gives.
var (
	seriesSize = sizeclass.RoundScanned(int(unsafe.Sizeof(Series{})))
	chunkSize  = sizeclass.RoundScanned(int(unsafe.Sizeof(chunk{})))
	ruleSize   = sizeclass.RoundScanned(int(unsafe.Sizeof(Rule{})))
	labelSize  = int(unsafe.Sizeof(Label{}))
)

// Bytes implements value.Value.
func (s *Series) Bytes() int {
	return s.held + len(s.chunks)*chunkSize + sizeclass.RoundScanned(cap(s.chunks)*int(unsafe.Sizeof(s.chunks[0]))) +
		s.described
}

// describe counts what the labels, the names and the rules take.
func (s *Series) describe() {
	n := sizeclass.Round(len(s.name)) + sizeclass.Round(len(s.source)) +
		sizeclass.RoundScanned(cap(s.options.Labels)*labelSize)
	for _, l := range s.options.Labels {
		n += sizeclass.Round(len(l.Name)) + sizeclass.Round(len(l.Value))
	}
	for _, r := range s.rules {
		n += int(unsafe.Sizeof(r)) + ruleSize + sizeclass.Round(len(r.Dest))
	}
	s.described = n
}

// Layout is what a chunk is like.
type Layout struct {
	First, Last uint64 // times; of no meaning without samples
	Samples     int
	Bytes       int // that it may take
	Held, Used  int // bytes
}

// Chunks returns the number of chunks.
func (s *Series) Chunks() int { return len(s.chunks) }

// Chunk returns what chunk i is like.
func (s *Series) Chunk(i int) Layout {
	c := s.chunks[i]
	return Layout{c.first.Time, c.last.Time, int(c.count), int(c.size), len(c.data), s.used(c)}
}
