package index

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// Limits bound what a query may make of an index.
type Limits struct {
	Prefix     int // the least bytes of a prefix
	Expansions int // the most words of a prefix, a pattern or a fuzzy word
}

// Query is a tree with what a command says beside it.
type Query struct {
	Root    query.Node
	Fields  query.Fields // in which words are looked for
	Slop    int          // the words that may lie between two; -1: any number
	InOrder bool
	Limits  Limits
	Profile *Profile // of what the query does; nil for none
	// Late reports whether the query has taken too long: then it ends with what it has found. It is
	// asked now and then; nil for never.
	Late func() bool
}

// evaluation makes iterators of a query.
type evaluation struct {
	*Query
	index *Index
	pace  *pace
	err   error // the first
}

func (v *evaluation) refuse(err error) {
	if v.err == nil {
		v.err = err
	}
}

// iterate returns the iterator of a query, and its pace.
func (x *Index) iterate(q *Query) (iterator, *pace, error) {
	v := &evaluation{Query: q, index: x, pace: &pace{late: q.Late}}
	it := v.node(q.Root, q.Fields)
	if it == nil {
		it = nothing{}
	}
	if q.Profile != nil {
		q.Profile.Root = &Part{Type: "EMPTY"}
		if len(q.Profile.parts) > 0 {
			q.Profile.Root = q.Profile.parts[0]
		}
	}
	return it, v.pace, v.err
}

// node returns the iterator of a node, whose words are looked for in some fields; nil if it finds
// nothing.
func (v *evaluation) node(n query.Node, fields query.Fields) iterator {
	return v.Profile.open(n, func() iterator { return v.open(n, fields) })
}

func (v *evaluation) open(n query.Node, fields query.Fields) iterator {
	if v.pace.isOver(v.steps(n)) {
		return nil
	}
	o := n.Options()
	fields = fields.And(o.Fields)
	switch n := n.(type) {
	case *query.All:
		return v.index.all(1)
	case *query.Term:
		return v.word(n, v.known(fields))
	case *query.Affix, *query.Fuzzy, *query.Wildcard:
		return v.expansion(n, &v.index.words, v.known(fields), o.Weight)
	case *query.Intersection:
		return v.intersection(n, fields)
	case *query.Union:
		return v.union(n.Children, fields, o.Weight)
	case *query.Not:
		return v.index.not(v.orNothing(n.Child, fields), o.Weight)
	case *query.Optional:
		return v.index.optional(v.orNothing(n.Child, fields), o.Weight)
	case *query.Tag:
		return v.tag(n, o.Weight)
	case *query.Numeric:
		return v.numeric(n)
	case *query.Geo:
		return v.geo(n)
	case *query.Shape:
		return v.shape(n)
	case *query.Missing:
		return v.missing(n)
	case *query.Keys:
		return v.keys(n)
	case *query.Vector:
		return v.vector(n, fields)
	}
	return nil
}

// known returns those of some fields which the index tells apart: all, if it does not.
func (v *evaluation) known(fields query.Fields) query.Fields {
	if v.index.NoFields {
		return query.AllFields
	}
	return fields
}

// steps returns how many steps it takes at most to make the iterator of a node, without those of
// its children and its words.
func (v *evaluation) steps(n query.Node) int {
	switch n.(type) {
	case *query.Numeric, *query.Geo, *query.Shape, *query.Vector:
		return v.index.Len()
	}
	return 1
}

func (v *evaluation) orNothing(n query.Node, fields query.Fields) iterator {
	if it := v.node(n, fields); it != nil {
		return it
	}
	if v.Profile != nil {
		v.Profile.parts = append(v.Profile.parts, &Part{Type: "EMPTY"})
	}
	return nothing{}
}

// word returns the documents with a word in some fields.
func (v *evaluation) word(n *query.Term, fields query.Fields) iterator {
	w := v.index.words.find(n.Text)
	if w == nil || w.fields.And(fields) == (query.Fields{}) {
		return nil
	}
	return v.entries("TEXT", w, n.Options().Weight, fields, n.Expanded)
}

func (v *evaluation) entries(kind string, w *word, weight float64, fields query.Fields, expanded bool) iterator {
	return v.Profile.openWord(kind, w.text, w.entries(&wanted{text: w.text, expanded: expanded,
		idf: rarity(v.index.Len(), int(w.count)), okapi: okapiRarity(v.index.Len(), int(w.count))}, weight, fields))
}

