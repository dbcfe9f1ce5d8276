// Package countmin is the count-min sketch: it says of an item how often it was counted, or
// somewhat more, in memory that does not depend on the number of items.
//
//	         0                      width - 1
//	row 0    [  ][ 3][  ][  ][  ][  ]           an item has one cell in each row:
//	row 1    [  ][  ][  ][  ][ 5][  ]           hash(item, row) % width
//	...
//	depth-1  [ 3][  ][  ][  ][  ][  ]           its count is the least of them
//
// Counting an item adds to all its cells. Other items share some of them, so a count is never too
// low. With a width of 2 / e and a depth of log(p) / log(1/2) it exceeds the truth by more than e
// times all that was counted with a probability of at most p (Cormode and Muthukrishnan, 2005).
//
// Invariants, both verified by Check:
//
//  1. Width and depth are at least 1, the depth at most maxDepth, and the cells' bytes at most
//     maxBytes.
//  2. The block has a cell of 4 bytes, little-endian, for each column of each row, row by row.
//
// Hashes and the payload are byte for byte those of RedisBloom. A cell that overflows stays at its
// highest value. Unlike there, cells are made when they are written: see package pages; and
// sketches end at maxDepth, since each count reads all rows, and at maxBytes.
package countmin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/pages"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/libm"
)

// Limits of a sketch.
const (
	maxBytes = 16 << 30
	maxDepth = 4096
)

// Most is the highest count. A cell that has it may have been meant to have more.
const Most = math.MaxUint32

const (
	cellBytes = 4
	pageCells = pages.Size / cellBytes
)

// Sketch is one sketch. New makes one; the zero value is of no use.
type Sketch struct {
	cells        pages.Block
	width, depth uint64
	total        uint64 // of all that was counted; it wraps around
}

// New returns a sketch in which nothing was counted; false if it cannot be that large.
func New(width, depth uint64) (s *Sketch, ok bool) {
	high, cells := bits.Mul64(width, depth)
	if high > 0 || cells == 0 || cells > maxBytes/cellBytes || depth > maxDepth {
		return nil, false
	}
	return &Sketch{cells: pages.New(cells*cellBytes, pages.Size), width: width, depth: depth}, true
}

// Dimensions returns the width and depth of a sketch whose counts exceed the truth by more than err
// times the total with a probability of at most chance. Both are between 0 and 1, both excluded;
// what comes out may be too large for a sketch. The depth is computed with the 32 bits that
// RedisBloom takes.
func Dimensions(err, chance float64) (width, depth uint64) {
	rows := float32(libm.Log10(float64(float32(chance)))) / float32(libm.Log10(0.5))
	return whole(2 / err), whole(float64(rows))
}

// whole rounds up; what is above all integers becomes the highest one.
func whole(x float64) uint64 {
	if x = math.Ceil(x); x < math.MaxInt64 {
		return uint64(x)
	}
	return math.MaxInt64
}

// cell returns which cell of a row is that of an item.
func (s *Sketch) cell(item []byte, row uint64) uint64 {
	return uint64(murmur.Hash32(item, uint32(row)))%s.width + row*s.width
}

// Count returns how often item was counted, or more. O(depth * length of item); allocates nothing.
func (s *Sketch) Count(item []byte) uint32 {
	least := uint32(Most)
	for row := range s.depth {
		i := s.cell(item, row)
		page := s.cells.Page(i / pageCells)
		if page == nil {
			return 0
		}
		least = min(least, binary.LittleEndian.Uint32(page[i%pageCells*cellBytes:]))
	}
	return least
}

// Add counts item n times, and returns what Count then does. See Count.
func (s *Sketch) Add(item []byte, n uint64) uint32 {
	least := uint32(Most)
	for row := range s.depth {
		i := s.cell(item, row)
		cell := s.cells.Make(i / pageCells)[i%pageCells*cellBytes:]
		sum, over := bits.Add64(uint64(binary.LittleEndian.Uint32(cell)), n, 0)
		if over > 0 || sum > Most {
			sum = Most
		}
		binary.LittleEndian.PutUint32(cell, uint32(sum))
		least = min(least, uint32(sum))
	}
	s.total += n
	return least
}

// Merge makes s the sum of sources of its width and depth, each times its weight; s may be one of
// them. It returns false, and changes nothing, if the total or a cell would be negative or too
// high. O(cells made of all sources).
func (s *Sketch) Merge(sources []*Sketch, weights []int64) bool {
	total := int64(0)
	for i, source := range sources {
		n, ok := times(source.total, weights[i])
		if total, ok = plus(total, n, ok); !ok {
			return false
		}
	}
	if total < 0 || !s.mergePages(sources, weights, false) {
		return false
	}
	s.mergePages(sources, weights, true)
	s.total = uint64(total)
	return true
}

