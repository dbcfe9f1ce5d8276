package lint

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// dialect reports a query of dialect 1 that is another one in dialect 2.
func (r *run) dialect() {
	if r.Request.Dialect > 1 {
		return
	}
	later, err := r.parse(2)
	switch s := r.Index.Schema(); {
	case err != nil:
		r.report("dialect", -1, "From dialect 2 on this is refused: %s.", err)
	case query.Explain(s, r.root) != query.Explain(s, later):
		r.report("dialect", -1, "Dialect 1 understands this otherwise than dialect 2: FT.EXPLAIN shows both. Say "+
			"DIALECT 2, "+
			"and set parentheses.")
	}
}

// tree applies the rules about parts of the query.
func (r *run) tree() {
	if _, nothing := r.root.(*query.Nothing); nothing && strings.TrimSpace(r.text) != "" {
		r.report("stop-words", -1, "All words are stop words, which no index has, so this finds nothing.")
	}
	inTags := make(map[query.Node]bool)
	query.Walk(r.root, func(n query.Node) {
		switch n := n.(type) {
		case *query.Tag:
			for _, child := range n.Children {
				inTags[child] = true
				r.pattern(child, r.Index.Field(n.Field))
			}
		case *query.Numeric:
			if n.Min > n.Max {
				r.report("reversed-range", r.at(n.Field), "No number of %s is at least %v and at most %v, so this "+
					"finds nothing: "+
					"write @%s:[%v %v].", n.Field, n.Min, n.Max, n.Field, n.Max, n.Min)
			}
		default:
			if !inTags[n] {
				r.textPattern(n)
			}
		}
	})
}

// textPattern looks at a pattern for words of text fields.
func (r *run) textPattern(n query.Node) {
	var without *index.Field
	for _, f := range r.Index.Fields {
		if f.Kind != index.Text || !asks(n, r.Index.TextField(f.Name)) {
			continue
		}
		if without = f; !f.Suffixes {
			break
		}
	}
	r.pattern(n, without)
}

// asks tells whether a node looks in one of some fields.
func asks(n query.Node, fields query.Fields) bool {
	return n.Options().Fields.And(fields) != query.Fields{}
}

// pattern reports a pattern that is too short, and one for the ends of words where a field does not
// have them.
func (r *run) pattern(n query.Node, f *index.Field) {
	text, open := "", false
	switch n := n.(type) {
	case *query.Affix:
		if len(n.Text) < r.Request.MinAffix {
			r.report("short-pattern", r.indexOf(n.Text), "%q has fewer than %d letters (MINPREFIX), so the pattern "+
				"finds nothing.",
				n.Text, r.Request.MinAffix)
			return
		}
		text, open = n.Text, n.Suffix
	case *query.Wildcard:
		text, open = n.Pattern, strings.HasPrefix(n.Pattern, "*") || strings.HasPrefix(n.Pattern, "?")
	}
	if open && f != nil && !f.Suffixes {
		r.report("leading-wildcard", r.indexOf(text), "A pattern that begins with * is compared with every word of "+
			"%s. "+
			"WITHSUFFIXTRIE behind the field in FT.CREATE lets Redis look it up.", f.Name)
	}
}

// indexOf returns where a word is in the text; -1 if it is written in another way.
func (r *run) indexOf(word string) int {
	if word == "" {
		return -1
	}
	return strings.Index(strings.ToLower(r.text), strings.ToLower(word))
}
