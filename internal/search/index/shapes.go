package index

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/resp"
)

// vertex is a point of the plane. In a spherical field it is a longitude and a latitude.
type vertex struct{ x, y float64 }

// shape is a point, which has one ring of one vertex, or a polygon: the ring around it, and those
// around its holes. The last vertex of a ring is the first.
//
// Edges are straight on a map whose axes are longitude and latitude, also in spherical fields,
// where RediSearch has them along the surface.
type shape struct {
	rings    [][]vertex
	min, max vertex
}

func (s *shape) isPoint() bool { return len(s.rings[0]) == 1 }

// parseShape reads well-known text: a POINT or a POLYGON.
func parseShape(text string) (*shape, error) {
	p := &shapeParser{text: text, rest: text}
	s := new(shape)
	switch word := p.word(); word {
	case "POINT":
		s.rings = [][]vertex{{p.point()}}
	case "POLYGON":
		p.expect('(')
		s.rings = append(s.rings, p.ring())
		for p.skip(',') {
			s.rings = append(s.rings, p.ring())
		}
		p.expect(')')
		if p.err == nil {
			p.err = s.check()
		}
	default:
		return nil, errShape
	}
	if p.err == nil && p.space() != "" {
		p.err = fmt.Errorf("too many tokens at '%s' in '%s'", p.token(), text)
	}
	if p.err != nil {
		return nil, p.err
	}
	s.bound()
	return s, nil
}

// shapeParser reads well-known text.
type shapeParser struct {
	text, rest string
	err        error
}

// space passes over blanks, and returns the rest.
func (p *shapeParser) space() string {
	p.rest = strings.TrimLeft(p.rest, " \t\n\r")
	return p.rest
}

