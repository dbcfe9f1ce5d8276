package resp

import (
	"slices"
	"strconv"
)

// Kind is the type byte of a value.
type Kind byte

// The kinds of both protocol versions. Attributes are not a kind: they belong to the
// value that follows them, see Value.Attributes.
const (
	Status    Kind = '+'
	Error     Kind = '-'
	Integer   Kind = ':'
	Bulk      Kind = '$'
	Array     Kind = '*'
	Null      Kind = '_'
	Double    Kind = ','
	Boolean   Kind = '#'
	BigNumber Kind = '('
	Verbatim  Kind = '='
	Map       Kind = '%'
	Set       Kind = '~'
	Push      Kind = '>'
)

// Value is a reply as a client sees it: a tree that owns its strings. The zero Value is not
// a reply.
type Value struct {
	Kind Kind

	// Nil marks RESP2's absent bulk string and absent array, which keep their kind.
	// RESP3's null is of the kind Null, and this is set too.
	Nil bool

	// Text is the content of Status, Error, Bulk, Double, BigNumber and Verbatim
	// (without its format hint), byte for byte.
	Text string

	// Int is the content of Integer, and 1 or 0 for Boolean.
	Int int64

	// Elems are the elements of Array, Set and Push; for Map key, value, key, value.
	Elems []Value

	// Format is the three letter hint of Verbatim.
	Format string

	// Attributes are the key, value pairs sent before this value; nil if there were none.
	Attributes []Value
}

// IsNull reports whether v is an absent value of any kind.
func (v Value) IsNull() bool { return v.Nil }

// IsError reports whether v is an error reply.
func (v Value) IsError() bool { return v.Kind == Error }

// Err returns an error reply as a ReplyError; nil for other replies.
func (v Value) Err() error {
	if v.IsError() {
		return ReplyError(v.Text)
	}
	return nil
}

// ReplyError is the text of an error reply.
type ReplyError string

// Error implements error.
func (e ReplyError) Error() string { return string(e) }

// Strings returns the texts of the elements; those of integers in digits. Other kinds than
// aggregates have none.
func (v Value) Strings() []string {
	if !v.IsAggregate() {
		return nil
	}
	texts := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		if texts[i] = e.Text; e.Kind == Integer {
			texts[i] = strconv.FormatInt(e.Int, 10)
		}
	}
	return texts
}

// StringMap returns the texts of an aggregate of keys and values: a map of RESP3, or the array for
// one of RESP2.
func (v Value) StringMap() map[string]string {
	texts := v.Strings()
	pairs := make(map[string]string, len(texts)/2)
	for i := 1; i < len(texts); i += 2 {
		pairs[texts[i-1]] = texts[i]
	}
	return pairs
}

// IsAggregate reports whether v is of a kind that has elements, even if there are none.
func (v Value) IsAggregate() bool {
	switch v.Kind {
	case Array, Map, Set, Push:
		return !v.Nil
	}
	return false
}

// Len returns the number of elements of an aggregate, of pairs for a map. Other kinds have 0.
func (v Value) Len() int {
	if v.Kind == Map {
		return len(v.Elems) / 2
	}
	return len(v.Elems)
}

// Equal reports whether v and o have the same encoding in the protocol. O(size of the smaller
// tree).
func (v Value) Equal(o Value) bool {
	return v.Kind == o.Kind && v.Nil == o.Nil && v.Int == o.Int &&
		v.Text == o.Text && v.Format == o.Format &&
		slices.EqualFunc(v.Elems, o.Elems, Value.Equal) &&
		slices.EqualFunc(v.Attributes, o.Attributes, Value.Equal)
}
