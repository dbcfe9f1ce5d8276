package index

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// Profile is what the parts of a query did.
type Profile struct {
	Clock func() int64 // in microseconds
	Root  *Part

	parts []*Part // of the node that is being opened
}

// Part is what an iterator of a query did.
type Part struct {
	Type  string // as RediSearch calls it
	Query string // what a union stands for
	Term  string
	Steps int   // to documents
	Time  int64 // in microseconds, with that of its parts
	Size  int   // of a list, about
	Parts []*Part
}

// open opens the iterator of a node with a profile, if there is one. What inner opens are its
// parts.
func (p *Profile) open(n query.Node, inner func() iterator) iterator {
	if p == nil {
		return inner()
	}
	before := p.parts
	p.parts = nil
	it := inner()
	parts := p.parts
	p.parts = before
	switch done, isCounted := it.(*counted); {
	case it == nil:
		return nil
	case isCounted:
		p.parts = append(p.parts, done.part)
		return it
	}
	if all, ok := it.(*intersection); ok {
		parts = partsOf(all.list)
	}
	one := &Part{Size: it.estimate(), Parts: parts}
	one.describe(n)
	p.parts = append(p.parts, one)
	return &counted{it, one, p.Clock}
}

// partsOf returns the parts of iterators, in their order.
func partsOf(list []iterator) (parts []*Part) {
	for _, it := range list {
		if c, ok := it.(*counted); ok {
			parts = append(parts, c.part)
		} else {
			parts = append(parts, &Part{Type: "EMPTY"})
		}
	}
	return parts
}

// openWord opens the iterator of a word, or of a tag, with a profile, if there is one.
func (p *Profile) openWord(kind, text string, it iterator) iterator {
	if p == nil {
		return it
	}
	one := &Part{Type: kind, Term: text, Size: it.estimate()}
	p.parts = append(p.parts, one)
	return &counted{it, one, p.Clock}
}

// describe says what a part is.
func (p *Part) describe(n query.Node) {
	switch n := n.(type) {
	case *query.All:
		p.Type = "WILDCARD"
	case *query.Affix:
		p.Type, p.Query = "UNION", "PREFIX - "+n.Text
	case *query.Fuzzy:
		p.Type, p.Query = "UNION", "FUZZY - "+n.Text
	case *query.Wildcard:
		p.Type, p.Query = "UNION", "WILDCARD - "+n.Pattern
	case *query.Intersection:
		p.Type = "INTERSECT"
	case *query.Union:
		p.Type, p.Query = "UNION", "UNION"
	case *query.Not:
		p.Type = "NOT"
	case *query.Optional:
		p.Type = "OPTIONAL"
	case *query.Tag:
		p.Type, p.Query = "UNION", "TAG"
	case *query.Numeric:
		p.Type, p.Term = "NUMERIC", fmt.Sprintf("%g - %g", n.Min, n.Max)
	case *query.Geo:
		p.Type, p.Term = "GEO", fmt.Sprintf("%g,%g", n.Lon, n.Lat)
	case *query.Keys:
		p.Type = "ID-LIST"
	default:
		_, name, _ := strings.Cut(fmt.Sprintf("%T", n), ".")
		p.Type = strings.ToUpper(name)
	}
}

// counted is an iterator with a profile.
type counted struct {
	iterator
	part  *Part
	clock func() int64
}

func (c *counted) next() bool {
	begin := c.clock()
	return c.step(begin, c.iterator.next())
}

func (c *counted) seek(id ID) bool {
	begin := c.clock()
	return c.step(begin, c.iterator.seek(id))
}

func (c *counted) step(begin int64, found bool) bool {
	c.part.Time += c.clock() - begin
	if found {
		c.part.Steps++
	}
	return found
}
