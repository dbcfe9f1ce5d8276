package expr

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// The bounds of an expression.
const (
	maxNodes = 100_000
	maxDepth = 97
)

var errTooLarge = command.Error("Parsing/Evaluating dynamic expression failed")

// Parse reads an expression.
func Parse(source string) (*Expr, error) {
	p := parser{lexer: lexer{source: source}}
	p.token = p.next()
	root := p.expr(1)
	if p.err == nil && p.token.kind != end {
		p.refuse()
	}
	if u, missing := root.(*unknown); missing && p.err == nil {
		p.err = u.err
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Expr{root: root}, nil
}

// parser reads an expression by recursive descent. After an error all tokens are ends.
type parser struct {
	lexer
	token  token
	groups []kind // that are open: opening, or symbol for the arguments of a function
	nodes  int
	depth  int
	err    error
}

// take moves to the next token.
func (p *parser) take() token {
	t := p.token
	if p.err == nil {
		p.token = p.next()
	}
	return t
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
		p.token.kind = end
	}
}

// refuse fails because of the token.
func (p *parser) refuse() { p.fail(p.syntaxError()) }

// count counts a node.
func (p *parser) count() {
	if p.nodes++; p.nodes > maxNodes {
		p.fail(errTooLarge)
	}
}

// expr reads an expression whose operators have at least a precedence.
func (p *parser) expr(least int) node {
	if p.depth++; p.depth > maxDepth {
		p.fail(errTooLarge)
	}
	first := p.operand()
	var steps []step
	for p.err == nil && p.token.kind.precedence() >= least {
		op := p.take().kind
		steps = append(steps, step{op, p.expr(op.precedence() + 1)})
	}
	p.depth--
	if steps == nil {
		return first
	}
	return &operations{first, steps}
}

// operand reads what stands between operators.
func (p *parser) operand() node {
	p.count()
	if p.err != nil {
		return &literal{}
	}
	switch p.token.kind {
	case opening:
		p.take()
		return p.group(opening, func() node { return p.expr(1) })
	case not:
		p.take()
		return &inverted{p.expr(2)}
	case minus:
		if p.take(); p.token.kind == number {
			return &literal{Number(-p.take().number)}
		}
	case number:
		return &literal{Number(p.take().number)}
	case text:
		return &literal{Text(unquoted(p.take().text))}
	case name:
		return &property{name: p.take().text}
	case symbol:
		return p.symbol()
	}
	p.refuse()
	return &literal{}
}

// group reads what is in parentheses, of which the first was read.
func (p *parser) group(of kind, inside func() node) node {
	p.groups = append(p.groups, of)
	n := inside()
	if p.token.kind != closing {
		p.refuse()
	}
	p.groups = p.groups[:len(p.groups)-1]
	p.take()
	return n
}

// symbol reads NULL, or the call of a function.
func (p *parser) symbol() node {
	t := p.take()
	if p.token.kind != opening {
		if t.text == "NULL" {
			return &literal{}
		}
		return p.unknown(command.Errorf("Unknown symbol '%s'", t.text))
	}
	p.take()
	c := &call{}
	p.group(symbol, func() node {
		if p.token.kind != closing && p.token.kind != comma {
			c.arguments = append(c.arguments, p.expr(1))
		}
		for p.token.kind == comma {
			p.take()
			c.arguments = append(c.arguments, p.expr(1))
		}
		return nil
	})
	if c.function = functions[strings.ToLower(t.text)]; c.function == nil {
		return p.unknown(command.Errorf("Unknown function name '%s'", t.text))
	}
	return c
}

// unknown fails because of a symbol or function that does not exist, unless it is the last one. If
// what follows cannot be there, the error tells that, too.
func (p *parser) unknown(err error) node {
	switch {
	case p.err != nil:
	case p.mayFollow(p.token.kind):
		if p.token.kind == end {
			return &unknown{err}
		}
		p.fail(err)
	default:
		p.fail(fmt.Errorf("%w: %w", p.syntaxError(), err))
	}
	return &literal{}
}

// mayFollow reports whether a token may follow an operand here.
func (p *parser) mayFollow(k kind) bool {
	inside := len(p.groups)
	switch k {
	case end:
		return inside == 0
	case closing:
		return inside > 0
	case comma:
		return inside > 0 && p.groups[inside-1] == symbol
	}
	return k.precedence() > 0
}