// word reads a name.
func (p *shapeParser) word() string {
	p.space()
	n := strings.IndexFunc(p.rest, func(r rune) bool { return r < 'A' || r > 'Z' })
	if n < 0 {
		n = len(p.rest)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

// token returns what stands next: a sign, or up to one.
func (p *shapeParser) token() string {
	rest := p.space()
	n := strings.IndexAny(rest, "(), \t\n\r")
	switch {
	case n < 0:
		return rest
	case n == 0:
		return rest[:1]
	}
	return rest[:n]
}

func (p *shapeParser) skip(sign byte) bool {
	if rest := p.space(); rest != "" && rest[0] == sign {
		p.rest = rest[1:]
		return true
	}
	return false
}

func (p *shapeParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *shapeParser) expect(sign byte) {
	switch {
	case p.skip(sign):
	case p.rest == "":
		p.fail("Expected '%c' in '%s'", sign, p.text)
	default:
		p.fail("Expected '%c' at '%s' in '%s'", sign, p.token(), p.text)
	}
}

// point reads a point in parentheses; that of EMPTY is 0 0.
func (p *shapeParser) point() (v vertex) {
	if p.token() == "EMPTY" {
		p.rest = p.rest[len("EMPTY"):]
		return v
	}
	p.expect('(')
	v = p.vertex()
	p.expect(')')
	return v
}

// vertex reads two numbers.
func (p *shapeParser) vertex() vertex { return vertex{p.number(), p.number()} }

func (p *shapeParser) number() float64 {
	token := p.token()
	if token == "(" || token == ")" || token == "," || token == "" {
		return 0 // RediSearch takes a missing number for 0
	}
	p.rest = p.rest[len(token):]
	f, ok := resp.ParseFloat([]byte(token))
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		p.fail("bad lexical cast: source type value could not be interpreted as target at '%s' in '%s'", token, p.text)
	}
	return f
}

// ring reads vertices, and closes the ring.
func (p *shapeParser) ring() (ring []vertex) {
	p.expect('(')
	ring = append(ring, p.vertex())
	for p.err == nil && p.skip(',') {
		if v := p.vertex(); v != ring[len(ring)-1] {
			ring = append(ring, v)
		}
	}
	p.expect(')')
	if ring[0] != ring[len(ring)-1] {
		ring = append(ring, ring[0])
	}
	return ring
}

// check refuses what is no polygon.
func (s *shape) check() error {
	for _, ring := range s.rings {
		area := 0.0
		for i := 1; i < len(ring); i++ {
			area += ring[i-1].x*ring[i].y - ring[i].x*ring[i-1].y
		}
		switch {
		case len(ring) < 4:
			return errFewPoints
		case area == 0:
			return errOrientation
		case crossesItself(ring):
			return errSelfIntersection
		}
	}
	return nil
}

// mostChecked is up to how many vertices a ring is looked at for edges that cross each other.
const mostChecked = 1000

func crossesItself(ring []vertex) bool {
	if len(ring) > mostChecked {
		return false
	}
	for i := 1; i < len(ring); i++ {
		for j := i + 2; j < len(ring); j++ {
			if (i != 1 || j != len(ring)-1) && meet(ring[i-1], ring[i], ring[j-1], ring[j]) {
				return true
			}
		}
	}
	return false
}

// bound computes the box around the shape.
func (s *shape) bound() {
	s.min, s.max = s.rings[0][0], s.rings[0][0]
	for _, v := range s.rings[0] {
		s.min = vertex{min(s.min.x, v.x), min(s.min.y, v.y)}
		s.max = vertex{max(s.max.x, v.x), max(s.max.y, v.y)}
	}
}

// apart reports whether the boxes of two shapes have no point in common.
func (s *shape) apart(o *shape) bool {
	return s.max.x < o.min.x || o.max.x < s.min.x || s.max.y < o.min.y || o.max.y < s.min.y
}

// side returns on which side of the line from a to b a point lies: 0 if on it.
func side(a, b, p vertex) float64 { return (b.x-a.x)*(p.y-a.y) - (b.y-a.y)*(p.x-a.x) }

// between reports whether a point on the line through a and b lies on the edge.
func between(a, b, p vertex) bool {
	return min(a.x, b.x) <= p.x && p.x <= max(a.x, b.x) && min(a.y, b.y) <= p.y && p.y <= max(a.y, b.y)
}

// meet reports whether two edges have a point in common.
func meet(a, b, c, d vertex) bool {
	p, q, r, s := side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
	if (p > 0 && q < 0 || p < 0 && q > 0) && (r > 0 && s < 0 || r < 0 && s > 0) {
		return true
	}
	return p == 0 && between(a, b, c) || q == 0 && between(a, b, d) || r == 0 && between(c, d, a) ||
		s == 0 && between(c, d, b)
}

// where is where a point lies in relation to a polygon.
type where int

const (
	outside where = iota
	border
	inside
)

// locate returns where a point lies.
func (s *shape) locate(p vertex) where {
	in := false
	for _, ring := range s.rings {
		for i := 1; i < len(ring); i++ {
			a, b := ring[i-1], ring[i]
			if side(a, b, p) == 0 && between(a, b, p) {
				return border
			}
			if (a.y > p.y) != (b.y > p.y) && p.x < (b.x-a.x)*(p.y-a.y)/(b.y-a.y)+a.x {
				in = !in
			}
		}
	}
	if in {
		return inside
	}
	return outside
}

// related reports whether a shape of a document has a relation to that of a query.
func related(r query.Relation, doc, of *shape) bool {
	switch r {
	case query.Within:
		return doc.within(of)
	case query.Contains:
		return of.within(doc)
	case query.Intersects:
		return doc.intersects(of)
	}
	return !doc.intersects(of)
}

// edges calls yield for the edges of all rings, until it returns false.
func (s *shape) edges(yield func(a, b vertex) bool) {
	for _, ring := range s.rings {
		for i := 1; i < len(ring); i++ {
			if !yield(ring[i-1], ring[i]) {
				return
			}
		}
	}
}

// intersects reports whether two shapes have a point in common.
func (s *shape) intersects(o *shape) bool {
	p, q := s.rings[0][0], o.rings[0][0]
	switch {
	case s.apart(o):
		return false
	case s.isPoint() && o.isPoint():
		return p == q
	case s.isPoint():
		return o.locate(p) != outside
	case o.isPoint():
		return s.locate(q) != outside
	}
	return s.meets(o) || o.locate(p) != outside || s.locate(q) != outside
}

// meets reports whether edges of two polygons have a point in common.
func (s *shape) meets(o *shape) bool {
	for a, b := range s.edges {
		for c, d := range o.edges {
			if meet(a, b, c, d) {
				return true
			}
		}
	}
	return false
}

// within reports whether a shape lies in another one: all of it, and not on the border alone.
func (s *shape) within(o *shape) bool {
	switch {
	case o.isPoint() || s.apart(o):
		return false
	case s.isPoint():
		return o.locate(s.rings[0][0]) == inside
	}
	for a, b := range s.edges {
		if !o.covers(a, b) {
			return false
		}
	}
	for _, hole := range o.rings[1:] {
		if s.locate(hole[0]) == inside {
			return false
		}
	}
	return true
}

// covers reports whether no point of an edge lies outside. Where it meets the border it is cut, and
// the middle of each piece decides.
func (s *shape) covers(a, b vertex) bool {
	if s.locate(a) == outside || s.locate(b) == outside {
		return false
	}
	cuts := []float64{0, 1}
	for c, d := range s.edges {
		cuts = appendCut(cuts, a, b, c)
		if p, q := side(c, d, a), side(c, d, b); p != q && meet(a, b, c, d) {
			cuts = append(cuts, p/(p-q))
		}
	}
	return s.coversPieces(a, b, cuts)
}

// appendCut appends where a vertex lies on an edge, from 0 to 1, if it does.
func appendCut(cuts []float64, a, b, v vertex) []float64 {
	if side(a, b, v) != 0 || !between(a, b, v) {
		return cuts
	}
	if dx, dy := b.x-a.x, b.y-a.y; math.Abs(dx) > math.Abs(dy) {
		return append(cuts, (v.x-a.x)/dx)
	} else if dy != 0 {
		return append(cuts, (v.y-a.y)/dy)
	}
	return cuts
}

// coversPieces reports whether the middles of an edge's pieces lie in the polygon.
func (s *shape) coversPieces(a, b vertex, cuts []float64) bool {
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		if cuts[i]-cuts[i-1] < 1e-12 {
			continue
		}
		t := (cuts[i] + cuts[i-1]) / 2
		if s.locate(vertex{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)}) == outside {
			return false
		}
	}
	return true
}

