package rdb

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// A value of a module consists of the id of the module's type, which is 9 characters of 6 bits and
// a version of 10 bits, and a sequence of parts. Each part begins with its kind. A part of kind 0
// ends the value:
//
//	id | 2 unsigned | 4 f64 | 5 string | ... | 0
//
// So values of unknown types can be skipped. What the parts are is up to the type: see
// value.Module.

const (
	partEnd    = 0
	partInt    = 1
	partUint   = 2
	partFloat  = 3
	partDouble = 4
	partString = 5
)

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// moduleID returns the id of a module type.
func moduleID(name string, version uint64) (id uint64) {
	for i := range len(name) {
		for j := range len(idAlphabet) {
			if idAlphabet[j] == name[i] {
				id = id<<6 | uint64(j)
			}
		}
	}
	return id<<10 | version
}

// moduleType reads the id of a module type.
func (d *decoder) moduleType() ModuleType {
	id := d.length()
	var b [9]byte
	for i := range b {
		b[i] = idAlphabet[id>>(58-6*i)&63]
	}
	return ModuleType{string(b[:]), int(id & (1<<10 - 1))}
}

// module encodes a value of a module's type.
func (e *Encoder) module(v keyspace.Value) {
	m := v.Type().Module
	e.length(moduleID(m.Name, uint64(m.Version)))
	m.Save(v, partWriter{e})
	e.length(partEnd)
}

// partWriter is a value.PartWriter.
type partWriter struct{ e *Encoder }

func (w partWriter) Uint(n uint64) {
	w.e.length(partUint)
	w.e.length(n)
	w.e.yield(8)
}

func (w partWriter) Double(f float64) {
	w.e.length(partDouble)
	w.e.double(f)
	w.e.yield(8)
}

func (w partWriter) Text(b []byte) {
	w.e.length(partString)
	w.e.string(b)
	w.e.yield(len(b))
}

// mostWhole is up to how many bytes a text that comes in pieces is put together first. It is
// written like any other then, compressed above all, as Redis does it with all sizes.
const mostWhole = 1 << 20

func (w partWriter) Pieces(size int, next func(dst []byte, most int) []byte) {
	e := w.e
	if size <= mostWhole {
		whole := make([]byte, 0, size)
		for len(whole) < size {
			whole = next(whole, min(size-len(whole), piece))
		}
		w.Text(whole)
		return
	}
	e.length(partString)
	e.count(size)
	if e.pace == nil {
		e.buf = slices.Grow(e.buf, size)
	}
	for size > 0 {
		before := len(e.buf)
		e.buf = next(e.buf, min(size, piece))
		n := len(e.buf) - before
		size -= n
		e.yield(n)
	}
}

func (w partWriter) Rest(bytes int) { w.e.yield(bytes) }

func (w partWriter) Alone() bool { return w.e.Alone }

// module reads a value of a module's type. One of an unknown type it skips, if it may, and returns
// nil.
func (d *decoder) module() keyspace.Value {
	d.foreign = d.moduleType()
	t, ok := d.ks.ModuleNamed(d.foreign.Name)
	if !ok {
		d.skipUnknown("a value of the unknown module type %s")
		return nil
	}
	v := t.Module.Load(partReader{d}, d.foreign.Version)
	if d.part(partEnd); d.err != nil {
		return nil
	}
	return v
}

// partReader is a value.PartReader.
type partReader struct{ d *decoder }

func (r partReader) Uint() uint64 {
	r.d.part(partUint)
	return r.d.length()
}

func (r partReader) Double() float64 {
	r.d.part(partDouble)
	return r.d.double()
}

func (r partReader) Text() []byte {
	r.d.part(partString)
	return r.d.own(r.d.text())
}

func (r partReader) Fail(format string, args ...any) { r.d.fail(format, args...) }

func (r partReader) OK() bool { return r.d.err == nil }

// part reads the kind of a part, and fails unless it is the expected one.
func (d *decoder) part(want uint64) {
	if got := d.length(); got != want {
		d.fail("a module's part %d where %d is expected", got, want)
	}
}

// skipUnknown skips the parts of something of the type d.foreign, or fails with a reason if it may
// not.
func (d *decoder) skipUnknown(reason string) {
	if d.refuses {
		d.fail(reason, d.foreign)
	}
	d.skipParts()
}

// skipParts skips parts up to the last one.
func (d *decoder) skipParts() {
	for d.err == nil {
		switch part := d.length(); part {
		case partEnd:
			return
		case partInt, partUint:
			d.length()
		case partFloat:
			d.fixed(4)
		case partDouble:
			d.fixed(8)
		case partString:
			d.skipText()
		default:
			d.fail("a part of the module type %s is of unknown kind %d", d.foreign, part)
		}
	}
}

// parts reads parts up to the last one. Numbers with a sign are as those without.
func (d *decoder) parts() (list value.Parts) {
	for d.err == nil {
		switch part := d.length(); part {
		case partEnd:
			return list
		case partInt, partUint:
			list.Uint(d.length())
		case partDouble:
			list.Float(d.double())
		case partString:
			list.String(d.own(d.text()))
		default:
			d.fail("a part of the module type %s is of unknown kind %d", d.foreign, part)
		}
	}
	return nil
}

// Auxiliary is what a module keeps beside the keys, as data of one of its types.
type Auxiliary struct {
	ModuleType
	When  uint64 // at which a module loads it: 1 before the keys, 2 behind them
	Parts value.Parts
}

// Auxiliary adds auxiliary data.
func (r *Records) Auxiliary(a *Auxiliary) {
	r.byte(opModuleAux)
	r.length(moduleID(a.Name, uint64(a.Version)))
	w := partWriter{&r.Encoder}
	w.Uint(a.When)
	for _, p := range a.Parts {
		switch p.Kind {
		case value.UintPart:
			w.Uint(p.Number)
		case value.DoublePart:
			w.Double(p.Double)
		case value.TextPart:
			w.Text(p.Text)
		}
	}
	r.length(partEnd)
}
