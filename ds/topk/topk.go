// Package topk is the Top-K sketch: which items of a stream are the most frequent, and how frequent
// they are, in memory that does not grow with the number of items. It is HeavyKeeper, of Yang,
// Zhang, Li, Gong, Uhlig, Chen and Li, "HeavyKeeper: An Accurate Algorithm for Finding Top-k
// Elephant Flows" (2019).
//
//	         width
//	       ┌─┬─┬─┬─┐   a cell: fingerprint, count        heap of k items, the rarest on top:
//	depth  ├─┼─┼─┼─┤                                     an item that is counted at least as often
//	       └─┴─┴─┴─┘   row i: cell  hash(item, i) % width    as that one takes its place
//
// An item has a cell in each row. It counts up a cell that has its fingerprint, and takes one that
// is empty. A cell of another item it counts down with a chance of decay^count, and takes it when
// the count is 0. So a frequent item keeps its cells, and a rare one loses them.
//
// An item that is in the heap gets the count of its cells, which may be less than before. Then it
// only moves down, so that the order of the heap is not strict.
//
// Invariants, verified by Check:
//
//  1. Width, depth and k are at least 1, and decay is above 0 and at most 1.
//  2. An item is in the heap once, with its fingerprint; an index, if there is one, finds it.
//  3. The bytes of the items are those that are accounted.
//
// Hashes, the order of the heap and the saved form are those of RedisBloom. Its random numbers come
// from the C library, seeded with the time; here they are part of the sketch, so that replicas and
// journals repeat what happened, and the same commands always make the same sketch. They are saved
// in a field that RedisBloom fills with a memory address and ignores when it loads. In RedisBloom,
// one trial in 2^31 keeps the count of a cell even at a decay of 1; here none does.
//
// RedisBloom searches all of the heap for an item; beyond indexedFrom items this package has an
// index. Cells lie in pages that are made when they are written, but are accounted from the start.
package topk

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/pages"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// MaxBytes bounds the cells and the heap of one sketch.
const MaxBytes = 16 << 30

// MaxIncrement is how often an item can be added at once.
const MaxIncrement = 100_000

// Options are the properties of a new sketch.
type Options struct {
	K     uint32  // how many items it keeps
	Width uint32  // cells of a row
	Depth uint32  // rows
	Decay float64 // base of the chance that a cell loses a count to another item
}

// Default returns the options of a sketch of which only k is known.
func Default(k uint32) Options { return Options{K: k, Width: 8, Depth: 7, Decay: 0.9} }

// Valid reports whether a sketch can have the options.
func (o Options) Valid() bool {
	return o.K > 0 && o.Width > 0 && o.Depth > 0 && o.Decay > 0 && o.Decay <= 1 &&
		cellBytes*float64(o.Width)*float64(o.Depth)+float64(unsafe.Sizeof(Entry{}))*float64(o.K) <= MaxBytes
}

// Bytes returns the bytes of the cells and the heap of a sketch with valid options.
func (o Options) Bytes() int {
	return cellBytes*int(o.Width)*int(o.Depth) + int(unsafe.Sizeof(Entry{}))*int(o.K)
}

// Sketch is one sketch. New makes one; the zero value is of no use.
type Sketch struct {
	Options
	cells     pages.Block
	heap      []Entry
	index     index // nil if the heap is short
	chances   *chances
	state     uint64 // of the random numbers
	itemBytes int    // of the items in the heap, as the allocator rounds them
}

// Entry is an item of the heap. The zero value is an empty place.
type Entry struct {
	Item  string
	hash  uint32 // its fingerprint
	Count uint32
}

// Empty reports whether the place is empty. The empty item has a fingerprint that is not 0.
func (e *Entry) Empty() bool { return e.Item == "" && e.hash == 0 }

// A cell is a fingerprint and a count, of 4 bytes each, little-endian.
const cellBytes = 8

// fingerprintSeed is the seed of fingerprints; those of the rows are their numbers.
const fingerprintSeed = 1919

func fingerprint(item []byte) uint32 { return murmur.Hash32(item, fingerprintSeed) }

// New returns an empty sketch. The options must be valid.
func New(o Options) *Sketch {
	s := &Sketch{Options: o, cells: pages.New(uint64(o.Width)*uint64(o.Depth)*cellBytes, pages.Size),
		heap: make([]Entry, o.K), chances: chancesOf(o.Decay)}
	if o.K >= indexedFrom {
		s.index = newIndex(int(o.K))
	}
	return s
}

// cell returns where the cell of an item in a row is.
func (s *Sketch) cell(item []byte, row uint32) (offset uint64) {
	return (uint64(row)*uint64(s.Width) + uint64(murmur.Hash32(item, row)%s.Width)) * cellBytes
}