// expansion returns the documents with a word of those that a node stands for, in a dictionary.
func (v *evaluation) expansion(n query.Node, d *dictionary, fields query.Fields, weight float64) iterator {
	var list []iterator
	kind := "TEXT"
	if d.bare {
		kind = "TAG"
	}
	v.expand(n, d, func(w *word) bool {
		if d.bare || w.fields.And(fields) != (query.Fields{}) {
			list = append(list, v.entries(kind, w, 1, fields, false))
		}
		return len(list) < v.Limits.Expansions
	})
	if len(list) == 0 {
		return nil
	}
	return newUnion(v.pace, list, weight, true)
}

// expand calls yield for the words that a node stands for.
func (v *evaluation) expand(n query.Node, d *dictionary, yield func(*word) bool) {
	if ends := v.index.ends(); !d.bare && ends != (query.Fields{}) && byEnds(n) {
		all := yield
		yield = func(w *word) bool { return !w.isIn(ends) || all(w) }
	}
	switch n := n.(type) {
	case *query.Affix:
		text := n.Text
		switch {
		case len(text) < v.Limits.Prefix:
		case !n.Suffix:
			v.each(d, text, yield)
		case n.Prefix:
			v.each(d, "", func(w *word) bool { return !strings.Contains(w.text, text) || yield(w) })
		default:
			v.each(d, "", func(w *word) bool { return !strings.HasSuffix(w.text, text) || yield(w) })
		}
	case *query.Wildcard:
		literal, _, _ := strings.Cut(n.Pattern, "*")
		literal, _, _ = strings.Cut(literal, "?")
		v.each(d, literal, func(w *word) bool { return !fits(n.Pattern, w.text) || yield(w) })
	case *query.Fuzzy:
		d.similar(n.Text, n.Distance, v.pace, yield)
	}
}

// each calls yield for the words that begin with a text, while there is time.
func (v *evaluation) each(d *dictionary, prefix string, yield func(*word) bool) {
	d.prefixed(prefix, func(w *word) bool { return !v.pace.isOver(1) && yield(w) })
}

// byEnds reports whether a node is looked for in the ends of words, if fields are indexed by them.
// As in RediSearch, a pattern is if its first part of more than one letter has no question mark.
func byEnds(n query.Node) bool {
	switch n := n.(type) {
	case *query.Affix:
		return n.Suffix
	case *query.Wildcard:
		for part := range strings.SplitSeq(n.Pattern, "*") {
			if utf8.RuneCountInString(part) > 1 {
				return !strings.Contains(part, "?")
			}
		}
	}
	return false
}

// ends returns the fields that are indexed by the ends of words.
func (x *Index) ends() (set query.Fields) {
	for _, f := range x.Fields {
		if f.Kind == Text && f.Suffixes {
			set = set.Or(query.Only(f.number))
		}
	}
	return set
}

// isIn reports whether some fields say the word itself, and not only what has its stem, its sound
// or its synonyms.
func (w *word) isIn(fields query.Fields) bool {
	return !text.Marked(w.text) && w.fields.And(fields) != query.Fields{}
}