// mergePages computes the cells of all pages, and writes them if it should. It returns false after
// the first that is out of range.
func (s *Sketch) mergePages(sources []*Sketch, weights []int64, write bool) bool {
	made := make([][]byte, 0, len(sources))
	factors := make([]int64, 0, len(sources))
	for i := range s.cells.Pages() {
		made, factors = made[:0], factors[:0]
		for j, source := range sources {
			if page := source.cells.Page(i); page != nil {
				made, factors = append(made, page), append(factors, weights[j])
			}
		}
		var to []byte
		if write && (len(made) > 0 || s.cells.Page(i) != nil) {
			to = s.cells.Make(i)
		}
		if len(made) == 0 {
			clear(to)
		} else if !mergePage(to, made, factors) {
			return false
		}
	}
	return true
}

// mergePage computes the cells of a page, and writes them if to is there.
func mergePage(to []byte, made [][]byte, factors []int64) bool {
	for at := 0; at < len(made[0]); at += cellBytes {
		sum, ok := int64(0), true
		for i, page := range made {
			var n int64
			n, ok = times(uint64(binary.LittleEndian.Uint32(page[at:])), factors[i])
			if sum, ok = plus(sum, n, ok); !ok {
				return false
			}
		}
		if sum < 0 || sum > Most {
			return false
		}
		if to != nil {
			binary.LittleEndian.PutUint32(to[at:], uint32(sum))
		}
	}
	return true
}

// times returns a product, and whether it is one.
func times(n uint64, weight int64) (product int64, ok bool) {
	magnitude := uint64(weight)
	if weight < 0 {
		magnitude = -magnitude
	}
	high, low := bits.Mul64(n, magnitude)
	switch {
	case high > 0:
		return 0, false
	case weight < 0:
		return -int64(low), low <= 1<<63
	}
	return int64(low), low <= math.MaxInt64
}

// plus returns a sum, and whether it and b are ones.
func plus(a, b int64, ok bool) (sum int64, _ bool) {
	sum = a + b
	return sum, ok && (sum > a) == (b > 0)
}

// Width returns the number of cells of a row.
func (s *Sketch) Width() uint64 { return s.width }

// Depth returns the number of rows.
func (s *Sketch) Depth() uint64 { return s.depth }

// Total returns the sum of all that was counted.
func (s *Sketch) Total() uint64 { return s.total }

// Used returns how many cells are not 0, and how many are at their highest value. O(cells made).
func (s *Sketch) Used() (used, full uint64) {
	for i := range s.cells.Pages() {
		page := s.cells.Page(i)
		for at := 0; at < len(page); at += cellBytes {
			switch binary.LittleEndian.Uint32(page[at:]) {
			case 0:
			case Most:
				full++
				fallthrough
			default:
				used++
			}
		}
	}
	return used, full
}

// CellBytes returns the bytes of all cells, be they made or not.
func (s *Sketch) CellBytes() uint64 { return s.cells.Len() }

// AppendCells appends up to most bytes of the cells from an offset below CellBytes on.
func (s *Sketch) AppendCells(dst []byte, offset, most uint64) []byte {
	return s.cells.Append(dst, offset, min(most, s.cells.Len()-offset))
}

// Len returns the number of cells: items are not known.
func (s *Sketch) Len() int { return int(s.width * s.depth) }

// Bytes returns the bytes beyond the Sketch itself, as the allocator rounds them, when all cells
// are made.
func (s *Sketch) Bytes() int { return s.cells.Held() }

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (s *Sketch) Encoding() string { return "raw" }

// Clone returns a copy that shares nothing with s. O(bytes made).
func (s *Sketch) Clone() value.Value {
	c := *s
	c.cells = s.cells.Clone()
	return &c
}

// Packed returns false: a sketch is more than its cells.
func (s *Sketch) Packed() ([]byte, bool) { return nil, false }

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none.
func (s *Sketch) Check() error {
	if s.width == 0 || s.depth == 0 || s.depth > maxDepth || s.cells.Len() != s.width*s.depth*cellBytes ||
		s.cells.Len() > maxBytes {
		return fmt.Errorf("countmin: %d bytes for %d rows of %d cells", s.cells.Len(), s.depth, s.width)
	}
	return nil
}
