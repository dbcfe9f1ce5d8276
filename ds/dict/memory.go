package dict

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/parallel"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Memory is where a table lies, if not in Go's heap.
type Memory = value.Memory

// run is a growing row of buckets that are never moved, but for the first few.
//
//	pieces: [p0][p1][p2] ...   64 buckets each; p0 begins with one bucket and is doubled until it
//	                           has 64
type run struct {
	pieces []unsafe.Pointer
	first  uint32 // buckets in p0
	held   int    // bytes of the pieces
}

const (
	pieceBits   = 6
	perPiece    = 1 << pieceBits
	pieceOffset = perPiece - 1
)

// at returns bucket i, for which there is room.
func (r *run) at(i uint32) *chainBucket {
	piece := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.pieces)),
		uintptr(i>>pieceBits)*unsafe.Sizeof(uintptr(0))))
	return (*chainBucket)(unsafe.Add(piece, int(i&pieceOffset)*bucketBytes))
}

// grow makes room for bucket i, where there is room for those before it. The bucket is zero.
func (r *run) grow(i uint32, mem Memory) {
	switch {
	case int(i>>pieceBits) < len(r.pieces) && (i >= perPiece || i < r.first):
	case i >= perPiece:
		r.add(perPiece, mem)
	case i == 0:
		r.add(1, mem)
		r.first = 1
	default:
		r.double(mem)
	}
}

// add adds a piece with n buckets.
func (r *run) add(n uint32, mem Memory) {
	p, held := newPiece(n, mem)
	r.pieces = append(r.pieces, p)
	r.held += held
}

// double doubles the first piece.
func (r *run) double(mem Memory) {
	old := r.pieces[0]
	p, held := newPiece(2*r.first, mem)
	copy(unsafe.Slice((*chainBucket)(p), r.first), unsafe.Slice((*chainBucket)(old), r.first))
	r.pieces[0] = p
	r.held += held - freePiece(old, r.first, mem)
	r.first *= 2
}

// shrink gives back pieces behind bucket i-1, but for one, so that a table at a boundary costs
// nothing.
func (r *run) shrink(i uint32, mem Memory) {
	for last := len(r.pieces) - 1; last > int(i>>pieceBits)+1; last-- {
		r.held -= freePiece(r.pieces[last], perPiece, mem)
		r.pieces[last] = nil
		r.pieces = r.pieces[:last]
	}
}

// free gives back all pieces.
func (r *run) free(mem Memory) {
	for i, p := range r.pieces {
		freePiece(p, r.room(i), mem)
	}
	*r = run{}
}

// Pieces returns how many pieces of its Memory the table has. O(1).
func (x *Index) Pieces() int {
	if x.more == nil {
		return len(x.buckets.pieces)
	}
	return len(x.buckets.pieces) + len(x.more.pieces)
}

// ReplacePiece is for an owner that moves the table within its Memory: what fn returns takes the
// place of piece i.
func (x *Index) ReplacePiece(i int, fn func(p unsafe.Pointer) unsafe.Pointer) {
	pieces := x.buckets.pieces
	if i >= len(pieces) {
		i, pieces = i-len(pieces), x.more.pieces
	}
	pieces[i] = fn(pieces[i])
}

// Settle moves the table to mem, or with compact those of its pieces that are in memory which is
// being emptied. O(1) if there is nothing to do, else O(n).
func (x *Index) Settle(mem Memory, compact bool) {
	if x.mem == mem && !compact {
		return
	}
	x.buckets.settle(x.mem, mem)
	if x.more != nil {
		x.more.settle(x.mem, mem)
	}
	x.mem = mem
}

// settle moves the pieces from one memory to another, or within it those that are to be moved.
func (r *run) settle(from, to Memory) {
	for i, old := range r.pieces {
		if from == to && !to.Retired(old) {
			continue
		}
		n := r.room(i)
		p, held := newPiece(n, to)
		copy(unsafe.Slice((*chainBucket)(p), n), unsafe.Slice((*chainBucket)(old), n))
		r.pieces[i] = p
		r.held += held - freePiece(old, n, from)
	}
}

// Drop frees about n pieces of a table that is not used for anything else any more, and reports
// whether there are more.
func (x *Index) Drop(n int) (more bool) {
	if x.mem == nil {
		return false
	}
	more = x.buckets.drop(n, x.mem)
	return x.more != nil && x.more.drop(n, x.mem) || more
}

