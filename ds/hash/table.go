package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// table is the encoding of a large hash.
type table struct {
	pairs     dict.Map[pair]
	held      int // bytes of the pairs' blocks
	deadlines *expiry.Table[pair]
}

// newTable returns an empty table with room for n pairs.
func newTable(n int, seed uint64) *table {
	t := &table{}
	t.pairs.Init(seed).Reserve(n)
	return t
}

func (t *table) bytes() int {
	return sizeclass.Round(int(unsafe.Sizeof(*t))) + t.pairs.Bytes() + t.held + t.deadlines.Bytes()
}

func (t *table) lookup(field []byte) (value ziplist.Entry, ok bool) {
	p, ok := t.pairs.Find(dict.Key(field))
	if ok {
		value.Str = p.value()
	}
	return value, ok
}

// set gives field the value and reports whether the field is new. One that is not keeps its deadline.
func (t *table) set(field, value []byte) (created bool) {
	h := t.pairs.Hash(dict.Key(field))
	slot := t.pairs.LookupHash(h, dict.Key(field))
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
	if t.deadlines != nil {
		t.deadlines.Replace(before, *slot)
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

// setDeadline gives a pair the deadline, 0 for none.
func (t *table) setDeadline(p pair, deadline int64) {
	t.deadlines = t.deadlines.With(t.pairs.Seed(), p, deadline)
}

func (t *table) delete(field []byte) bool {
	p, ok := t.pairs.Delete(dict.Key(field))
	if ok {
		t.held -= p.bytes()
		t.setDeadline(p, 0)
	}
	return ok
}

func (t *table) clone() *table {
	c := newTable(t.pairs.Len(), t.pairs.Seed())
	t.pairs.Each(func(p pair) bool {
		twin := c.insert(p.field(), p.value())
		if t.deadlines != nil {
			c.setDeadline(twin, t.deadlines.At(p))
		}
		return true
	})
	return c
}