// cellAt returns the fingerprint and the count of a cell.
func (s *Sketch) cellAt(offset uint64) (hash, count uint32) {
	page := s.cells.Page(offset / pages.Size)
	if page == nil {
		return 0, 0
	}
	at := page[offset%pages.Size:]
	return binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
}

func (s *Sketch) setCell(offset uint64, hash, count uint32) {
	at := s.cells.Make(offset / pages.Size)[offset%pages.Size:]
	binary.LittleEndian.PutUint32(at, hash)
	binary.LittleEndian.PutUint32(at[4:], count)
}

// Add counts an item n times, at most MaxIncrement. It returns the item that leaves the heap for
// it; ok is false if none does. O(depth * length of item + log k), plus the search of a heap
// without index.
func (s *Sketch) Add(item []byte, n uint32) (left string, ok bool) {
	hash, most := fingerprint(item), uint32(0)
	for row := range s.Depth {
		most = max(most, s.count(s.cell(item, row), hash, n))
	}
	if most < s.heap[0].Count {
		return "", false
	}
	if i := s.find(hash, item); i >= 0 {
		e := s.take(i)
		e.Count = most
		s.sink(i, e)
		return "", false
	}
	out := s.take(0)
	s.itemBytes += sizeclass.Round(len(item)) - sizeclass.Round(len(out.Item))
	s.sink(0, Entry{Item: string(item), hash: hash, Count: most})
	return out.Item, !out.Empty()
}

// count counts an item n times in a cell, and returns its count there, 0 if the cell is that of
// another item.
func (s *Sketch) count(offset uint64, hash, n uint32) uint32 {
	owner, count := s.cellAt(offset)
	switch {
	case count == 0:
		count = n
	case owner == hash:
		count += n
	default:
		if count, n = s.decayed(count, n); count > 0 {
			s.setCell(offset, owner, count)
			return 0
		}
		count = n
	}
	s.setCell(offset, hash, count)
	return count
}

// find returns where an item is in the heap, -1 if it is not.
func (s *Sketch) find(hash uint32, item []byte) int {
	if s.index != nil {
		return s.index.find(s.heap, hash, item)
	}
	for i := range s.heap {
		if e := &s.heap[i]; e.hash == hash && e.Item == string(item) {
			return i
		}
	}
	return -1
}

// Has reports whether an item is in the heap.
func (s *Sketch) Has(item []byte) bool { return s.find(fingerprint(item), item) >= 0 }

// Count returns how often an item was added, about.
func (s *Sketch) Count(item []byte) (most uint32) {
	hash := fingerprint(item)
	least := uint32(0)
	if s.find(hash, item) >= 0 {
		least = s.heap[0].Count
	}
	for row := range s.Depth {
		if owner, count := s.cellAt(s.cell(item, row)); owner == hash && count >= least {
			most = max(most, count)
		}
	}
	return most
}

// List returns the items of the heap with their counts, the most frequent first. Items of equal
// counts are in the order of the heap. O(k log k).
func (s *Sketch) List() (list []Entry) {
	for _, e := range s.heap {
		if e.Count > 0 {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// take returns an entry of the heap, whose place waits for another one.
func (s *Sketch) take(i int) Entry {
	e := s.heap[i]
	if s.index != nil && !e.Empty() {
		s.index.remove(s.heap, e.hash, i)
	}
	return e
}

// sink puts an entry into the place that waits, or below. The children of place i are 2i+1 and
// 2i+2. An entry goes below a child of the same count only in the first step, as in RedisBloom.
func (s *Sketch) sink(i int, top Entry) {
	for first := true; ; first = false {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.heap[child].Count > s.heap[child+1].Count {
			child++
		}
		if count := s.heap[child].Count; count > top.Count || count == top.Count && !first {
			break
		}
		s.heap[i] = s.heap[child]
		if e := &s.heap[i]; s.index != nil && !e.Empty() {
			s.index.move(e.hash, child, i)
		}
		i = child
	}
	s.heap[i] = top
	if s.index != nil && !top.Empty() {
		s.index.add(top.hash, i)
	}
}

// Len returns the number of items in the heap. O(k).
func (s *Sketch) Len() (n int) {
	for i := range s.heap {
		if !s.heap[i].Empty() {
			n++
		}
	}
	return n
}

// UsedCells returns the number of cells with a count. O(cells made).
func (s *Sketch) UsedCells() (n int) {
	for i := range s.cells.Pages() {
		for at := s.cells.Page(i); len(at) > 0; at = at[cellBytes:] {
			if binary.LittleEndian.Uint32(at[4:]) > 0 {
				n++
			}
		}
	}
	return n
}
