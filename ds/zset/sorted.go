package zset

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/skiplist"
)

// sorted is the encoding of a large set: the same nodes in order and by member.
type sorted struct {
	list      skiplist.List
	members   dict.Map[*skiplist.Node]
	deadlines *expiry.Table[*skiplist.Node]
}

// randomBits is what dice is asked for where bits are wanted and not a number: 62 of them.
const randomBits = 1 << 62

// newSorted returns an empty set with room for n members.
func newSorted(n int, dice func(n uint64) uint64) *sorted {
	t := &sorted{}
	t.members.Init(dice(randomBits)).Reserve(n)
	return t
}

// bytes returns the bytes held, the struct's own included, rounded as the allocator does.
func (t *sorted) bytes() int {
	return int(unsafe.Sizeof(*t)+15)&^15 + t.list.Bytes() + t.members.Bytes() + t.deadlines.Bytes()
}

func (t *sorted) add(member []byte, score float64, dice func(n uint64) uint64) (added, changed bool) {
	h := t.members.Hash(dict.Key(member))
	n, ok := t.members.FindHash(h, dict.Key(member))
	switch {
	case !ok:
		t.insert(h, member, score, dice)
	case n.Score() != score:
		t.list.UpdateScore(n, score)
		return false, true
	}
	return !ok, false
}

// insert adds a member known to be new; h is its hash.
func (t *sorted) insert(h uint64, member []byte, score float64, dice func(n uint64) uint64) {
	t.members.InsertHash(h, t.list.Insert(score, member, dice(randomBits)))
}

func (t *sorted) remove(member []byte) bool {
	n, ok := t.members.Delete(dict.Key(member))
	if ok {
		t.list.Delete(n)
		t.setDeadline(n, 0)
	}
	return ok
}

// setDeadline gives a node the deadline, 0 for none.
func (t *sorted) setDeadline(n *skiplist.Node, deadline int64) {
	t.deadlines = t.deadlines.With(t.members.Seed(), n, deadline)
}

func (t *sorted) clone() *sorted {
	c := &sorted{}
	c.members.Init(t.members.Seed()).Reserve(t.members.Len())
	t.list.CloneInto(&c.list, c.members.Insert)
	if t.deadlines != nil {
		t.deadlines.Each(func(n *skiplist.Node, deadline int64) bool {
			twin, _ := c.members.Find(n.Key())
			c.setDeadline(twin, deadline)
			return true
		})
	}
	return c
}
