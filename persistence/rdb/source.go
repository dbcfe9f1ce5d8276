package rdb

import (
	"errors"
	"io"
)

// source reads the input of a Reader in blocks with checksums. If it reads ahead, another processor
// reads and computes checksums while the Reader decodes.
//
//	block  [ headroom | bytes read ]   what is left of the block before is copied to the end of
//	                                   the headroom,
//	             └left┘                so that an element that spans two blocks is contiguous
type source struct {
	src  io.Reader
	head int // bytes of headroom
	room int // bytes read at once
	sum  uint64
	err  error // that ended the reading

	full, free chan *block // nil without reading ahead
	quit       chan struct{}
}

// block is a piece of the source. It is empty if there is an error.
type block struct {
	buf []byte // the headroom, and what was read
	sum uint64 // checksum of the source before the block
	err error
}

const (
	blockBytes = 256 << 10
	leastBlock = 512
	blocks     = 3 // of a source that reads ahead: one being decoded, one ready, one being read
)

// newSource returns a source of src, which has size bytes; the size is unknown if negative.
func newSource(src io.Reader, size int64) *source {
	s := &source{src: src, room: blockBytes}
	if size >= 0 && size < blockBytes {
		s.room = max(int(size), leastBlock)
	}
	s.head = min(wholeText, s.room)
	return s
}

func (s *source) newBlock() *block { return &block{buf: make([]byte, s.head+s.room)} }

// read fills a block, after its headroom.
func (s *source) read(b *block) {
	b.buf, b.sum, b.err = b.buf[:s.head+s.room], s.sum, s.err
	n := 0
	if s.err == nil {
		n, s.err = io.ReadFull(s.src, b.buf[s.head:])
	}
	if errors.Is(s.err, io.ErrUnexpectedEOF) {
		s.err = io.EOF
	}
	b.buf = b.buf[:s.head+n]
	s.sum = Sum(s.sum, b.buf[s.head:])
	if n == 0 {
		b.err = s.err
	}
}

// ahead starts reading ahead, on a goroutine that spawn starts. close must end it.
func (s *source) ahead(spawn func(run func())) {
	s.full, s.free, s.quit = make(chan *block, blocks), make(chan *block, blocks), make(chan struct{})
	for range blocks {
		s.free <- s.newBlock()
	}
	spawn(s.run)
}

func (s *source) run() {
	defer close(s.full)
	for s.err == nil {
		select {
		case <-s.quit:
			return
		case b := <-s.free:
			s.read(b)
			s.full <- b // full has room for all blocks
		}
	}
}

// next returns the next block, with left at the end of its headroom. It takes the block before
// back, which may contain left and is nil at first.
func (s *source) next(before *block, left []byte) *block {
	b := before
	switch {
	case s.full != nil:
		b = s.await()
	case before == nil:
		b = s.newBlock()
	}
	copy(b.buf[s.head-len(left):s.head], left)
	switch {
	case s.full == nil:
		s.read(b)
	case before != nil:
		s.free <- before
	}
	return b
}

// await returns a block that was read ahead.
func (s *source) await() *block {
	if b, ok := <-s.full; ok {
		return b
	}
	b := s.newBlock() // at the end: the block gets the error
	s.read(b)
	return b
}

// close ends reading ahead, and waits for the goroutine.
func (s *source) close() {
	if s.full == nil {
		return
	}
	close(s.quit)
	for range s.full {
	}
	s.full, s.err = nil, io.ErrClosedPipe
}
