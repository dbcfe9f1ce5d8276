package json

import (
	"bytes"
	"math"
	"strconv"
)

// Floats is a type of floating-point numbers, to which a Parser rounds those in arrays. A document
// does not keep it: it keeps the shortest decimals that the type tells apart, which need fewer
// bytes.
type Floats uint8

// The types, as FPHA of JSON.SET in Redis 8.8 names them.
const (
	Exact Floats = iota // no type: numbers stay as they are
	FP16                // IEEE 754 binary16
	BF16                // bfloat16: the upper half of a binary32
	FP32                // IEEE 754 binary32
	FP64                // IEEE 754 binary64
)

// String returns what RedisJSON's errors call the type.
func (t Floats) String() string { return [...]string{"", "F16", "BF16", "F32", "F64"}[t] }

// Round returns the number in the fewest digits that the type reads as it reads f; ok is false if f
// is out of its range.
func (t Floats) Round(f float64) (rounded float64, ok bool) {
	exact := t.nearest(f)
	switch {
	case math.IsInf(exact, 0):
		return 0, false
	case t == FP64:
		return exact, true
	case t == FP32:
		return withDigits(exact, -1, 32), true
	}
	for digits := 1; ; digits++ {
		if rounded = withDigits(exact, digits, 64); t.nearest(rounded) == exact {
			return rounded, true
		}
	}
}

// withDigits returns the number of so many digits that is next to f; if digits is -1, of the fewest
// that a type of size bits reads as f.
func withDigits(f float64, digits, size int) float64 {
	if digits > 0 {
		digits-- // those behind the point
	}
	var b [32]byte
	f, _ = strconv.ParseFloat(string(strconv.AppendFloat(b[:0], f, 'e', digits, size)), 64)
	return f
}

// nearest returns the number of the type that is next to f, of two the even one; an infinity if
// there is none.
func (t Floats) nearest(f float64) float64 {
	switch t {
	case FP16:
		return nearestBinary(f, 11, -14, 65504)
	case BF16:
		return nearestBinary(f, 8, -126, 0x1.fep127)
	case FP32:
		return float64(float32(f))
	}
	return f
}

// nearestBinary is nearest for a type with so many bits of precision, the exponent of its smallest
// normal number, and its largest number.
func nearestBinary(f float64, bits, least int, largest float64) float64 {
	if f == 0 {
		return f
	}
	_, exponent := math.Frexp(f)
	unit := math.Ldexp(1, max(exponent-1, least)-bits+1)
	if f = math.RoundToEven(f/unit) * unit; math.Abs(f) > largest {
		return math.Inf(1)
	}
	return f
}

// element reads an element of an array. Numbers are rounded up to the first element that is none,
// as RedisJSON does.
func (p *Parser) element() {
	if p.Floats != Exact {
		in := &p.open[len(p.open)-1]
		if c := p.peek(); !in.mixed && (c == '-' || isDigit(c)) {
			p.rounded()
			return
		}
		in.mixed = true
	}
	p.value()
}

// rounded reads a number and packs it as one of the type.
func (p *Parser) rounded() {
	from := p.at
	if p.text[p.at] == '-' {
		p.at++
	}
	if !p.integer() || !p.fraction() || !p.exponent() {
		return
	}
	f, err := strconv.ParseFloat(text(p.text[from:p.at]), 64)
	if err != nil {
		p.fail("number out of range", false)
		return
	}
	f, ok := p.Floats.Round(f)
	if !ok {
		p.fail("value out of range for "+p.Floats.String(), false)
		return
	}
	p.string = AppendNumber(p.string[:0], f)
	digits := bytes.TrimPrefix(p.string, []byte("-"))
	point := bytes.IndexByte(digits, '.')
	if bytes.IndexByte(digits, 'e') >= 0 || !p.decimal(digits, point, math.Signbit(f)) {
		p.b = appendDouble(p.b, f)
	}
	p.done()
}
