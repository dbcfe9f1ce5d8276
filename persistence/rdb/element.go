package rdb

import (
	"encoding/binary"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/lapse"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Deadlines of elements. A hash that has some is of a type of Redis 7.4:
//
//	earliest deadline i64 | fields { 0, or 1 + distance from the earliest | field | value }
//
// Those of sets, sorted sets and lists are in aux fields behind the key, one for each, which Redis skips:
//
//	deadline i64 | element, of a list its index in digits

// auxDeadline is the name of those fields.
const auxDeadline = "miniserver-element-deadline"

// datedHash encodes a hash of which some fields have deadlines.
func (e *Encoder) datedHash(h *hash.Hash) {
	first := int64(lapse.Max)
	h.Deadlines(func(_ []byte, deadline int64) bool {
		first = min(first, deadline)
		return true
	})
	e.millis(first)
	e.count(h.Len())
	var digits [20]byte
	h.Each(func(field, value ziplist.Entry) bool {
		if deadline, _ := h.Deadline(field.Text(digits[:])); deadline != 0 {
			e.length(uint64(deadline - first + 1))
		} else {
			e.length(0)
		}
		e.entry(field)
		e.entry(value)
		return true
	})
}

// deadlines adds the aux fields that tell the deadlines of elements.
func (r *Records) deadlines(v keyspace.Dated) {
	switch v := v.(type) {
	case *hash.Hash:
	case *list.List:
		for i := range v.Len() {
			if deadline := v.DeadlineAt(i); deadline != 0 {
				r.deadline(strconv.AppendInt(nil, int64(i), 10), deadline)
			}
		}
	default:
		v.Deadlines(func(element []byte, deadline int64) bool {
			r.deadline(element, deadline)
			return true
		})
	}
}

func (r *Records) deadline(element []byte, deadline int64) {
	r.byte(opAux)
	r.raw(bytesOf(auxDeadline))
	r.raw(append(binary.LittleEndian.AppendUint64(nil, uint64(deadline)), element...))
}

// Date gives the element that the Reader came to its deadline, if its key is in the keyspace.
func (r *Reader) Date(ks *keyspace.Keyspace) {
	ks.Begin()
	db := ks.DB(r.DB)
	found, ok := db.Edit(r.last)
	if !ok {
		return
	}
	v, dated := found.(keyspace.Dated)
	if l, isList := found.(*list.List); isList {
		i, err := strconv.Atoi(string(r.Text))
		if dated = err == nil && i >= 0 && i < l.Len(); dated {
			l.SetDeadlineAt(i, r.Deadline)
		}
	} else if dated {
		dated = v.SetDeadline(r.Text, r.Deadline, r.dec.Dice)
	}
	if !dated {
		r.dec.fail("an element that is not there has a deadline")
	}
	db.Settle(r.last)
}

// aux reads a field of text. One that tells the deadline of an element is an item of its own.
func (r *Reader) aux() {
	d := &r.dec
	r.Item = Aux
	r.Name = append(r.Name[:0], d.text()...)
	r.Text = d.text()
	if string(r.Name) != auxDeadline {
		return
	}
	if r.Item = Element; len(r.Text) < 8 || r.last == nil {
		d.fail("a deadline of an element is damaged")
		return
	}
	r.Deadline, r.Text = int64(binary.LittleEndian.Uint64(r.Text)), r.Text[8:]
	if r.Deadline < 1 || r.Deadline > lapse.Max {
		d.fail("a deadline of an element is out of range")
	}
}

// datedHash reads a hash of the types with deadlines.
func (d *decoder) datedHash(t byte) keyspace.Value {
	first := int64(1)
	if t == typeHashTTL || t == typeHashPackTTL {
		first = d.millis()
	}
	h := &hash.Hash{}
	if t == typeHashPackTTL || t == typeHashPackOld {
		d.triples(h)
		return d.orNil(h)
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		deadline := d.length()
		if deadline != 0 {
			deadline += uint64(first) - 1
		}
		d.first = append(d.first[:0], d.text()...)
		d.setDated(h, d.first, d.text(), deadline)
	}
	return d.orNil(h)
}

// triples reads a listpack of fields, values and deadlines, 0 for none.
func (d *decoder) triples(h *hash.Hash) {
	l := d.listpack()
	if d.err == nil && l.Len()%3 != 0 {
		d.fail("a field of a hash has no deadline where there must be one or 0")
	}
	var digits [20]byte
	for p := listpack.First; d.err == nil && p < l.End(); {
		var field, value, deadline ziplist.Entry
		field, p = l.Get(p)
		value, p = l.Get(p)
		deadline, p = l.Get(p)
		if !deadline.IsInt() {
			d.fail("a deadline of a field is not a number")
		}
		d.first = field.Append(d.first[:0])
		d.setDated(h, d.first, value.Text(digits[:]), uint64(deadline.Int))
	}
}

// setDated sets a field with a deadline, 0 for none.
func (d *decoder) setDated(h *hash.Hash, field, value []byte, deadline uint64) {
	d.setField(h, field, value, d.Hash)
	if deadline > lapse.Max {
		d.fail("a deadline of a field is out of range")
	}
	if d.err == nil && deadline != 0 {
		h.SetDeadline(field, int64(deadline), d.Dice)
	}
}
