package zset

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/lapse"
	"github.com/miniserver-go/miniserver/ds/skiplist"
)

// sorted is the large form of a set: the same nodes in order and by member.
type sorted struct {
	list    skiplist.List
	members dict.Map[*skiplist.Node]
	dates   *lapse.Table[*skiplist.Node]
}

// wide is what dice is asked for where bits are wanted and not a number: 62 of them.
const wide = 1 << 62

// newSorted returns an empty set with room for n members.
func newSorted(n int, dice func(n uint64) uint64) *sorted {
	t := &sorted{}
	t.members.Init(dice(wide)).Reserve(n)
	return t
}

// bytes returns the bytes held, the struct's own included, rounded as the allocator does.
func (t *sorted) bytes() int {
	n := int(unsafe.Sizeof(*t)+15)&^15 + t.list.Bytes() + t.members.Bytes()
	if t.dates != nil {
		n += t.dates.Bytes()
	}
	return n
}

func (t *sorted) add(member []byte, score float64, dice func(n uint64) uint64) (added, changed bool) {
	h := t.members.Hash(view(member))
	n, ok := t.members.FindHash(h, view(member))
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
	t.members.InsertHash(h, t.list.Insert(score, member, dice(wide)))
}

func (t *sorted) remove(member []byte) bool {
	n, ok := t.members.Delete(view(member))
	if ok {
		t.list.Delete(n)
		t.date(n, 0)
	}
	return ok
}

// date gives a node the deadline, 0 for none.
func (t *sorted) date(n *skiplist.Node, deadline int64) {
	switch {
	case t.dates != nil:
		t.dates.Put(n, deadline)
	case deadline != 0:
		t.dates = lapse.NewTable[*skiplist.Node](t.members.Seed())
		t.dates.Put(n, deadline)
	}
}

func (t *sorted) clone() *sorted {
	c := &sorted{}
	c.members.Init(t.members.Seed()).Reserve(t.members.Len())
	t.list.CloneInto(&c.list, c.members.Insert)
	if t.dates != nil {
		t.dates.Each(func(n *skiplist.Node, deadline int64) bool {
			twin, _ := c.members.Find(n.Key())
			c.date(twin, deadline)
			return true
		})
	}
	return c
}
