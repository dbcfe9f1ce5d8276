package keyspace

import (
	"math/bits"
	"slices"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// The index of deadlines has one item for each entry with a deadline: the time, and a code of the
// key's hash. When an item comes up, the code leads to the entry. Two entries may have the same
// code; each has an item of its own.
//
// A deadline that moves later leaves its item where it is; when the item comes up, the entry gets a
// new one at its real deadline. So a limiter that renews its EXPIRE on every call writes eight
// bytes and no more. A deadline that moves earlier, or goes away, removes its item if the item is
// known to stand exactly at the old deadline (flag exact), and leaves it behind as an orphan
// otherwise. The index is rebuilt when orphans outnumber the living.

// expires is the deadlines of keys in order. The deadline itself is in the entry, see entry.go.
type expires struct {
	keys    *table
	index   *deadlines.Index
	len     int            // keys that have a deadline
	sum     deadlineSum    // of their deadlines
	sampled deadlines.Item // where a walk through the index for samples goes on
}

func newExpires(keys *table, cells *slab.Slab) expires {
	return expires{keys: keys, index: deadlines.New(cells)}
}

// deadlineSum is a sum of deadlines, of 128 bits.
type deadlineSum struct{ high, low uint64 }

// change puts one deadline in place of another; 0 is none. Neither is negative.
func (s *deadlineSum) change(old, deadline int64) {
	low, borrow := bits.Sub64(s.low, uint64(old), 0)
	low, carry := bits.Add64(low, uint64(deadline), 0)
	s.low, s.high = low, s.high+carry-borrow
}

// over returns the sum over n.
func (s *deadlineSum) over(n int) int64 {
	mean, _ := bits.Div64(s.high, s.low, uint64(n))
	return int64(mean)
}

// set gives an entry with room for a deadline another one, which is not 0.
func (x *expires) set(h *header, hash uint64, deadline int64) {
	old := h.deadline()
	*h.deadlineRoom() = deadline
	x.sum.change(old, deadline)
	switch {
	case old == 0:
		x.len++
		x.insert(h, dict.Code(hash))
	case deadline > old:
		h.clearFlag(exact)
	default:
		x.delete(h, hash, old)
		x.insert(h, dict.Code(hash))
	}
	x.reindexIfDue()
}

// insert puts an item at the entry's deadline.
func (x *expires) insert(h *header, code uint32) {
	x.index.Insert(deadlines.Item{At: h.deadline(), Code: code})
	h.setFlag(exact)
}

// delete removes the entry's item if its place is known: exactly at the deadline that the entry
// had.
func (x *expires) delete(h *header, hash uint64, deadline int64) {
	if h.hasFlag(exact) {
		x.index.Delete(deadlines.Item{At: deadline, Code: dict.Code(hash)})
		h.clearFlag(exact)
	}
}

// forget ends the deadline of an entry.
func (x *expires) forget(e entry, hash uint64) {
	h := e.head()
	deadline := h.deadline()
	if deadline == 0 {
		return
	}
	*h.deadlineRoom() = 0
	x.len--
	x.sum.change(deadline, 0)
	x.delete(h, hash, deadline)
	x.reindexIfDue()
}

// orphans returns how many items have no entry.
func (x *expires) orphans() int { return x.index.Len() - x.len }

// reindexIfDue builds the index anew if most items are orphans.
func (x *expires) reindexIfDue() {
	if x.orphans() > x.len+1024 {
		x.reindex()
	}
}

func (x *expires) reindex() {
	items := make([]deadlines.Item, 0, x.len)
	x.keys.each(func(e entry) bool {
		if h := e.head(); h.hasFlag(dated) {
			items = append(items, deadlines.Item{At: h.deadline(), Code: dict.Code(x.keys.hash(e))})
			h.setFlag(exact)
		}
		return true
	})
	slices.SortFunc(items, deadlines.Item.Compare)
	x.index.Clear()
	for _, item := range items { // in order, which fills the leaves
		x.index.Insert(item)
	}
}

// claim returns the entry that an item stands for: one whose item is exactly there, or else, among
// those whose item is anywhere before the deadline, the one that is due first, so that the other
// items are not too late for the others. An orphan has none.
func (x *expires) claim(item deadlines.Item) (found entry) {
	x.keys.eachWithCode(item.Code, func(e entry) bool {
		switch h := e.head(); {
		case !h.hasFlag(dated):
		case h.hasFlag(exact):
			if h.deadline() == item.At {
				found = e
				return false
			}
		case found.absent() || h.deadline() < found.head().deadline():
			found = e
		}
		return true
	})
	return found
}
