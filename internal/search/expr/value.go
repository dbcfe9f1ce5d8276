package expr

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// Kind is the kind of a value.
type Kind byte

// The kinds of values. Their order is of no meaning.
const (
	NullKind Kind = iota
	NumberKind
	TextKind
	ListKind
)

// Value is what expressions compute with. The zero value is null.
type Value struct {
	kind   Kind
	stored bool // a text as it is in the document, which some functions do not take
	number float64
	text   string
	more   *more // nil for values that need no more
}

// more is what few values have.
type more struct {
	list   []Value
	behind string // JSON, of which the value is the first: see First
}

// Number returns a number as a value.
func Number(f float64) Value { return Value{kind: NumberKind, number: f} }

// Text returns a text as a value.
func Text(s string) Value { return Value{kind: TextKind, text: s} }

// Stored returns a text as a value, which was read in a document.
func Stored(s string) Value { return Value{kind: TextKind, stored: true, text: s} }

// List returns a list as a value, which keeps vs.
func List(vs []Value) Value { return Value{kind: ListKind, more: &more{list: vs}} }

// Bool returns 1 for true and 0 for false.
func Bool(b bool) Value { return Number(asNumber(b)) }

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// First returns a value as the first of several in a JSON array, which replies show in its place.
// Expressions compute with the first; but it is never true, and compared with a text it is empty.
func (v Value) First(of string) Value {
	v.more = &more{v.Elements(), of}
	return v
}

// Behind returns the JSON array of which the value is the first; "" if it is of none.
func (v Value) Behind() string {
	if v.more == nil {
		return ""
	}
	return v.more.behind
}

// alone returns the value without those behind it.
func (v Value) alone() Value {
	if v.Behind() != "" {
		v.more = nil
	}
	return v
}

// Kind returns the kind of a value.
func (v Value) Kind() Kind { return v.kind }

// Elements returns the elements of a list, nil of another value.
func (v Value) Elements() []Value {
	if v.more == nil {
		return nil
	}
	return v.more.list
}

// Truth returns whether a value counts as true: a number other than 0, a text or a list that is not
// empty.
func (v Value) Truth() bool {
	if v.Behind() != "" {
		return false
	}
	switch v.kind {
	case NumberKind:
		return v.number != 0
	case TextKind:
		return v.text != ""
	}
	return len(v.Elements()) > 0
}

// Float returns the number that a value is; false if it is of another kind.
func (v *Value) Float() (f float64, ok bool) { return v.number, v.kind == NumberKind }

// Number returns a value as a number; false if it is none. The empty text is 0.
func (v Value) Number() (f float64, ok bool) {
	if v.kind == NumberKind {
		return v.number, true
	}
	return v.parsed()
}

// parsed returns a text as a number; false if it is none.
func (v Value) parsed() (f float64, ok bool) {
	if v.kind != TextKind {
		return 0, false
	}
	return ParseNumber(v.text)
}

// ParseNumber reads a text up to a zero as C's strtod does, if it reads all of it.
func ParseNumber(s string) (f float64, ok bool) {
	s, _, _ = strings.Cut(s, "\x00")
	if s == "" {
		return 0, true
	}
	return resp.ParseFloat([]byte(strings.TrimLeft(s, " \t\n\v\f\r")))
}

// String returns a value as a text: that of a number as replies show it, "" for null and lists.
func (v Value) String() string {
	if v.kind == NumberKind {
		return string(AppendNumber(nil, v.number))
	}
	return v.text
}

// WeakHash returns a hash of a value that is soon computed, but the same for many values.
func (v *Value) WeakHash() uint64 {
	hash := math.Float64bits(v.number) * 0x9e3779b97f4a7c15 >> 32
	if n := len(v.text); n > 1 {
		hash += uint64(n) + uint64(v.text[n-1])*7 + uint64(v.text[n-2])*61
	}
	return hash
}

// Size returns about how many bytes a value takes.
func (v Value) Size() int {
	size := 48 + len(v.text)
	if v.more != nil {
		size += 48 + len(v.more.behind)
		for _, e := range v.more.list {
			size += e.Size()
		}
	}
	return size
}

