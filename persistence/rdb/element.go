package rdb

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Deadlines of elements. A hash with some has one of two types of Redis 7.4; the second is for
// small ones, where listpacks are written:
//
//	earliest deadline i64 | fields { 0, or 1 + distance from the earliest | field | value }
//	earliest deadline i64, or 0 | listpack { field | value | deadline, or 0 }, the earliest first
//
// Valkey 9 has one type for it. Its deadlines may lie further ahead than is possible here; then
// they become the latest one:
//
//	fields { field | value | deadline i64, or -1 }
//
// Deadlines in sets, sorted sets and lists are in aux fields after the key, one for each. Redis
// skips these fields:
//
//	deadline i64 | element, of a list its index in digits
//
// A payload of DUMP has no fields that Redis would skip. A payload with such deadlines has a type
// of its own. Redis refuses it, and so does not restore the value without the deadlines:
//
//	type value | number { deadline i64 | element }

// EachElementDeadline calls fn with the deadline of each element that has one. An element is its
// text, or in a keyspace.Sequence its index in digits. It is valid during the call.
func EachElementDeadline(v keyspace.Collection, fn func(element []byte, deadline int64)) {
	eachElementDeadline(v, fn, nil)
}

func eachElementDeadline(v keyspace.Collection, fn func(element []byte, deadline int64), pace *keyspace.Pace) {
	if l, ok := v.(keyspace.Sequence); ok {
		var digits [20]byte
		for i := range l.Len() {
			if i%64 == 0 {
				pace.Yield(0)
			}
			if deadline := l.DeadlineAt(i); deadline != 0 {
				fn(strconv.AppendInt(digits[:0], int64(i), 10), deadline)
			}
		}
		return
	}
	v.Deadlines(func(element []byte, deadline int64) bool {
		fn(element, deadline)
		return true
	})
}

// SetElementDeadline sets the deadline of an element as EachElementDeadline returns it. It reports
// false if the deadline is out of range or the value has no such element.
func SetElementDeadline(v keyspace.Value, element []byte, deadline int64, dice func(n uint64) uint64) bool {
	if deadline < 1 || deadline > keyspace.MaxElementDeadline {
		return false
	}
	if l, ok := v.(keyspace.Sequence); ok {
		i, err := strconv.Atoi(string(element))
		if err != nil || i < 0 || i >= l.Len() {
			return false
		}
		l.SetDeadlineAt(i, deadline)
		return true
	}
	d, ok := v.(keyspace.Collection)
	return ok && d.SetDeadline(element, deadline, dice)
}

// withAuxDeadlines returns the value as a collection if it has elements whose deadlines its type
// cannot hold. Otherwise ok is false.
func withAuxDeadlines(v keyspace.Value) (d keyspace.Collection, ok bool) {
	if d, ok = v.(keyspace.Collection); !ok || d.Volatile() == 0 {
		return nil, false
	}
	_, isHash := v.(*hash.Hash)
	return d, !isHash
}

// auxDeadline is the name of the aux fields with deadlines of elements.
const auxDeadline = "miniserver-element-deadline"

// volatileHash encodes a hash in which some fields have deadlines.
func (e *Encoder) volatileHash(t byte, h *hash.Hash) {
	first := int64(keyspace.MaxElementDeadline)
	if t == typeHashTTL {
		h.Deadlines(func(_ []byte, deadline int64) bool {
			first = min(first, deadline)
			return e.yield(0)
		})
		e.millis(first)
	}
	e.count(h.Len())
	var digits [20]byte
	h.Each(func(field, value ziplist.Entry) bool {
		deadline, _ := h.Deadline(field.Text(digits[:]))
		if t == typeHashTTL {
			e.elementDeadline(deadline, first)
		}
		e.entry(field)
		e.entry(value)
		e.valkeyDeadline(t, deadline)
		return e.yield(len(field.Str) + len(value.Str))
	})
}

// triples encodes a small hash in which some fields have, or had, deadlines: the earliest deadline,
// or 0, and a listpack in the order of the deadlines.
func (e *Encoder) triples(h *hash.Hash) {
	fields := make([]triple, 0, h.Len())
	var digits [20]byte
	h.Each(func(field, value ziplist.Entry) bool {
		deadline, _ := h.Deadline(field.Text(digits[:]))
		fields = append(fields, triple{field, value, deadline})
		return true
	})
	slices.SortStableFunc(fields, func(a, b triple) int { return cmp.Compare(rank(a.deadline), rank(b.deadline)) })
	e.pack = listpack.In(e.pack)
	for _, f := range fields {
		e.pack = e.pack.AppendEntry(f.field).AppendEntry(f.value).AppendInt(f.deadline)
	}
	e.millis(fields[0].deadline)
	e.string(e.pack)
}

// triple is a field with its value and its deadline, 0 for none.
type triple struct {
	field, value ziplist.Entry
	deadline     int64
}

// elementDeadline encodes the deadline of a field, 0 for none; first is the earliest of the hash.
func (e *Encoder) elementDeadline(deadline, first int64) {
	if deadline != 0 {
		deadline += 1 - first
	}
	e.length(uint64(deadline))
}

// valkeyDeadline encodes the deadline of a field, 0 for none, if that follows its value in the
// type.
func (e *Encoder) valkeyDeadline(t byte, deadline int64) {
	switch {
	case t != typeHashValkey:
	case deadline == 0:
		e.millis(-1)
	default:
		e.millis(deadline)
	}
}

