// Package path is the two path languages of RedisJSON: JSONPath, whose paths begin with $, and the
// legacy one. Parse makes a Path of a text; a Finder finds the values of a document that match it.
//
//	path      = "$" { step } .                              its first step begins with "." or "["
//	step      = ( "." | ".." ) ( name | "*" | brackets ) | brackets .
//	brackets  = "[" ( slice | integer { "," integer } | string { "," string } | "*" | "?" filter )
//	          "]" .
//	slice     = [ integer ] ":" [ integer ] [ ":" [ positive ] ] .
//	filter    = test { ( "&&" | "||" ) test } .             && binds tighter
//	test      = term [ operator term ] | "(" filter ")" .
//	operator  = "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" .
//	term      = string | decimal | "true" | "false" | "null" | ( "@" | "$" ) { step } .
//	string    = `"` { char | `\"` | `\\` } `"` | `'` { char | `\'` | `\\` } `'` .
//	integer   = [ "-" ] ( "0" | positive ) .
//	decimal   = integer [ "." digit { digit } ] .
//	positive  = "1" … "9" { digit } .
//	name      = namechar { namechar } .                     letters and digits of ASCII
//	                                                        and #$%+-/:^_`~
//
// Spaces, not other white space, may be between tokens; those with which a string begins do not
// count. The path of a term may begin with a name: @a is @.a.
//
// A legacy path does not begin with "$." or "$[", and is not "$". It has "$" put before it if it
// begins with a dot, else "$.", and is a path of JSONPath then; "." is "$". Commands that read take
// the first value that matches it.
//
// It differs from RFC 9535. In the grammar: names are ASCII and may have signs, spaces are allowed
// and line ends are not, a dot may stand before brackets, a union is of integers only or of strings
// only, a slice has no negative step, there are no functions and no !, a string has two escapes
// only. In what it means: of an array that is too short [-9] is the first element, a filter on a
// scalar tests the scalar itself, a path in a filter stands for its value if it matches exactly one
// and for nothing otherwise, in its own filters $ is the value at which it starts, a lone literal
// is true whatever it is, and =~ searches for a regular expression. In a string of a filter the
// backslash before a quote stays, and one with escapes is no regular expression.
//
// Regular expressions are those of Go's regexp. The ones of Rust's regex, which RedisJSON has,
// differ in that \d, \w, \s and \b know Unicode, in the flags x, R and u, in set operations within
// brackets, and in repetitions above 1000; only Go's have \Q. One that is not valid, or too large,
// matches nothing.
package path

import "github.com/miniserver-go/miniserver/ds/json"

// Path is a path. It does not change, and may be used by several at once.
type Path struct {
	text     []byte // from "$" on
	legacy   bool
	static   bool // has names and integers only: at most one value matches
	steps    []step
	computed *term  // of a path that computes values, which has no steps; else nil
	named    bool   // it is static, and its last step is a name
	last     []byte // that name, as it is written
	roots    int    // how many terms begin with $
	patterns int    // how many tests have a pattern that is in the document
	size     int    // how many steps and tests there are
	lists    bool   // a filter on a scalar matches nothing
}

// Legacy reports whether it is a path of the legacy language.
func (p *Path) Legacy() bool { return p.legacy }

// Static reports whether the path has names and integers only, so that it matches at most one
// value.
func (p *Path) Static() bool { return p.static }

// Root reports whether the path is that of the root.
func (p *Path) Root() bool { return len(p.steps) == 0 && p.computed == nil }

// Computes reports whether the path computes values, which are not in the document.
func (p *Path) Computes() bool { return p.computed != nil }

// String returns the path as a path of JSONPath, "$.a" for "a", in the form of RedisJSON's errors.
func (p *Path) String() string { return Shown(p.text) }

// Split cuts the last step off a static path, if it is a name; else ok is false. As in RedisJSON
// the name is as it is written, with its escapes: it is the one for a member that is to be added.
// So it can be that of a member that is there, though the path matches none.
func (p *Path) Split() (parent *Path, name []byte, ok bool) {
	if !p.named {
		return nil, nil, false
	}
	steps := p.steps[:len(p.steps)-1]
	return &Path{text: p.text, legacy: p.legacy, static: true, steps: steps, size: len(steps)}, p.last, true
}

// A step goes from a value to some of its children.
type step struct {
	kind   stepKind
	scan   bool // from the value first, then from each value within it
	union  []child
	slice  slice
	filter filter
}

type stepKind uint8

const (
	union   stepKind = iota // the children that are named
	stretch                 // those of a slice
	all
	where // those for which the filter is true
)

// child names a child: a member by its name, or an element by its index.
type child struct {
	member bool
	name   []byte
	index  int // from the end if it is negative
}

// slice selects elements by the index: from the first on, below the end, each step-th. Indexes
// below 0 are from the end.
type slice struct {
	from, to, step int
}

// static reports whether the step goes to one child at most, whatever the document is.
func (s *step) static() bool { return !s.scan && s.kind == union && len(s.union) == 1 }

// of returns the child of v that c names, and its index; ok is false if there is none.
func (c *child) of(v json.Value) (found json.Value, at int, ok bool) {
	switch kind := v.Kind(); {
	case kind == json.Object && c.member:
		return v.Member(c.name)
	case kind == json.Array && !c.member:
		if at = c.index; at < 0 {
			at = max(0, at+v.Len()) // as in RedisJSON: the first element stands for those before it
		}
		found, ok = v.Element(at)
		return found, at, ok
	}
	return found, 0, false
}

// ends returns a slice's bounds in an array of n elements.
func (s slice) ends(n int) (from, to int) {
	from, to = s.from, s.to
	if from < 0 {
		from = max(0, from+n)
	}
	if to < 0 {
		to += n
	}
	return min(from, n), min(to, n)
}
