package zset

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/skiplist"
)

// sorted is the encoding of a large set: the same nodes in order and by member.
type sorted struct {
	list      skiplist.List
	members   dict.Index
	seed      uint64
	deadlines *expiry.Table
	cursor    uint64 // of the walk that compacts the list
	frozen    *walk  // nil unless a snapshot is under way
}

// node names a node of the list.
type node = skiplist.Ref

// randomBits is what dice is asked for where bits are wanted and not a number: 62 of them.
const randomBits = 1 << 62

// newSorted returns an empty set with room for n members.
func newSorted(n int, dice func(n uint64) uint64) *sorted {
	t := &sorted{seed: dice(randomBits)}
	t.members.Reserve(n)
	return t
}

// bytes returns the bytes held, the struct's own included, rounded as the allocator does.
func (t *sorted) bytes() int {
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.list.Bytes() + t.members.Bytes() + t.deadlines.Bytes()
}

// HashOf returns the hash of a node's member, for the table of members.
func (t *sorted) HashOf(n node) uint64 { return dict.Hash(t.seed, t.list.Key(n)) }

// find returns the slot of the node of a member, nil if there is none, and the hash.
func (t *sorted) find(member []byte) (slot *node, h uint64) {
	return t.members.FindText(t.seed, dict.Key(member), t.list.Cells(), skiplist.MemberAt)
}

// node returns the node of a member, 0 if there is none.
func (t *sorted) node(member []byte) node {
	if slot, _ := t.find(member); slot != nil {
		return *slot
	}
	return 0
}

// pair returns the member and the score of a node.
func (t *sorted) pair(n node) (member []byte, score float64) {
	return t.list.Member(n), t.list.Score(n)
}

func (t *sorted) add(member []byte, score float64, dice func(n uint64) uint64) (added, changed bool) {
	slot, h := t.find(member)
	switch {
	case slot == nil:
		t.insert(h, member, score, dice)
	case t.list.Score(*slot) != score:
		t.preserve(*slot)
		t.list.UpdateScore(*slot, score)
		return false, true
	}
	return slot == nil, false
}

// insert adds a member known to be new; h is its hash.
func (t *sorted) insert(h uint64, member []byte, score float64, dice func(n uint64) uint64) {
	if t.frozen != nil {
		t.frozen.Touch(member)
	}
	t.members.Insert(h, t.list.Insert(score, member, dice(randomBits)), t)
	if t.list.Compacting() {
		t.compact()
	}
}

func (t *sorted) remove(member []byte) bool {
	slot, h := t.find(member)
	if slot == nil {
		return false
	}
	n := *slot
	t.forget(h, slot)
	t.list.Delete(n)
	t.tidy()
	return true
}

// forget takes the node in a slot, whose hash is h, out of everything but the list.
func (t *sorted) forget(h uint64, slot *node) {
	t.preserve(*slot)
	t.setDeadline(*slot, 0)
	t.members.Remove(h, slot, t)
}

// tidy compacts the list if it is due.
func (t *sorted) tidy() {
	if t.list.Compacting() || t.list.Sparse() {
		t.compact()
	}
}

// compact moves the nodes of some chains out of the blocks that are given up.
func (t *sorted) compact() { t.cursor = t.members.Compact(&t.list, t.cursor, t.move) }

// move moves a node if it has to, and returns its new reference, or the one that it has.
func (t *sorted) move(n node) node {
	to := t.list.Move(n)
	if to != n {
		t.deadlines.Replace(n, to)
	}
	return to
}

// setDeadline gives a node the deadline, 0 for none.
func (t *sorted) setDeadline(n node, deadline int64) {
	t.deadlines = t.deadlines.With(n, deadline, t.list.Memory())
}

func (t *sorted) clone() *sorted {
	return &sorted{list: t.list.Clone(), members: *t.members.Clone(), seed: t.seed, deadlines: t.deadlines.Clone(),
		cursor: t.cursor}
}
