package index

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// Value is what documents are sorted by: nothing, a number, or a text. A number may have the text
// that it was read from.
type Value struct {
	Kind   ValueKind
	Number float64
	Text   string
}

// column is a value for each document, by its number. Of numbers and of texts there are as many as
// the last document needs that has one.
type column struct {
	kinds   []ValueKind
	numbers []float64
	texts   []string
	held    int // bytes of the texts that are not shared
}

// at returns the value of a document; nothing if it has none.
func (c *column) at(id ID) (v Value) {
	if v = c.raw(id); v.Kind == isShared {
		v.Kind = IsText
	}
	return v
}

// raw is at, but tells of texts that are shared.
func (c *column) raw(id ID) (v Value) {
	if int(id) > len(c.kinds) {
		return v
	}
	switch v.Kind = c.kinds[id-1]; v.Kind {
	case IsNumber:
		v.Number = c.numbers[id-1]
	case IsText, isShared:
		v.Text = c.texts[id-1]
	}
	return v
}

// add sets the value of a document, whose number is above all others.
func (c *column) add(id ID, v Value) {
	put(&c.kinds, id, v.Kind)
	switch v.Kind {
	case IsNumber:
		put(&c.numbers, id, v.Number)
	case IsText:
		c.held += len(v.Text)
		fallthrough
	case isShared:
		put(&c.texts, id, v.Text)
	}
}

// put sets element id-1 of a list, which grows as far as that.
func put[T any](list *[]T, id ID, v T) {
	for int(id) > len(*list) {
		*list = append(*list, *new(T))
	}
	(*list)[id-1] = v
}

// forget says that a document is gone.
func (c *column) forget(id ID) {
	v := c.raw(id)
	switch v.Kind {
	case NoValue:
		return
	case IsText:
		c.held -= len(v.Text)
		fallthrough
	case isShared:
		c.texts[id-1] = ""
	}
	c.kinds[id-1] = NoValue
}

// clean removes the values of documents that are gone.
func (c *column) clean(s *sweep) {
	old := *c
	*c = column{}
	for i := range old.kinds {
		if id := s.of(ID(i + 1)); id > 0 {
			c.add(id, old.raw(ID(i+1)))
		}
	}
}

// bytes returns the memory of the values.
func (c *column) bytes() int {
	return cap(c.kinds) + 8*cap(c.numbers) + textBytes*cap(c.texts) + c.held
}

// ValueKind is the kind of a Value.
type ValueKind byte

// The kinds of values; nothing is the zero Value.
const (
	NoValue ValueKind = iota
	IsNumber
	IsText
	isShared // a text that a dictionary holds; only in columns
)

// NumberValue returns a number as a Value.
func NumberValue(n float64) Value { return Value{Kind: IsNumber, Number: n} }

// TextValue returns a text as a Value.
func TextValue(s string) Value { return Value{Kind: IsText, Text: s} }

// Compare returns -1, 0 or 1. Nothing comes last.
func (v Value) Compare(w Value) int {
	switch {
	case v.Kind == NoValue || w.Kind == NoValue:
		return cmp.Compare(b2i(v.Kind == NoValue), b2i(w.Kind == NoValue))
	case v.Kind == IsNumber && w.Kind == IsNumber:
		return cmp.Compare(v.Number, w.Number)
	}
	return cmp.Compare(v.String(), w.String())
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// String returns the value as replies show it.
func (v Value) String() string {
	if v.Kind == IsNumber && v.Text == "" {
		return FormatNumber(v.Number)
	}
	return v.Text
}

// AsNumber returns a text as a number that keeps it, if it is the text of one.
func (v Value) AsNumber() Value {
	if v.Kind == IsText {
		if n, ok := resp.ParseFloat([]byte(v.Text)); ok {
			return Value{Kind: IsNumber, Number: n, Text: v.Text}
		}
	}
	return v
}

// FormatNumber returns a number as replies show it: an integer, or a number with up to 12 digits.
func FormatNumber(f float64) string {
	if n := int64(f); float64(n) == f {
		return strconv.FormatInt(n, 10)
	}
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', 12, 64)), "+")
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}
