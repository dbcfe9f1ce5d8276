package query

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// checker finds what an index does not support.
type checker struct {
	schema  Schema
	ordered bool // the whole query asks for an order of words
	tag     bool // a tag field was seen
	empty   bool // one that indexes empty strings
}

func (c *checker) check(n Node) error {
	switch n := n.(type) {
	case *Intersection:
		if c.ordered || n.opts.Slop >= 0 || n.opts.ordered {
			if err := c.order(n.opts.Fields); err != nil {
				return err
			}
		}
	case *Tag:
		c.tag = true
		f := c.schema.Field(n.Field)
		c.empty = c.empty || f != nil && f.IndexEmpty
	case *Term:
		if n.Text == "" && !c.findsEmpty(n.opts.Fields) {
			return command.Error("Use `INDEXEMPTY` in field creation in order to index and query for empty strings")
		}
	}
	for _, child := range children(n) {
		if err := c.check(child); err != nil {
			return err
		}
	}
	return nil
}

// order refuses an order of words in fields with several values.
func (c *checker) order(set Fields) error {
	for i, f := range c.schema.Fields() {
		if f.Text && f.Unordered && hasPlace(set, i) {
			return fmt.Errorf("slop/inorder are not supported for field `%s` since it has undefined ordering", f.Name)
		}
	}
	return nil
}

// hasPlace tells whether a set has a field by its place among all fields, as RediSearch asks,
// although those in the set have their numbers among the fields of text.
func hasPlace(set Fields, place int) bool { return place < 128 && set.Has(place) }

// findsEmpty tells whether an empty string may be looked for.
func (c *checker) findsEmpty(set Fields) bool {
	if c.tag {
		return c.empty
	}
	if set == AllFields {
		return true
	}
	found := false
	for _, f := range c.schema.Fields() {
		if f.Text && set.Has(f.Number) {
			found = true
			if f.IndexEmpty {
				return true
			}
		}
	}
	return !found || !c.refusesEmpty()
}

// refusesEmpty tells whether a field of words or tags does not index empty strings.
func (c *checker) refusesEmpty() bool {
	for _, f := range c.schema.Fields() {
		if (f.Text || f.Tag) && !f.IndexEmpty {
			return true
		}
	}
	return false
}

// finish makes of a tree what is looked for: tags in lower case, patterns without escapes; and
// refuses what the fields do not support.
func finish(s Schema, r *Request, n Node) error {
	switch n := n.(type) {
	case *Geo:
		return n.Validate()
	case *Tag:
		if f := s.Field(n.Field); f != nil && f.Tag && !f.Unused {
			finishTags(n.Children, f.CaseSensitive)
		}
		return nil
	case *Wildcard:
		n.Pattern = withoutBackslashes(n.Pattern)
		return suffixes(s, n.opts.Fields)
	case *Affix:
		if n.Suffix && len(n.Text) >= r.MinAffix {
			return suffixes(s, n.opts.Fields)
		}
	case *Missing:
		if f := s.Field(n.Field); f != nil && !f.IndexMissing {
			return fmt.Errorf("'ismissing' requires field '%s' to be defined with 'INDEXMISSING'", n.Field)
		}
	case *Vector:
		if f := s.Field(n.Field); f == nil || !f.Vector {
			return nil
		}
		if err := n.nameDistance(); err != nil {
			return err
		}
	}
	for _, child := range children(n) {
		if err := finish(s, r, child); err != nil {
			return err
		}
	}
	return nil
}

// suffixes refuses to look for the ends of words in fields that are not indexed by them, if others
// are.
func suffixes(s Schema, set Fields) error {
	var with Fields
	for _, f := range s.Fields() {
		if f.Text && f.Suffixes {
			with = with.Or(Only(f.Number))
		}
	}
	if with != (Fields{}) && set != AllFields && with.And(set) != set {
		return command.Error("Contains query on fields without WITHSUFFIXTRIE support")
	}
	return nil
}

// nameDistance takes the name of the distance that an attribute gives, instead of the default.
func (n *Vector) nameDistance() error {
	if n.distance == "" {
		return nil
	}
	if n.Score != "" && !strings.EqualFold(n.Score, "__"+n.Field+"_score") {
		return command.Errorf("Distance field was specified twice for vector query: %s and %s", n.Score, n.distance)
	}
	n.Score = n.distance
	return nil
}

// distinct refuses distances with the name of another one, or of a field.
func distinct(s Schema, root Node) (err error) {
	names := make(map[string]bool)
	Walk(root, func(n Node) {
		v, ok := n.(*Vector)
		if !ok || v.Score == "" || err != nil {
			return
		}
		f := s.Field(v.Field)
		switch {
		case f == nil || !f.Vector:
			return
		case s.Field(v.Score) != nil:
			err = command.Errorf("Property `%s` already exists in schema", v.Score)
		case names[v.Score]:
			err = command.Errorf("Property `%s` specified more than once", v.Score)
		}
		names[v.Score] = true
	})
	return err
}

func finishTags(tags []Node, caseSensitive bool) {
	for _, n := range tags {
		switch n := n.(type) {
		case *Term:
			n.Text = tagText(n.Text, caseSensitive)
		case *Affix:
			n.Text = tagText(n.Text, caseSensitive)
		case *Wildcard:
			n.Pattern = withoutBackslashes(tagText(n.Pattern, caseSensitive))
		}
	}
}

// tagText returns a tag as it is indexed.
func tagText(text string, caseSensitive bool) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && escapes(text[i+1]) {
			i++
		}
		b = append(b, text[i])
	}
	if caseSensitive {
		return string(b)
	}
	return lower(b)
}

// withoutBackslashes returns a pattern without those that escape.
func withoutBackslashes(pattern string) string {
	b := make([]byte, 0, len(pattern))
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
		}
		if i < len(pattern) {
			b = append(b, pattern[i])
		}
	}
	return string(b)
}