// AppendNumber appends a number as replies show it: an integer in full, others with 12 digits.
func AppendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return append(dst, "-nan"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case f >= -1<<63 && f < 1<<63 && f == math.Trunc(f):
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return strconv.AppendFloat(dst, f, 'g', 12, 64)
}

// Compare returns less than 0 if a is before b, and more if it is behind. Null is before all else.
// If one of them is a number, the other one must be convertible. Lists are compared by their first
// elements.
func Compare(a, b *Value) (int, error) {
	switch {
	case a.kind == NumberKind && b.kind == NumberKind:
		return compareNumbers(a.number, b.number), nil
	case a.kind == TextKind && b.kind == TextKind && a.more == nil && b.more == nil:
		return compareTexts(a.text, b.text), nil
	}
	return compareOthers(*a, *b)
}

func compareOthers(a, b Value) (int, error) {
	switch first, other := a.Behind() != "", b.Behind() != ""; {
	case first && other:
		x, y := a.alone(), b.alone()
		return Compare(&x, &y)
	case first && b.kind == TextKind:
		return compareTexts("", b.text), nil
	case other && a.kind == TextKind:
		return compareTexts(a.text, ""), nil
	}
	switch {
	case a.kind == b.kind:
		return compareAlike(a, b)
	case a.kind == NullKind:
		return -1, nil
	case b.kind == NullKind:
		return 1, nil
	case a.kind == NumberKind:
		return compareAsNumbers(a, b)
	case b.kind == NumberKind:
		c, err := compareAsNumbers(b, a)
		return -c, err
	}
	return compareTexts(a.text, b.text), nil
}

// compareTexts compares texts up to a zero, and their lengths if they are the same up to there.
func compareTexts(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] != b[i]:
			return cmp.Compare(a[i], b[i])
		case a[i] == 0:
			return cmp.Compare(len(a), len(b))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareAlike compares values of one kind.
func compareAlike(a, b Value) (int, error) {
	switch a.kind {
	case NumberKind:
		return compareNumbers(a.number, b.number), nil
	case TextKind:
		return compareTexts(a.text, b.text), nil
	}
	list, other := a.Elements(), b.Elements()
	if len(list) > 0 && len(other) > 0 {
		return Compare(&list[0], &other[0])
	}
	return len(list) - len(other), nil
}

// compareAsNumbers compares a number with a value of another kind.
func compareAsNumbers(a, b Value) (int, error) {
	f, ok := b.Number()
	if !ok {
		return 0, command.Errorf("Error converting string '%s' to number", b.shown())
	}
	return compareNumbers(a.number, f), nil
}

// shown returns the text of a value in errors.
func (v Value) shown() string {
	if v.kind == TextKind {
		return v.text
	}
	return "(null)"
}

// compareNumbers takes what is not a number for equal to all.
func compareNumbers(a, b float64) int {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}

// Equal reports whether two values are equal. Unlike Compare it knows no errors: what cannot be
// converted is not equal.
func Equal(a, b *Value) bool {
	if a.kind != b.kind && (a.kind == NullKind || b.kind == NullKind) {
		return false
	}
	if a.kind == TextKind && b.kind == TextKind && a.more == nil && b.more == nil && len(a.text) != len(b.text) {
		return false
	}
	c, err := Compare(a, b)
	return c == 0 && err == nil
}

// Same reports whether two values are the same: of one kind, numbers to the bit.
func Same(a, b *Value) bool {
	return a.kind == b.kind && math.Float64bits(a.number) == math.Float64bits(b.number) && a.text == b.text &&
		(a.more == b.more || sameElements(a.Elements(), b.Elements()))
}

func sameElements(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// Order orders values for a sort. Unlike Compare it knows no errors: a number and what cannot be
// converted to one are compared as texts, the number with six decimals.
func Order(a, b Value) int {
	c, err := Compare(&a, &b)
	if err != nil {
		return strings.Compare(a.decimals(), b.decimals())
	}
	return c
}

// decimals returns a text, or that of a number with six decimals.
func (v Value) decimals() string {
	if v.kind == NumberKind {
		return strconv.FormatFloat(v.number, 'f', 6, 64)
	}
	return v.text
}