// fits reports whether a text fits a pattern in which * stands for any bytes and ? for one.
// O(pattern * text).
func fits(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p, t = p+1, t+1
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// intersection returns the documents that all children find.
func (v *evaluation) intersection(n *query.Intersection, fields query.Fields) iterator {
	if len(n.Children) == 1 {
		return v.node(n.Children[0], fields)
	}
	var list []iterator
	for _, child := range n.Children {
		list = append(list, v.orNothing(child, fields))
	}
	if len(list) == 0 {
		return nil
	}
	if fields == (query.Fields{}) {
		list = append(list, nothing{}) // as in RediSearch, also if the parts are not about text
	}
	o := n.Options()
	slop, order := int(o.Slop), v.InOrder || o.InOrder
	if slop == -1 {
		slop = v.Slop
	}
	switch {
	case n.Exact:
		slop, order = 0, true
	case order && slop == -1:
		slop = math.MaxInt32
	}
	return newIntersection(v.pace, list, o.Weight, slop, order)
}

// union returns the documents that any of the children finds.
func (v *evaluation) union(children []query.Node, fields query.Fields, weight float64) iterator {
	var list []iterator
	for _, child := range children {
		if it := v.node(child, fields); it != nil {
			list = append(list, it)
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return newUnion(v.pace, list, weight, false)
}

// tag returns the documents with a tag that a child finds.
func (v *evaluation) tag(n *query.Tag, weight float64) iterator {
	f := v.index.field(n.Field, Tag)
	if f == nil {
		return nil
	}
	var list []iterator
	for _, child := range n.Children {
		if it := v.singleTag(f, child, weight); it != nil {
			list = append(list, it)
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case len(n.Children) == 1:
		return list[0]
	}
	return newUnion(v.pace, list, weight, false)
}

func (v *evaluation) singleTag(f *Field, n query.Node, weight float64) iterator {
	d := &f.lists.tags
	text := ""
	switch n := n.(type) {
	case *query.Term:
		text = n.Text
	case *query.Intersection:
		var words []string
		for _, child := range n.Children {
			if t, ok := child.(*query.Term); ok {
				words = append(words, t.Text)
			} else {
				words = append(words, "")
			}
		}
		text = strings.Join(words, " ")
	default:
		folded := f.foldNode(n)
		return v.Profile.open(folded, func() iterator { return v.expansion(folded, d, query.AllFields, weight) })
	}
	if w := d.find(f.foldTag(text)); w != nil {
		return v.entries("TAG", w, weight, query.AllFields, false)
	}
	return nil
}

// foldNode returns a node as tags are indexed.
func (f *Field) foldNode(n query.Node) query.Node {
	switch n := n.(type) {
	case *query.Affix:
		folded := *n
		folded.Text = f.foldTag(n.Text)
		return &folded
	case *query.Wildcard:
		folded := *n
		folded.Pattern = f.foldTag(n.Pattern)
		return &folded
	}
	return n
}

// numeric returns the documents with a number in a range.
func (v *evaluation) numeric(n *query.Numeric) iterator {
	f := v.index.field(n.Field, Numeric)
	if f == nil {
		return nil
	}
	s := span{n.Min, n.Max, n.ExcludeMin, n.ExcludeMax}
	set := newIDSet(f.lists.numbers.within(s), v.index.docs.last())
	f.lists.numbers.parts(s, func(_ []float64, ids []ID) bool {
		for _, id := range ids {
			set.add(id)
		}
		return true
	})
	return listed(set.sorted(), isNumber, 1)
}

// listed returns the documents of a list; nil if it is empty.
func listed(ids []ID, kind matchKind, frequency uint32) iterator {
	if len(ids) == 0 {
		return nil
	}
	return &numbered{ids: ids, m: match{kind: kind, weight: 1, frequency: frequency}}
}

// metres returns how many metres a unit has.
func metres(u query.Unit) float64 {
	switch u {
	case query.Kilometers:
		return 1000
	case query.Feet:
		return 0.3048
	case query.Miles:
		return 1609.34
	}
	return 1
}

// geo returns the documents with a place in a circle.
func (v *evaluation) geo(n *query.Geo) iterator {
	f := v.index.field(n.Field, Geo)
	if f == nil {
		return nil
	}
	area := geohash.Circle(geohash.Point{Lon: n.Lon, Lat: n.Lat}, n.Radius*metres(n.Unit))
	set, spans := newIDSet(0, v.index.docs.last()), 0
	for _, s := range area.AppendSpans(nil) {
		if f.lists.numbers.overlaps(s.Min, s.Max) {
			spans++
		}
		f.lists.numbers.parts(span{min: s.Min, max: s.Max}, func(values []float64, ids []ID) bool {
			for i, score := range values {
				if _, inside := area.Find(score); inside {
					set.add(ids[i])
				}
			}
			return true
		})
	}
	it := listed(set.sorted(), isNumber, 1)
	if it != nil && spans > 1 {
		return newUnion(v.pace, []iterator{it}, 1, true) // in RediSearch it is one of the spans
	}
	return it
}

// missing returns the documents without a field.
func (v *evaluation) missing(n *query.Missing) iterator {
	f := v.index.Field(n.Field)
	switch {
	case f == nil:
		return nil
	case !f.IndexMissing:
		v.refuse(errNoMissing(f.Name))
		return nil
	case f.lists.missing.count == 0:
		return nil
	}
	return f.lists.missing.entries(nil, 1, query.AllFields)
}

// keys returns the documents of a list.
func (v *evaluation) keys(n *query.Keys) iterator {
	ids := make([]ID, len(n.Numbers))
	for i, number := range n.Numbers {
		ids[i] = ID(number)
	}
	slices.Sort(ids)
	return listed(slices.Compact(ids), isVirtual, 0)
}
