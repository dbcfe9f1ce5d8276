package replication

import "sort"

// buffer holds the end of the stream once, for the backlog and for all replicas, as Redis does
// since 7.0:
//
//	│ block │ block │ block │ bl..
//	        ▲               ▲    ▲
//	        │               │    end: the last byte of the stream
//	        │               backlog: size bytes up to the end, for replicas that reconnect
//	        the slowest replica
//
// A replica has a position in it and no bytes of its own. Blocks in front of the backlog and of the
// slowest replica are dropped as a whole. The bytes of a block never change, so connections read
// them without the lock.
type buffer struct {
	blocks []block
	size   int   // bytes of the backlog, at least
	held   int   // bytes in the blocks
	room   int   // bytes that the blocks take
	end    int64 // offset of the last byte
}

type block struct {
	text []byte
	from int64 // offset of the byte before it
}

// Sizes of blocks in bytes, as in Redis: a block is at most a fraction of the backlog.
const (
	leastBlock    = 16 << 10
	backlogBlocks = 16
)

// begin empties the buffer. The next byte has the offset after end.
func (b *buffer) begin(size int, end int64) { *b = buffer{size: size, end: end} }

// add appends text.
func (b *buffer) add(text []byte) {
	for len(text) > 0 {
		last := len(b.blocks) - 1
		if last < 0 || len(b.blocks[last].text) == cap(b.blocks[last].text) {
			b.grow(len(text))
			last++
		}
		to := &b.blocks[last].text
		n := min(len(text), cap(*to)-len(*to))
		*to = append(*to, text[:n]...)
		text = text[n:]
		b.held += n
		b.end += int64(n)
	}
}

// grow adds a block for n bytes or a part of them.
func (b *buffer) grow(n int) {
	n = min(max(n, leastBlock), max(b.size/backlogBlocks, 1))
	b.blocks = append(b.blocks, block{text: make([]byte, 0, n), from: b.end})
	b.room += n
}

// after returns bytes that follow the one at an offset, as many as are in one block; nothing at the
// end. The offset must be held.
func (b *buffer) after(offset int64) []byte {
	i := sort.Search(len(b.blocks), func(i int) bool { return b.blocks[i].from > offset }) - 1
	if i < 0 {
		return nil
	}
	return b.blocks[i].text[offset-b.blocks[i].from:]
}

// isLong reports whether trim can drop a block if no replica needs it.
func (b *buffer) isLong() bool { return len(b.blocks) > 1 && b.held-len(b.blocks[0].text) > b.size }

// trim drops the blocks that are in front of the backlog, up to an offset that a replica has
// received.
func (b *buffer) trim(received int64) {
	for b.isLong() && b.blocks[1].from <= received {
		b.held -= len(b.blocks[0].text)
		b.room -= cap(b.blocks[0].text)
		b.blocks[0] = block{}
		b.blocks = b.blocks[1:]
	}
}
