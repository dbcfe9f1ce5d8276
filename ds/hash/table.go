package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// table is the encoding of a large hash.
type table struct {
	index     dict.Index
	pairs     arena.Arena
	seed      uint64
	deadlines *expiry.Table
	cursor    uint64 // of the walk that compacts pairs
	frozen    *walk  // nil unless a snapshot is under way
}

// newTable returns an empty table with room for n pairs.
func newTable(n int, seed uint64) *table {
	t := &table{seed: seed}
	t.index.Reserve(n)
	return t
}

func (t *table) bytes() int {
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.index.Bytes() + t.pairs.Bytes() + t.deadlines.Bytes()
}

// HashOf returns the hash of a pair's field, for the index.
func (t *table) HashOf(p pair) uint64 { return dict.Hash(t.seed, arena.Key(t.pairs.At(p))) }

// find returns the slot of the pair with the given field, nil if there is none, and the hash.
func (t *table) find(field []byte) (slot *pair, h uint64) {
	return t.index.FindText(t.seed, dict.Key(field), t.pairs.Cells(), 0)
}

// pair returns the pair with the given field, 0 if there is none.
func (t *table) pair(field []byte) pair {
	if slot, _ := t.find(field); slot != nil {
		return *slot
	}
	return 0
}

func (t *table) lookup(field []byte) (value ziplist.Entry, ok bool) {
	slot, _ := t.find(field)
	if slot == nil {
		return value, false
	}
	value.Str = arena.Text(behind(arena.Text(t.pairs.At(*slot))))
	return value, true
}

// set gives field the value and reports whether the field is new. One that is not keeps its
// deadline.
func (t *table) set(field, value []byte) (created bool) {
	slot, h := t.find(field)
	if slot == nil {
		t.insert(h, field, value)
		return true
	}
	p := *slot
	t.preserve(p)
	start := behind(t.field(p))
	size := pairSize(len(field), len(arena.Text(start)))
	if arena.Size(size) == arena.Size(pairSize(len(field), len(value))) {
		arena.PutText(start, value)
		return false
	}
	*slot = t.newPair(field, value)
	t.replaced(p, *slot)
	t.free(p, size)
	return false
}

// insert adds a field known to be new, whose hash is h.
func (t *table) insert(h uint64, field, value []byte) pair {
	if t.frozen != nil {
		t.frozen.added(h, field)
	}
	p := t.newPair(field, value)
	t.index.Insert(h, p, t)
	if t.pairs.Compacting() {
		t.compact()
	}
	return p
}

// replaced gives the deadline of a pair to the one that took its place.
func (t *table) replaced(old, by pair) {
	if t.deadlines != nil {
		t.deadlines.Replace(old, by)
	}
}

// deadline returns the deadline of a pair, 0 if it has none.
func (t *table) deadline(p pair) int64 {
	if t.deadlines == nil {
		return 0
	}
	return t.deadlines.At(p)
}

// setDeadline gives a pair the deadline, 0 for none.
func (t *table) setDeadline(p pair, deadline int64) {
	t.deadlines = t.deadlines.With(p, deadline, t.pairs.Memory())
}

func (t *table) delete(field []byte) bool {
	slot, h := t.find(field)
	if slot == nil {
		return false
	}
	p := *slot
	t.preserve(p)
	t.index.Remove(h, slot, t)
	t.setDeadline(p, 0)
	t.free(p, t.size(p))
	return true
}

// free frees the cell of a pair.
func (t *table) free(p pair, size int) {
	t.pairs.Free(p, size)
	if t.pairs.Compacting() || t.pairs.Sparse() {
		t.compact()
	}
}

// compact moves the pairs of some chains out of the blocks that are given up.
func (t *table) compact() { t.cursor = t.index.Compact(&t.pairs, t.cursor, t.move) }

// move moves a pair if it has to, and returns its new reference, or the one that it has.
func (t *table) move(p pair) pair {
	if !t.pairs.Retired(p) {
		return p
	}
	to := t.pairs.Move(p, t.size(p))
	t.replaced(p, to)
	return to
}

func (t *table) clone() *table {
	return &table{index: *t.index.Clone(), pairs: t.pairs.Clone(), seed: t.seed, deadlines: t.deadlines.Clone(),
		cursor: t.cursor}
}
