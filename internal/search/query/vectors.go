package query

import (
	"errors"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// surroundings parses the end of [VECTOR_RANGE radius $vector].
func (p *parser) surroundings(field string, what token, radius amount) Node {
	n := &Vector{options: defaults(), Field: field, Range: true, Radius: radius.value}
	n.bindVector(p.lex.text(p.expect(attribute)))
	n.bindNumber(radius, plainNumber, &n.Radius)
	if !strings.EqualFold(p.lex.text(what), "VECTOR_RANGE") {
		p.complain("Syntax error: expecting vector similarity range command", what)
	}
	p.expect(']')
	return n
}

// nearest parses [KNN k @field $vector ...], the nearest vectors among what a tree matches, and
// the attributes behind it. Nothing follows.
func (p *parser) nearest(among part) Node {
	p.advance()
	n := p.neighbours()
	for p.err == nil && isName(p.tok.kind) && p.tok.kind != as {
		p.vectorAttribute(n)
	}
	if p.skip(as) {
		t := p.value()
		n.Score = p.lex.text(t)
		if t.kind == attribute {
			n.bind(n.Score, setText(&n.Score))
		}
	}
	p.expect(']')
	if among.kind != everything {
		n.Child = among.node
	}
	if p.skip(arrow) {
		p.attributesOf(n)
	}
	return n
}

// neighbours parses KNN k @field $vector.
func (p *parser) neighbours() *Vector {
	n := &Vector{options: defaults()}
	if !isName(p.tok.kind) {
		p.refuse()
	}
	what, k := p.advance(), p.tok
	if k.kind != size && k.kind != attribute {
		p.refuse()
	}
	p.advance()
	n.Field = p.modifier()
	n.Score = "__" + n.Field + "_score"
	n.bindVector(p.lex.text(p.expect(attribute)))
	n.K = int(k.value)
	if k.kind == attribute {
		n.bind(p.lex.text(k), n.setSize(p.lex.text(k), &n.K))
	}
	if !strings.EqualFold(p.lex.text(what), "KNN") {
		p.complain("Syntax error: Expecting Vector Similarity command", what)
	}
	return n
}

// vectorAttribute parses a name and value, such as EF_RUNTIME 10.
func (p *parser) vectorAttribute(n *Vector) {
	name := p.lex.text(p.advance())
	t := p.value()
	i := len(n.Attributes)
	n.Attributes = append(n.Attributes, Attribute{name, p.lex.text(t)})
	if t.kind == attribute {
		n.late = append(n.late, parameter{p.lex.text(t), func(v string) error {
			n.Attributes[i].Value = v
			return nil
		}})
	}
}

// attributesOf parses {$name: value; ...} and gives the attributes to a node, if there is one.
func (p *parser) attributesOf(n Node) {
	p.expect('{')
	var all []Attribute
	for p.err == nil && p.tok.kind != '}' {
		if p.tok.kind == attribute {
			all = append(all, p.attribute())
		}
		if p.tok.kind != '}' {
			p.expect(';')
		}
	}
	p.expect('}')
	for _, a := range all {
		if n != nil && p.err == nil {
			p.give(n, a)
		}
	}
}

func (p *parser) attribute() Attribute {
	a := Attribute{Name: p.lex.text(p.expect(attribute))}
	p.expect(':')
	t := p.value()
	a.Value = p.lex.text(t)
	if t.kind == attribute && p.err == nil {
		value, err := lookup(p.request.Params, a.Value)
		if err != nil {
			p.fail(err)
		}
		a.Value = value
	}
	return a
}

// give sets an attribute of a node.
func (p *parser) give(n Node, a Attribute) {
	err := apply(n, a)
	switch {
	case err == errValue || a.Value == "":
		p.fail(command.Errorf("Invalid value (%s) for `%s`", a.Value, a.Name))
	case err != nil:
		p.fail(command.Errorf("Invalid attribute %s", a.Name))
	}
}

var (
	errValue   = errors.New("not a value of the attribute")
	errUnknown = errors.New("not an attribute of the node")
)

func apply(n Node, a Attribute) error {
	o := n.Options()
	v, isVector := n.(*Vector)
	switch strings.ToLower(a.Name) {
	case "slop":
		return slop(o, a.Value)
	case "inorder":
		o.ordered = true
		return boolean(a.Value, func(on bool) { o.InOrder = on })
	case "weight":
		return weight(o, a.Value)
	case "phonetic":
		return boolean(a.Value, func(on bool) {
			o.phonetic = phoneticOff
			if on {
				o.phonetic = phoneticOn
			}
		})
	case "yield_distance_as":
		if isVector {
			v.distance = a.Value
			return nil
		}
	case "ef_runtime", "epsilon", "hybrid_policy", "batch_size":
		if isVector {
			v.Attributes = append(v.Attributes, a)
			return nil
		}
	}
	return errUnknown
}

func slop(o *Options, text string) error {
	n, ok := parseInt(text)
	if !ok || n < -1 {
		return errValue
	}
	o.Slop = int32(n)
	return nil
}

func weight(o *Options, text string) error {
	f, ok := parseNumber(text)
	if !ok || f < 0 {
		return errValue
	}
	o.Weight = f
	return nil
}

func boolean(text string, set func(on bool)) error {
	switch strings.ToLower(text) {
	case "true", "1":
		set(true)
	case "false", "0":
		set(false)
	default:
		return errValue
	}
	return nil
}