// shapes is the shapes of a field, each with its document, in order.
type shapes struct {
	ids  []ID
	list []*shape
	held int // bytes of the shapes themselves
}

func (s *shapes) add(one *shape, id ID) {
	s.ids, s.list = append(s.ids, id), append(s.list, one)
	s.held += one.bytes()
}

// clean removes the shapes of documents that are gone.
func (s *shapes) clean(by *sweep) {
	n := 0
	s.held = 0
	for i, id := range s.ids {
		if id = by.of(id); id > 0 {
			s.ids[n], s.list[n] = id, s.list[i]
			s.held += s.list[i].bytes()
			n++
		}
	}
	clear(s.list[n:])
	s.ids, s.list = s.ids[:n], s.list[:n]
}

// bytes returns the memory of the shapes.
func (s *shapes) bytes() int { return s.held + cap(s.ids)*4 + cap(s.list)*8 }

func (s *shape) bytes() int {
	n := 64 // the struct, as it is allocated
	for _, ring := range s.rings {
		n += 24 + 16*cap(ring)
	}
	return n
}

// shape returns the documents whose shape has a relation to one.
func (v *evaluation) shape(n *query.Shape) iterator {
	f := v.index.field(n.Field, Shape)
	if f == nil {
		return nil
	}
	of, err := parseShape(n.Text)
	if err != nil {
		v.refuse(command.Errorf("Error querying geoshape index: %s", err))
		return nil
	}
	var ids []ID
	for i, one := range f.lists.shapes.list {
		if related(n.Relation, one, of) {
			ids = append(ids, f.lists.shapes.ids[i])
		}
	}
	return listed(slices.Compact(ids), isVirtual, 1)
}
