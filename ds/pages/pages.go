// Package pages is a large block of bytes of which only those pages exist that were written.
//
//	block   [ page ][ nil ][ nil ][ page ][ rest ]     nil: all bytes are 0
//
// The sketches reserve what a user asks for, be it gigabytes, and fill it slowly: a block is made
// at once, and a page when its first byte is set. All bytes are accounted from the start, as a dump
// contains all of them.
//
// Invariants:
//
//  1. All pages have the size that the block was made with, but the last, which may have less.
//  2. What was not written is 0.
package pages

import (
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Size is the size of a page in bytes, unless things of another size must not lie across two.
const Size = 64 << 10

// Block is a block of bytes. New makes one; the zero value has no bytes.
type Block struct {
	pages [][]byte
	size  uint64
	page  uint64
}

// New returns a block of size bytes, all 0, in pages of page bytes. O(size / page).
func New(size, page uint64) Block {
	return Block{pages: make([][]byte, (size+page-1)/page), size: size, page: page}
}

// Len returns the number of bytes, be they all made or not.
func (b *Block) Len() uint64 { return b.size }

// Page returns page i, nil if all its bytes are 0. It belongs to the block.
func (b *Block) Page(i uint64) []byte { return b.pages[i] }

// Pages returns the number of pages.
func (b *Block) Pages() uint64 { return uint64(len(b.pages)) }

// Make returns page i, to be written.
func (b *Block) Make(i uint64) []byte {
	if b.pages[i] == nil {
		b.pages[i] = make([]byte, min(b.page, b.size-i*b.page))
	}
	return b.pages[i]
}

// zeros is a piece of what was not written.
var zeros [4 << 10]byte

// Append appends the n bytes from offset on. They must be there.
func (b *Block) Append(dst []byte, offset, n uint64) []byte {
	for n > 0 {
		i, from := offset/b.page, offset%b.page
		part := min(b.page-from, n)
		if page := b.pages[i]; page != nil {
			dst = append(dst, page[from:from+part]...)
		} else {
			part = min(part, uint64(len(zeros)))
			dst = append(dst, zeros[:part]...)
		}
		offset, n = offset+part, n-part
	}
	return dst
}

// Write copies data to offset, where there must be room for it. Pages that stay 0 are not made.
func (b *Block) Write(offset uint64, data []byte) {
	for len(data) > 0 {
		i, from := offset/b.page, offset%b.page
		part := data[:min(b.page-from, uint64(len(data)))]
		if b.pages[i] != nil || slices.ContainsFunc(part, func(c byte) bool { return c != 0 }) {
			copy(b.Make(i)[from:], part)
		}
		data, offset = data[len(part):], offset+uint64(len(part))
	}
}

// Clone returns a copy that shares nothing with b. O(bytes made).
func (b *Block) Clone() Block {
	c := *b
	c.pages = slices.Clone(b.pages)
	for i, page := range c.pages {
		c.pages[i] = slices.Clone(page) // nil stays nil
	}
	return c
}

// Held returns the bytes that the block takes when all pages are made, as the allocator rounds
// them.
func (b *Block) Held() int {
	if b.size == 0 {
		return 0
	}
	whole, last := b.size/b.page, int(b.size%b.page)
	return int(whole)*sizeclass.Round(int(b.page)) + sizeclass.Round(last) +
		sizeclass.RoundScanned(len(b.pages)*int(unsafe.Sizeof(b.pages[0])))
}
