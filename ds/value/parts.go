package value

import "fmt"

// Parts are parts in memory: what a PartWriter was given, for a PartReader to give back.
type Parts []Part

// Part is a number or a text.
type Part struct {
	Kind   PartKind
	Number uint64
	Double float64
	Text   []byte
}

// PartKind is the kind of a Part.
type PartKind byte

// The kinds of parts.
const (
	UintPart PartKind = iota
	DoublePart
	TextPart
)

// Bytes returns about how much memory the parts take.
func (p Parts) Bytes() (n int) {
	for i := range p {
		n += 48 + len(p[i].Text)
	}
	return n
}

// Uint implements PartWriter.
func (p *Parts) Uint(n uint64) { *p = append(*p, Part{Kind: UintPart, Number: n}) }

// Float adds a double.
func (p *Parts) Float(f float64) { *p = append(*p, Part{Kind: DoublePart, Double: f}) }

// String adds a text.
func (p *Parts) String(b []byte) { *p = append(*p, Part{Kind: TextPart, Text: b}) }

// PartsReader reads Parts. It implements PartReader.
type PartsReader struct {
	Parts Parts // that are left
	err   error
}

// Err returns the first error.
func (r *PartsReader) Err() error { return r.err }

// OK implements PartReader.
func (r *PartsReader) OK() bool { return r.err == nil }

// Fail implements PartReader.
func (r *PartsReader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// next returns the next part, which must be of a kind.
func (r *PartsReader) next(kind PartKind) (p Part) {
	switch {
	case r.err != nil:
		return p
	case len(r.Parts) == 0:
		r.Fail("a part is missing")
		return p
	}
	p, r.Parts = r.Parts[0], r.Parts[1:]
	if p.Kind != kind {
		r.Fail("a part of kind %d where %d is expected", p.Kind, kind)
		return Part{}
	}
	return p
}

// Uint implements PartReader.
func (r *PartsReader) Uint() uint64 { return r.next(UintPart).Number }

// Double implements PartReader.
func (r *PartsReader) Double() float64 { return r.next(DoublePart).Double }

// Text implements PartReader.
func (r *PartsReader) Text() []byte { return r.next(TextPart).Text }
