package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/lapse"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// table is the large form of a hash.
type table struct {
	pairs dict.Map[pair]
	held  int // bytes of the pairs' blocks
	dates *lapse.Table[pair]
}

// newTable returns an empty table with room for n pairs.
func newTable(n int, seed uint64) *table {
	t := &table{}
	t.pairs.Init(seed).Reserve(n)
	return t
}

func (t *table) bytes() int {
	n := sizeclass.Round(int(unsafe.Sizeof(*t))) + t.pairs.Bytes() + t.held
	if t.dates != nil {
		n += t.dates.Bytes()
	}
	return n
}

func (t *table) lookup(field []byte) (value ziplist.Entry, ok bool) {
	p, ok := t.pairs.Find(view(field))
	if ok {
		value.Str = p.value()
	}
	return value, ok
}

// set gives field the value and reports whether the field is new. One that is not keeps its deadline.
func (t *table) set(field, value []byte) (created bool) {
	h := t.pairs.Hash(view(field))
	slot := t.pairs.LookupHash(h, view(field))
	if slot == nil {
		p := newPair(field, value)
		t.held += p.bytes()
		t.pairs.InsertHash(h, p)
		return true
	}
	old := slot.bytes()
	if sizeclass.Round(pairSize(len(field), len(value))) == old {
		slot.setValue(value)
		return false
	}
	before := *slot
	*slot = newPair(field, value)
	t.held += slot.bytes() - old
	if t.dates != nil {
		t.dates.Replace(before, *slot)
	}
	return false
}

// insert adds a field known to be new.
func (t *table) insert(field, value []byte) pair {
	p := newPair(field, value)
	t.held += p.bytes()
	t.pairs.Insert(p)
	return p
}

// date gives a pair the deadline, 0 for none.
func (t *table) date(p pair, deadline int64) {
	switch {
	case t.dates != nil:
		t.dates.Put(p, deadline)
	case deadline != 0:
		t.dates = lapse.NewTable[pair](t.pairs.Seed())
		t.dates.Put(p, deadline)
	}
}

func (t *table) delete(field []byte) bool {
	p, ok := t.pairs.Delete(view(field))
	if ok {
		t.held -= p.bytes()
		t.date(p, 0)
	}
	return ok
}

func (t *table) clone() *table {
	c := newTable(t.pairs.Len(), t.pairs.Seed())
	t.pairs.Each(func(p pair) bool {
		twin := c.insert(p.key(), p.value())
		if t.dates != nil {
			c.date(twin, t.dates.At(p))
		}
		return true
	})
	return c
}