// deadline adds the aux field with the deadline of an element.
func (r *Records) deadline(element []byte, deadline int64) {
	r.byte(opAux)
	r.raw(bytesOf(auxDeadline))
	r.count(8 + len(element))
	r.millis(deadline)
	r.buf = append(r.buf, element...)
	r.yield(len(element))
}

// volatile encodes, for a payload, a value with the deadlines of its elements.
func (e *Encoder) volatile(v keyspace.Collection) {
	e.byte(typeVolatile)
	e.typed(v)
	e.count(v.Volatile())
	EachElementDeadline(v, func(element []byte, deadline int64) {
		e.millis(deadline)
		e.string(element)
	})
}

// volatile reads a value of typeVolatile.
func (d *decoder) volatile() keyspace.Value {
	v, ok := d.value(d.byte()).(keyspace.Collection)
	if d.err == nil && !ok {
		d.fail("a value that has no elements has deadlines")
	}
	if d.err != nil {
		return nil
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		deadline := d.millis()
		if element := d.text(); d.err == nil && !SetElementDeadline(v, element, deadline, d.Dice) {
			d.fail("an absent element has a deadline")
		}
	}
	return d.orNil(v)
}

// SetDeadline sets the deadline of the current Element, if its key is in the keyspace.
func (r *Reader) SetDeadline(ks *keyspace.Keyspace) {
	if r.lost {
		return
	}
	ks.Begin()
	db := ks.DB(r.DB)
	v, ok := db.Edit(r.last)
	if !ok {
		return
	}
	if !SetElementDeadline(v, r.Text, r.Deadline, r.dec.Dice) {
		r.dec.fail("an absent element has a deadline")
	}
	db.Commit(r.last)
}

// aux reads an aux field. One with the deadline of an element becomes the item Element.
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
	if r.Deadline < 1 || r.Deadline > keyspace.MaxElementDeadline {
		d.fail("a deadline of an element is out of range")
	}
}

// volatileHash reads a hash of a type with deadlines.
func (d *decoder) volatileHash(t byte) keyspace.Value {
	first := int64(1)
	if t == typeHashTTL || t == typeHashPackTTL {
		first = d.millis()
	}
	h := &hash.Hash{}
	if t == typeHashPackTTL || t == typeHashPackOld {
		d.triples(h)
		return d.readyForDeadlines(h)
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		deadline := d.length()
		if deadline != 0 {
			deadline += uint64(first) - 1
		}
		d.first = append(d.first[:0], d.text()...)
		d.setVolatileField(h, d.first, d.text(), deadline)
	}
	return d.orNil(h)
}

// readyForDeadlines returns a hash in an encoding for deadlines, as it was saved, also if no
// deadline is left.
func (d *decoder) readyForDeadlines(h *hash.Hash) keyspace.Value {
	if d.err == nil {
		h.ExpectDeadline(d.Hash)
	}
	return d.orNil(h)
}

// valkeyValue reads a value of a type that only Valkey has.
func (d *decoder) valkeyValue(t byte) keyspace.Value {
	if t != typeHashValkey {
		d.fail("a value of unknown type %d", t)
		return nil
	}
	h := &hash.Hash{}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		d.first = append(d.first[:0], d.text()...)
		value := bytes.Clone(d.text())
		deadline := min(d.millis(), keyspace.MaxElementDeadline)
		d.setVolatileField(h, d.first, value, uint64(max(deadline, 0))) // -1 is none
	}
	return d.orNil(h)
}

// triples reads a listpack of fields, values and deadlines. The deadline is 0 for none.
func (d *decoder) triples(h *hash.Hash) {
	l := d.listpack()
	if d.err == nil && l.Len()%3 != 0 {
		d.fail("a field of a hash has no deadline, where even none must be given as 0")
	}
	var digits [20]byte
	before := int64(0)
	for p := listpack.First; d.err == nil && p < l.End(); {
		var field, value, third ziplist.Entry
		field, p = l.Get(p)
		value, p = l.Get(p)
		third, p = l.Get(p)
		if !third.IsInt() {
			third = ziplist.EntryOf(third.Str)
		}
		deadline := third.Int
		switch {
		case !third.IsInt():
			d.fail("a deadline of a field is not a number")
		case d.sanitize && rank(deadline) < before:
			d.fail("the fields of a hash are not in the order of their deadlines")
		}
		before = rank(deadline)
		d.first = field.Append(d.first[:0])
		d.setVolatileField(h, d.first, value.Text(digits[:]), uint64(deadline))
	}
}

// rank orders deadlines as a listpack of Redis has them: fields without one are the last.
func rank(deadline int64) int64 {
	if deadline == 0 {
		return math.MaxInt64
	}
	return deadline
}

// setVolatileField sets a field, and its deadline unless that is 0.
func (d *decoder) setVolatileField(h *hash.Hash, field, value []byte, deadline uint64) {
	d.setField(h, field, value, d.Hash)
	if deadline > keyspace.MaxElementDeadline {
		d.fail("a deadline of a field is out of range")
	}
	if d.err == nil && deadline != 0 {
		h.ExpectDeadline(d.Hash)
		h.SetDeadline(field, int64(deadline), d.Dice)
	}
}
