package query

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// amount is a number between brackets, or the name of a parameter.
type amount struct {
	value     float64
	name      string
	minus     bool // the parameter counts negated
	exclusive bool
}

// brackets parses what stands behind @name:[ : a range, circle, shape, or a vector's surroundings.
func (p *parser) brackets(name string) Node {
	if isName(p.tok.kind) {
		return p.named(name)
	}
	low := p.bound()
	if !low.exclusive && p.skip(']') {
		return numeric(name, low, low, plainNumber, plainNumber)
	}
	high := p.bound()
	if !low.exclusive && !high.exclusive && p.tok.kind != ']' {
		return p.circle(name, low, high)
	}
	p.expect(']')
	return numeric(name, low, high, lowerBound, upperBound)
}

// bound parses an amount, behind a parenthesis if it does not belong to the range itself.
func (p *parser) bound() amount {
	exclusive := p.skip('(')
	a := p.amount()
	a.exclusive = exclusive
	return a
}

// amount parses a number behind any minus signs, or a parameter behind at most one.
func (p *parser) amount() amount {
	signs := 0
	for p.skip('-') {
		signs++
	}
	t := p.tok
	switch {
	case t.kind == size || t.kind == number:
		p.advance()
		if signs%2 == 1 {
			t.value = -t.value
		}
		return amount{value: t.value}
	case t.kind == attribute && signs < 2:
		p.advance()
		return amount{name: p.lex.text(t), minus: t.minus || signs == 1}
	}
	p.refuse()
	return amount{}
}

// comparison parses an operator and its right side, such as >= 5.
func (p *parser) comparison(name string) Node {
	k := p.tok.kind
	if k < equal || k > greaterEqual {
		p.refuse()
		return nil
	}
	p.advance()
	a := p.amount()
	low, high := a, a
	switch k {
	case less, lessEqual:
		low = amount{value: math.Inf(-1)}
	case greater, greaterEqual:
		high = amount{value: math.Inf(1)}
	}
	low.exclusive, high.exclusive = k == greater, k == less
	n := numeric(name, low, high, plainNumber, plainNumber)
	if k == notEqual {
		return &Not{options: defaults(), Child: n}
	}
	return n
}

func numeric(name string, low, high amount, lowRule, highRule numberRule) Node {
	n := &Numeric{options: defaults(), Field: name, Min: low.value, Max: high.value,
		ExcludeMin: low.exclusive, ExcludeMax: high.exclusive}
	n.bindNumber(low, lowRule, &n.Min)
	n.bindNumber(high, highRule, &n.Max)
	return n
}

// circle parses the radius and unit behind a place.
func (p *parser) circle(name string, lon, lat amount) Node {
	radius, unit := p.amount(), p.value()
	p.expect(']')
	n := &Geo{options: defaults(), Field: name, Lon: lon.value, Lat: lat.value, Radius: radius.value}
	n.bindNumber(lon, plainNumber, &n.Lon)
	n.bindNumber(lat, plainNumber, &n.Lat)
	n.bindNumber(radius, plainNumber, &n.Radius)
	switch text := p.lex.text(unit); unit.kind {
	case attribute:
		n.bind(text, func(v string) error {
			n.Unit = FindUnit(v)
			return nil
		})
	case number, size:
		p.fail(errUnit)
	default:
		n.Unit = FindUnit(text)
	}
	return n
}

// FindUnit returns the unit of a name, or BadUnit.
func FindUnit(name string) Unit {
	for u, n := range units {
		if Unit(u) != BadUnit && strings.EqualFold(n, name) {
			return Unit(u)
		}
	}
	return BadUnit
}

var units = [...]string{BadUnit: "<badunit>", Kilometers: "km", Meters: "m", Feet: "ft", Miles: "mi"}

func (u Unit) String() string { return units[u] }

var errUnit = command.Error("Invalid GeoFilter unit")

// Validate tells what is wrong with a circle.
func (n *Geo) Validate() error {
	switch {
	case n.Unit == BadUnit:
		return errUnit
	case n.Lat > 90 || n.Lat < -90 || n.Lon > 180 || n.Lon < -180:
		return command.Error("Invalid GeoFilter lat/lon")
	case n.Radius <= 0:
		return command.Error("Invalid GeoFilter radius")
	}
	return nil
}

// named parses a shape, or a vector's surroundings: what begins with a word.
func (p *parser) named(field string) Node {
	what := p.advance()
	if p.tok.kind != attribute {
		return p.surroundings(field, what, p.amount())
	}
	t := p.advance()
	if p.tok.kind == attribute {
		return p.surroundings(field, what, amount{name: p.lex.text(t), minus: t.minus})
	}
	p.expect(']')
	n := &Shape{options: defaults(), Field: field, Relation: relation(p.lex.text(what))}
	if n.Relation == 0 {
		p.fail(command.Errorf("Syntax error: Expecting a geoshape predicate at offset %d", t.pos))
	}
	n.bind(p.lex.text(t), setText(&n.Text))
	return n
}

func relation(name string) Relation {
	return map[string]Relation{
		"CONTAINS": Contains, "WITHIN": Within, "DISJOINT": Disjoint, "INTERSECTS": Intersects,
	}[strings.ToUpper(name)]
}
