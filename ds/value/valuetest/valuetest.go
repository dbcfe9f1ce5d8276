// Package valuetest tests how modules' values are saved: the parts of a value in memory, and a fuzz
// target that reads parts which lie.
package valuetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Parts are what a value consists of: uint64, float64 and []byte. It is a value.PartWriter.
type Parts []any

// Uint implements value.PartWriter.
func (p *Parts) Uint(n uint64) { *p = append(*p, n) }

// Double implements value.PartWriter.
func (p *Parts) Double(f float64) { *p = append(*p, f) }

// Text implements value.PartWriter.
func (p *Parts) Text(b []byte) { *p = append(*p, append([]byte{}, b...)) }

// Pieces implements value.PartWriter. It asks for pieces of up to 100 bytes.
func (p *Parts) Pieces(size int, next func(dst []byte, most int) []byte) {
	var b []byte
	for len(b) < size {
		b = next(b, min(100, size-len(b)))
	}
	p.Text(b)
}

// Rest implements value.PartWriter.
func (p *Parts) Rest(int) {}

// Alone implements value.PartWriter.
func (p *Parts) Alone() bool { return false }

// Save returns the parts of a value.
func Save(v value.Value) (p Parts) {
	v.Type().Module.Save(v, &p)
	return p
}

// Load reads a value of a type from parts of the version that is written today.
func Load(of *value.Type, p Parts) (value.Value, error) {
	r := &reading{left: p}
	v := of.Module.Load(r, of.Module.Version)
	if r.err == nil && len(r.left) > 0 {
		return nil, fmt.Errorf("%d parts are left", len(r.left))
	}
	return v, r.err
}

// reading is a value.PartReader.
type reading struct {
	left Parts
	err  error
}

// Uint implements value.PartReader.
func (r *reading) Uint() uint64 { return part[uint64](r) }

// Double implements value.PartReader.
func (r *reading) Double() float64 { return part[float64](r) }

// Text implements value.PartReader.
func (r *reading) Text() []byte { return append([]byte{}, part[[]byte](r)...) }

// Fail implements value.PartReader.
func (r *reading) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// OK implements value.PartReader.
func (r *reading) OK() bool { return r.err == nil }

// part takes the next part, which must be a T.
func part[T any](r *reading) (p T) {
	if r.err != nil || len(r.left) == 0 {
		r.Fail("no part is left")
		return p
	}
	p, ok := r.left[0].(T)
	if r.left = r.left[1:]; !ok {
		r.Fail("a part of another kind")
	}
	return p
}

// Fuzz changes the parts of values, which must be of one type and small. What is read of them must
// pass the check, and be saved as parts that are read as the same.
func Fuzz(f *testing.F, check func(v value.Value) error, seeds ...value.Value) {
	of := seeds[0].Type()
	for _, v := range seeds {
		f.Add(encode(Save(v)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Load(of, decode(b))
		if err != nil {
			return
		}
		if err := check(v); err != nil {
			t.Fatal(err)
		}
		saved := Save(v)
		again, err := Load(of, saved)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(saved, Save(again)) {
			t.Fatalf("saved as %v, then as %v", saved, Save(again))
		}
	})
}

// encode writes parts as bytes: a letter, and 8 bytes of a number or of a text's length.
func encode(p Parts) (b []byte) {
	order := binary.LittleEndian
	for _, part := range p {
		switch part := part.(type) {
		case uint64:
			b = order.AppendUint64(append(b, 'u'), part)
		case float64:
			b = order.AppendUint64(append(b, 'f'), math.Float64bits(part))
		case []byte:
			b = append(order.AppendUint64(append(b, 't'), uint64(len(part))), part...)
		}
	}
	return b
}

// decode reads what encode wrote, or anything.
func decode(b []byte) (p Parts) {
	for len(b) >= 9 {
		kind, n := b[0], binary.LittleEndian.Uint64(b[1:])
		switch b = b[9:]; kind {
		case 'u':
			p.Uint(n)
		case 'f':
			p.Double(math.Float64frombits(n))
		default:
			n = min(n, uint64(len(b)))
			p.Text(b[:n])
			b = b[n:]
		}
	}
	return p
}
