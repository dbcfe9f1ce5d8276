package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// Reply says what a command replies with in RESP2, in cases separated by "; " of which the first
// one counts that fits the arguments:
//
//	integer                           always
//	1: text?; list                    with one argument behind the name, and with more
//	GET: text?; NX XX: status?; status      with a word of the syntax, and without
//
// A shape with a question mark may be nil instead. Errors are no part of it, nor what a client gets
// in a transaction.
type Reply string

// Shape is the shape of a reply.
type Shape string

// The shapes of replies.
const (
	Integer  Shape = "integer"
	Text     Shape = "text"     // a bulk string; a double is one, too
	Status   Shape = "status"   // a simple string, such as OK
	List     Shape = "list"     // of texts
	Texts    Shape = "texts?"   // a list of texts, some of which may be nil
	Integers Shape = "integers" // a list
	Time     Shape = "time"     // two texts: seconds since 1970, and microseconds
	Array    Shape = "array"    // of anything
	Any      Shape = "any"
)

// shapes are those that a line may have, without the question mark.
var shapes = []Shape{Integer, Text, Status, List, Texts, Integers, Time, Array, Any}

// Maybe returns the shape without its question mark, and whether it has one.
func (s Shape) Maybe() (shape Shape, absent bool) {
	if s == Texts {
		return s, false
	}
	text, absent := strings.CutSuffix(string(s), "?")
	return Shape(text), absent
}

// Fits reports whether a reply has the shape.
func (s Shape) Fits(v resp.Value) bool {
	shape, absent := s.Maybe()
	switch {
	case shape == Any, absent && v.IsNull():
		return true
	case v.IsNull():
		return false
	}
	switch shape {
	case Integer:
		return v.Kind == resp.Integer
	case Text:
		return v.Kind == resp.Bulk
	case Status:
		return v.Kind == resp.Status
	case List:
		return isListOf(v, resp.Bulk, false)
	case Time:
		return isListOf(v, resp.Bulk, false) && len(v.Elems) == 2
	case Texts:
		return isListOf(v, resp.Bulk, true)
	case Integers:
		return isListOf(v, resp.Integer, false)
	}
	return v.Kind == resp.Array
}

// isListOf reports whether all elements of a list are of a kind, or may be nil.
func isListOf(v resp.Value, kind resp.Kind, absent bool) bool {
	return v.Kind == resp.Array && !slices.ContainsFunc(v.Elems, func(e resp.Value) bool {
		return e.Kind != kind || e.IsNull() && !absent
	})
}

// replyCase is a case of a Reply: for so many arguments, for words, or for all that is left.
type replyCase struct {
	count int // 0 for any number
	words []string
	shape Shape
}

// cases returns the cases of a reply. ok is false if it is malformed.
func (r Reply) cases() (list []replyCase, ok bool) {
	for text := range strings.SplitSeq(string(r), "; ") {
		c := replyCase{shape: Shape(text)}
		if condition, shape, found := strings.Cut(text, ": "); found {
			c.shape = Shape(shape)
			if c.count, _ = strconv.Atoi(condition); c.count == 0 {
				c.words = strings.Fields(condition)
			}
		}
		if shape, _ := c.shape.Maybe(); !slices.Contains(shapes, shape) {
			return nil, false
		}
		list = append(list, c)
	}
	last := list[len(list)-1]
	return list, last.count == 0 && last.words == nil
}

// Known reports whether a reply is well-formed.
func (r Reply) Known() bool {
	_, ok := r.cases()
	return ok
}

// For returns the shape for a call with count arguments behind the name; has reports whether a word
// of the syntax is among them. open says that some arguments are unknown, or that more may follow.
// For then assumes that a word which makes the reply nil may be among them, but no word that
// changes its shape. It returns Any if the Reply is malformed.
func (r Reply) For(count int, has func(word string) bool, open bool) Shape {
	list, ok := r.cases()
	if !ok {
		return Any
	}
	last := list[len(list)-1].shape
	for _, c := range list {
		switch {
		case c.count > 0 && open:
			return Any
		case c.count > 0 && c.count == count, slices.ContainsFunc(c.words, has), c.count == 0 && c.words == nil:
			return c.shape
		case open && c.shape == last+"?":
			return c.shape
		}
	}
	return last
}