func (r *run) drop(n int, mem Memory) (more bool) {
	for last := len(r.pieces) - 1; last >= 0 && n > 0; last, n = last-1, n-1 {
		freePiece(r.pieces[last], r.room(last), mem)
		r.pieces = r.pieces[:last]
	}
	return len(r.pieces) > 0
}

// newPiece returns n buckets that are zero, and how many bytes they take.
func newPiece(n uint32, mem Memory) (p unsafe.Pointer, held int) {
	if mem == nil {
		return unsafe.Pointer(unsafe.SliceData(make([]chainBucket, n))), sizeclass.Round(int(n) * bucketBytes)
	}
	return mem.Block(int(n) * bucketBytes)
}

// freePiece frees n buckets and returns how many bytes they took.
func freePiece(p unsafe.Pointer, n uint32, mem Memory) (held int) {
	if mem == nil {
		return sizeclass.Round(int(n) * bucketBytes)
	}
	return mem.FreeBlock(p, int(n)*bucketBytes)
}

// Held returns the bytes of the buckets, which lie in the table's Memory. O(1).
func (x *Index) Held() int {
	if x.more == nil {
		return x.buckets.held
	}
	return x.buckets.held + x.more.held
}

// Bytes returns the bytes that the table takes; not the elements, nor the Index itself. O(1).
func (x *Index) Bytes() int {
	n := x.Held() + x.buckets.bytes()
	if x.more != nil {
		n += x.more.bytes() + sizeclass.RoundScanned(int(unsafe.Sizeof(*x.more))) +
			sizeclass.Round(cap(x.more.deep)*int(unsafe.Sizeof(uint32(0))))
	}
	return n
}

// bytes returns what finds the pieces takes.
func (r *run) bytes() int {
	return sizeclass.RoundScanned(cap(r.pieces) * int(unsafe.Sizeof(uintptr(0))))
}

// CloneIn returns a copy of the table in mem, with twin(r) in place of each reference; copied(p, n)
// is the copy of n bytes of the table's Memory. twin must be safe for concurrent use. A pause is
// not copied. O(n).
func (x *Index) CloneIn(mem Memory, copied func(p unsafe.Pointer, n int) unsafe.Pointer, twin func(r Ref) Ref) *Index {
	c := *x
	c.mem, c.paused, c.buckets = mem, 0, x.buckets.clone(copied)
	runs := []*run{&c.buckets}
	if x.more != nil {
		c.more = &overflow{x.more.clone(copied), x.more.vacant, x.more.used, append([]uint32(nil), x.more.deep...)}
		runs = append(runs, &c.more.run)
	}
	for _, r := range runs {
		parallel.Each(len(r.pieces), piecesAtOnce, func(i, end int) {
			for ; i < end; i++ {
				r.redirect(i, twin)
			}
		})
	}
	return &c
}

// clone returns a copy, whose pieces are those that copied returns.
func (r *run) clone(copied func(p unsafe.Pointer, n int) unsafe.Pointer) run {
	c := *r
	c.pieces = make([]unsafe.Pointer, len(r.pieces))
	for i, p := range r.pieces {
		c.pieces[i] = copied(p, int(r.room(i))*bucketBytes)
	}
	return c
}

// room returns how many buckets piece i has.
func (r *run) room(i int) uint32 {
	if i == 0 {
		return r.first
	}
	return perPiece
}

// piecesAtOnce is how many pieces are redirected by one goroutine before it asks for more.
const piecesAtOnce = 128

// redirect puts twin(r) in place of each reference of piece i.
func (r *run) redirect(i int, twin func(r Ref) Ref) {
	buckets := unsafe.Slice((*chainBucket)(r.pieces[i]), r.room(i))
	for j := range buckets {
		b := &buckets[j]
		for k := range b.count() {
			b.refs[k] = twin(b.refs[k])
		}
	}
}

// Clone returns a copy of a table in Go's heap, for elements that have the same references. O(n).
func (x *Index) Clone() *Index {
	return x.CloneIn(nil, copyPiece, func(r Ref) Ref { return r })
}

func copyPiece(p unsafe.Pointer, n int) unsafe.Pointer {
	c := make([]chainBucket, n/bucketBytes)
	copy(c, unsafe.Slice((*chainBucket)(p), len(c)))
	return unsafe.Pointer(unsafe.SliceData(c))
}
