package rdb

import (
	"encoding/binary"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// An array is its elements with their indexes. The last index of an insertion stands there if there
// was one:
//
//	elements | 0, or 1 last | elements { index | kind text }
//	kind     0, 3: the text    1: an integer i64    2: a double f64
//
// As in Redis, integers of 62 bits are written as such, texts of up to 7 bytes with kind 3, and
// fractions as doubles where these are written in the same way.

const (
	elementText   = 0
	elementInt    = 1
	elementDouble = 2
	elementShort  = 3

	shortElement = 7 // bytes
	intElement   = 1<<61 - 1
)

func (e *Encoder) array(a *array.Array) {
	e.count(a.Len())
	if next := a.Next(); next > 0 {
		e.count(1)
		e.length(next - 1)
	} else {
		e.count(0)
	}
	a.Scan(0, array.MaxIndex, func(index uint64, v ziplist.Entry) bool {
		e.length(index)
		e.element(v)
		return e.yield(8 + len(v.Str))
	})
}

// element encodes the text of an element of an array.
func (e *Encoder) element(v ziplist.Entry) {
	if v.IsInt() && v.Int <= intElement && v.Int >= -intElement-1 {
		e.count(elementInt)
		e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(v.Int))
		return
	}
	var digits [20]byte
	text := v.Text(digits[:])
	if f, ok := array.Double(text); ok {
		e.count(elementDouble)
		e.double(f)
		return
	}
	if len(text) <= shortElement {
		e.count(elementShort)
	} else {
		e.count(elementText)
	}
	e.string(text)
}

func (d *decoder) array() keyspace.Value {
	a := new(array.Array)
	n, next := d.length(), uint64(0)
	switch flag := d.length(); {
	case flag == 1:
		next = d.index() + 1
	case flag != 0:
		d.fail("an array has %d next indexes", flag)
	}
	for ; n > 0 && d.err == nil; n-- {
		index := d.index()
		text := d.element()
		if d.err == nil && !a.Set(index, text, d.Array) {
			d.fail("an index appears twice in an array")
		}
	}
	if d.err == nil {
		a.Seek(next)
	}
	return d.orNil(a)
}

// index reads an index of an array.
func (d *decoder) index() uint64 {
	index := d.length()
	if index > array.MaxIndex {
		d.fail("an array has the index %d", index)
	}
	return index
}

// element reads the text of an element of an array, which is valid until the next read.
func (d *decoder) element() []byte {
	switch kind := d.length(); kind {
	case elementText, elementShort:
		return d.text()
	case elementInt:
		d.first = strconv.AppendInt(d.first[:0], int64(binary.LittleEndian.Uint64(d.fixed(8))), 10)
		return d.first
	case elementDouble:
		d.first = array.AppendDouble(d.first[:0], d.double())
		return d.first
	default:
		d.fail("an element of an array is of unknown kind %d", kind)
	}
	return nil
}
