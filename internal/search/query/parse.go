package query

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Parse returns the tree of a query, with the values of its parameters, and its words expanded. The
// errors' texts are those of RediSearch.
func Parse(s Schema, r Request) (Node, error) {
	s = &remembering{Schema: s}
	root, err := parse(s, &r)
	if err != nil {
		return nil, err
	}
	return settled(s, r, root)
}

// parse returns the tree of a text.
func parse(s Schema, r *Request) (Node, error) {
	p := &parser{pace: pace{late: r.Late}, schema: s, request: r}
	p.lex = lexer{raw: []byte(r.Text), classic: r.Dialect < 2, stops: p.isStopWord}
	p.advance()
	root := p.root()
	if p.err != nil {
		return nil, p.err
	}
	if root == nil {
		root = &Nothing{defaults()}
	}
	return root, nil
}

// settled gives a tree what does not stand in the text, and refuses what the index does not have.
func settled(s Schema, r Request, root Node) (Node, error) {
	if err := resolve(root, r.Params); err != nil {
		return nil, err
	}
	root = filtered(root, r.Filters)
	c := checker{schema: s, ordered: r.Slop >= 0 || r.InOrder}
	if err := c.check(root); err != nil {
		return nil, err
	}
	if !r.Verbatim {
		e := newExpander(s, r)
		root = e.expand(root)
		if e.err != nil {
			return nil, e.err
		}
	}
	if err := finish(s, &r, root); err != nil {
		return nil, err
	}
	return root, distinct(s, root)
}

// parser makes a tree of tokens. The grammar is one of operators, whose strength decides to whom an
// operand belongs. Words that stand beside each other have an operator, too, and the strength of
// that one is that of the next token: from dialect 2 on, a number binds more tightly than a word.
type parser struct {
	pace
	schema  Schema
	request *Request
	lex     lexer
	tok     token // the next one
	held    int   // the symbols before it that are not yet part of a tree
	err     error // the first one
}

// strength is how tightly an operator or a token binds to its operands.
type strength int

// part is a tree, and what it is for the grammar.
type part struct {
	node Node // nil if all of its words are stop words
	kind partKind
}

type partKind byte

const (
	mixed      partKind = iota // with conditions on fields that are not of text
	words                      // words alone: a field may be put before them
	mixedUnion                 // a union that still grows
	wordUnion
	everything // the star
)

func (k partKind) isWords() bool { return k == words || k == wordUnion }

func joined(a, b partKind) partKind {
	if a.isWords() && b.isWords() {
		return words
	}
	return mixed
}

func (p *parser) root() Node {
	if p.tok.kind == end {
		return nil
	}
	root := p.classicRoot
	if !p.lex.classic {
		root = p.modernRoot
	}
	n := root()
	if p.tok.kind != end {
		p.refuse()
	}
	return n
}

// advance goes to the next token.
func (p *parser) advance() token {
	t := p.tok
	if p.held >= maxHeld {
		p.fail(errTooDeep)
	}
	if p.isLate() {
		p.fail(ErrLate)
	}
	if p.err == nil {
		p.tok = p.lex.next()
	}
	return t
}

// fail keeps the first error, and lets the parser see the end of the query.
func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
		p.tok.kind = end
	}
}

// refuse fails because no query goes on with the next token.
func (p *parser) refuse() {
	p.fail(command.Errorf("Syntax error at offset %d near %s", p.tok.pos, p.lex.text(p.tok)))
}

// expect skips a token, which must be of a kind.
func (p *parser) expect(k kind) token {
	if p.tok.kind != k {
		p.refuse()
	}
	return p.advance()
}

// skip skips a token if it is of a kind.
func (p *parser) skip(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// maxHeld is the symbols that RediSearch's parser holds. In dialect 1 it holds 99, and forgets them
// when there are more.
const maxHeld = 255

var errTooDeep = command.Error("Parser stack overflow. Try moving nested parentheses more to the left")

// holding calls parse for an operand before which n more symbols wait for it.
func (p *parser) holding(n int, parse func() part) part {
	p.held += n
	operand := parse()
	p.held -= n
	return operand
}

// closed parses the parenthesis behind an operand.
func (p *parser) closed(operand part) part {
	return p.holding(2, func() part {
		p.expect(')')
		return operand
	})
}

func (p *parser) isStopWord(word string) bool {
	return !p.request.NoStopWords && p.schema.StopWords().Contains(word)
}

// both returns the intersection of two trees.
func both(a, b Node) Node {
	if a == nil || b == nil {
		return either(a, b)
	}
	if i, ok := a.(*Intersection); ok && !i.Exact && i.opts.Fields == AllFields {
		i.Children = append(i.Children, b)
		return i
	}
	return &Intersection{options: defaults(), Children: []Node{a, b}}
}

// either returns the one of two trees that there is.
func either(a, b Node) Node {
	if a == nil {
		return b
	}
	return a
}

// anyOf returns the union of two trees.
func anyOf(a, b Node) Node {
	if a == nil || b == nil {
		return either(a, b)
	}
	if u, ok := a.(*Union); ok && u.opts.Fields == AllFields {
		u.Children = append(u.Children, b)
		return u
	}
	return &Union{options: defaults(), Children: []Node{a, b}}
}

// more adds a tree to a union. Of a union whose other parts are stop words one node is left. What
// is added to that one becomes a child of it, as in RediSearch, and counts only where a node of its
// type may have several.
func more(u, n Node) Node {
	if u == nil || n == nil {
		return either(u, n)
	}
	addChild(u, n)
	o := u.Options()
	o.Fields = o.Fields.Or(n.Options().Fields)
	limitFields(n, o.Fields)
	return u
}

func addChild(parent, n Node) {
	switch p := parent.(type) {
	case *Union:
		p.Children = append(p.Children, n)
	case *Intersection:
		p.Children = append(p.Children, n)
	case *Tag:
		if isTag(n) {
			p.Children = append(p.Children, n)
		}
	case *Vector:
		p.Child = n
	default:
		r := p.inner().rarely()
		r.extra = append(r.extra, n)
	}
}

func isTag(n Node) bool {
	switch n.(type) {
	case *Term, *Intersection, *Affix, *Wildcard:
		return true
	}
	return false
}

// limitFields lets a tree look in those of its fields only that are in the set.
func limitFields(n Node, f Fields) {
	o := n.Options()
	o.Fields = o.Fields.And(f)
	for _, child := range children(n) {
		limitFields(child, f)
	}
}

// negation returns what matches documents that a tree does not match.
func negation(p part) part {
	if p.node != nil {
		p.node = &Not{options: defaults(), Child: p.node}
	}
	return p
}

func optional(p part) part {
	if p.node != nil {
		p.node = &Optional{options: defaults(), Child: p.node}
	}
	return p
}

// fields returns the set of the text fields among some.
func (p *parser) fields(names []string) Fields {
	var set Fields
	for _, name := range names {
		if f := p.schema.Field(name); f != nil && f.Text {
			set = set.Or(Only(f.Number))
		}
	}
	return set
}

// inFields puts fields before words.
func (p *parser) inFields(names []string, operand part) part {
	if operand.node != nil {
		limitFields(operand.node, p.fields(names))
	}
	return part{operand.node, mixed}
}
