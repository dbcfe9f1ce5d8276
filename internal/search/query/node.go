package query

import (
	"math"
	"math/bits"
)

// Node is a node of a query's tree: one of the types of this file.
type Node interface {
	// Options returns what field modifiers and attributes say of the node.
	Options() *Options
	inner() *options
}

// Options are what field modifiers and attributes say of a node.
type Options struct {
	Fields  Fields  // the text fields in which its words are looked for
	Weight  float64 // $weight: what its score is multiplied by
	Slop    int32   // $slop: the words that may lie between its words; -1: any number
	InOrder bool    // $inorder: its words must follow each other as in the query

	phonetic phonetic
	ordered  bool // an attribute $inorder was given
	verbatim bool // it is not expanded by stems and synonyms
}

// phonetic is whether words are looked for by their sound.
type phonetic byte

const (
	phoneticByField phonetic = iota
	phoneticOn
	phoneticOff
)

// The nodes that match documents by themselves.
type (
	// Nothing matches no document.
	Nothing struct{ options }

	// All matches every document.
	All struct{ options }

	// Term matches documents with a word, in the fields of its options.
	Term struct {
		options
		Text     string
		Expanded bool // it is no word of the query, but its stem, sound or synonym
	}

	// Affix matches documents with a word that begins with Text, ends with it, or, with both,
	// contains it.
	Affix struct {
		options
		Text           string
		Prefix, Suffix bool
	}

	// Fuzzy matches documents with a word that at most Distance insertions, deletions and
	// substitutions make of Text.
	Fuzzy struct {
		options
		Text     string
		Distance int
	}

	// Wildcard matches documents with a word that fits a pattern with * and ?.
	Wildcard struct {
		options
		Pattern string
	}

	// Numeric matches documents with a number in a range.
	Numeric struct {
		options
		Field                  string
		Min, Max               float64
		ExcludeMin, ExcludeMax bool
	}

	// Geo matches documents with a place in a circle.
	Geo struct {
		options
		Field    string
		Lon, Lat float64 // degrees
		Radius   float64 // in Unit
		Unit     Unit
	}

	// Shape matches documents with a shape that is related to another one.
	Shape struct {
		options
		Field    string
		Relation Relation
		Text     string // the other one, as well-known text
	}

	// Missing matches documents without a field.
	Missing struct {
		options
		Field string
	}

	// Keys matches documents of a list, by the numbers that the index gives them.
	Keys struct {
		options
		Numbers []uint64
	}
)

// The nodes that join others.
type (
	// Intersection matches documents that all of its children match; if it is Exact, those in which
	// they follow each other.
	Intersection struct {
		options
		Children []Node
		Exact    bool
	}

	// Union matches documents that at least one of its children matches.
	Union struct {
		options
		Children []Node
	}

	// Not matches documents that its child does not match.
	Not struct {
		options
		Child Node
	}

	// Optional matches every document. Those that its child matches have a higher score.
	Optional struct {
		options
		Child Node
	}

	// Tag matches documents with a tag that one of its children matches. They are of the types
	// Term, Affix, Wildcard, and Intersection of terms: a tag of several words.
	Tag struct {
		options
		Field    string
		Children []Node
	}

	// Vector matches documents by the distance of a vector: the K nearest among those that Child
	// matches, or among all if Child is nil; if Range, those within Radius.
	Vector struct {
		options
		Field      string
		Range      bool
		K          int
		Radius     float64
		Blob       string // the vector that the distances are to
		Parameter  string // the name of the parameter with Blob
		Attributes []Attribute
		Score      string // the name of the distance in the results; empty: none
		Child      Node

		distance string      // $yield_distance_as
		late     []parameter // of the attributes
	}
)

// Attribute is a parameter of a search for vectors, such as EF_RUNTIME.
type Attribute struct{ Name, Value string }

// options is what every type of node has.
type options struct {
	opts Options
	rare *rare
}

// rare is what few nodes have.
type rare struct {
	params []parameter
	extra  []Node // children that change nothing, see more
}

func (o *options) Options() *Options { return &o.opts }

func (o *options) inner() *options { return o }

// rarely returns what few nodes have, to change it.
func (o *options) rarely() *rare {
	if o.rare == nil {
		o.rare = new(rare)
	}
	return o.rare
}

func defaults() options { return options{opts: Options{Fields: AllFields, Weight: 1, Slop: -1}} }

// Fields is a set of text fields: field number i is bit i%64 of word i/64. A field that is not of
// text has no number: a modifier with its name makes an empty set.
type Fields [2]uint64

// AllFields is the set without a modifier.
var AllFields = Fields{math.MaxUint64, math.MaxUint64}

// Only returns the set of one field.
func Only(number int) Fields {
	var f Fields
	f[number/64] = 1 << (number % 64)
	return f
}

// Single returns the field of a set that has one; ok is false of another set.
func (f Fields) Single() (number int, ok bool) {
	if f[0] != 0 {
		number = bits.TrailingZeros64(f[0])
	} else {
		number = 64 + bits.TrailingZeros64(f[1])
	}
	return number, number < 128 && f == Only(number)
}

// And returns the fields of both.
func (f Fields) And(g Fields) Fields { return Fields{f[0] & g[0], f[1] & g[1]} }

// Or returns the fields of either.
func (f Fields) Or(g Fields) Fields { return Fields{f[0] | g[0], f[1] | g[1]} }

// Has tells whether a field is in the set.
func (f Fields) Has(number int) bool { return f[number/64]>>(number%64)&1 == 1 }

// Unit is a unit of length.
type Unit byte

// The units of length.
const (
	BadUnit Unit = iota
	Kilometers
	Meters
	Feet
	Miles
)

// Relation is how a shape of a document lies to that of the query.
type Relation byte

// The relations of shapes, by the numbers that FT.EXPLAIN shows.
const (
	Contains Relation = iota + 1
	Within
	Disjoint
	Intersects
)

// children returns the nodes below a node.
func children(n Node) []Node {
	var extra []Node
	if r := n.inner().rare; r != nil {
		extra = r.extra
	}
	switch n := n.(type) {
	case *Intersection:
		return n.Children
	case *Union:
		return n.Children
	case *Tag:
		return n.Children
	case *Not:
		return append([]Node{n.Child}, extra...)
	case *Optional:
		return append([]Node{n.Child}, extra...)
	case *Vector:
		if n.Child != nil {
			return []Node{n.Child}
		}
	}
	return extra
}

// NewNumeric returns the node of a range with both of its bounds.
func NewNumeric(field string, low, high float64) *Numeric {
	return &Numeric{options: defaults(), Field: field, Min: low, Max: high}
}

// NewGeo returns the node of a circle.
func NewGeo(field string, lon, lat, radius float64, unit Unit) *Geo {
	return &Geo{options: defaults(), Field: field, Lon: lon, Lat: lat, Radius: radius, Unit: unit}
}

// NewKeys returns the node of documents by their numbers.
func NewKeys(numbers []uint64) *Keys { return &Keys{options: defaults(), Numbers: numbers} }

// Walk calls fn for a node and all nodes below it.
func Walk(n Node, fn func(n Node)) {
	fn(n)
	for _, child := range children(n) {
		Walk(child, fn)
	}
}
