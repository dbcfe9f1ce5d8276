package lua

// binaryPriority holds the left and right binding of each binary operator.
var binaryPriority = [...]struct{ left, right int }{
	opAdd: {6, 6}, opSub: {6, 6}, opMul: {7, 7}, opDiv: {7, 7}, opMod: {7, 7},
	opPow: {10, 9}, opConcat: {5, 4},
	opNotEqual: {3, 3}, opEqual: {3, 3},
	opLess: {3, 3}, opLessEqual: {3, 3}, opGreater: {3, 3}, opGreaterEqual: {3, 3},
	opAnd: {2, 2}, opOr: {1, 1},
}

const unaryPriority = 8

func binaryOperator(t token) operator {
	switch t {
	case '+':
		return opAdd
	case '-':
		return opSub
	case '*':
		return opMul
	case '/':
		return opDiv
	case '%':
		return opMod
	case '^':
		return opPow
	case tokenConcat:
		return opConcat
	case tokenNotEqual:
		return opNotEqual
	case tokenEqual:
		return opEqual
	case '<':
		return opLess
	case tokenLessEqual:
		return opLessEqual
	case '>':
		return opGreater
	case tokenGreaterEqual:
		return opGreaterEqual
	case tokenAnd:
		return opAnd
	case tokenOr:
		return opOr
	}
	return opNone
}

func unaryOperator(t token) operator {
	switch t {
	case '-':
		return opNegate
	case tokenNot:
		return opNot
	case '#':
		return opLength
	}
	return opNone
}

// discharge fixes the line of a look-up: Lua emits it once it is clear what becomes of its value,
// at the line of the last token read by then.
func (p *parser) discharge(e expression) expression {
	switch e := e.(type) {
	case *globalExpr:
		if e.line == 0 {
			e.line = p.lastLine
		}
	case *indexExpr:
		if e.line == 0 {
			e.line = p.lastLine
		}
	case *parenExpr:
		p.discharge(e.inner)
	}
	return e
}

func (p *parser) expression() expression {
	e, _ := p.subexpression(0)
	return e
}

// subexpression reads operands joined by operators that bind tighter than limit and returns the
// operator behind them.
func (p *parser) subexpression(limit int) (expression, operator) {
	p.enter()
	e := p.operand()
	op := binaryOperator(p.current)
	for depth := 0; op != opNone && binaryPriority[op].left > limit; depth++ {
		if depth > maxDepth {
			p.failPlain("chunk has too many syntax levels")
		}
		p.advance()
		p.discharge(e)
		right, next := p.subexpression(binaryPriority[op].right)
		p.discharge(right)
		if constant, ok := fold(op, e, right); ok {
			e = constant
		} else {
			e = &binaryExpr{op: op, left: e, right: right, line: p.lastLine}
		}
		op = next
	}
	p.leave()
	return e, op
}

// operand reads an operand with its unary operators.
func (p *parser) operand() expression {
	op := unaryOperator(p.current)
	if op == opNone {
		return p.simple()
	}
	p.advance()
	e, _ := p.subexpression(unaryPriority)
	p.discharge(e)
	if n, ok := e.(numberExpr); ok && op == opNegate && n.value == n.value {
		return numberExpr{-n.value}
	}
	return &unaryExpr{op, e, p.lastLine}
}

func (p *parser) simple() expression {
	var e expression
	switch p.current {
	case tokenNumber:
		e = numberExpr{p.meaning.number}
	case tokenString:
		e = stringExpr{p.meaning.str}
	case tokenNil:
		e = nilExpr{}
	case tokenTrue, tokenFalse:
		e = boolExpr{p.current == tokenTrue}
	case tokenDots:
		if !p.fn.vararg {
			p.syntaxError("cannot use '...' outside a vararg function")
		}
		p.fn.dots = true
		e = dotsExpr{}
	case '{':
		return p.table()
	case tokenFunction:
		p.advance()
		return p.function(false, p.line)
	default:
		return p.suffixed()
	}
	p.advance()
	return e
}

// prefix reads a name or a parenthesised expression.
func (p *parser) prefix() expression {
	switch p.current {
	case tokenName:
		return p.resolve(p.checkName())
	case '(':
		line := p.line
		p.advance()
		e := p.expression()
		p.match(')', '(', line)
		p.discharge(e)
		switch e.(type) {
		case nilExpr, boolExpr, numberExpr, stringExpr:
			return e
		}
		return &parenExpr{e}
	}
	p.syntaxError("unexpected symbol")
	return nil
}

// suffixed reads a prefix with its indices and calls.
func (p *parser) suffixed() expression {
	e := p.prefix()
	for depth := 0; ; depth++ {
		if depth > maxDepth {
			p.failPlain("chunk has too many syntax levels")
		}
		switch p.current {
		case '.':
			p.discharge(e)
			p.advance()
			e = &indexExpr{object: e, key: stringExpr{p.checkName()}}
		case '[':
			p.discharge(e)
			e = &indexExpr{object: e, key: p.bracketKey()}
		case ':':
			p.advance()
			name := p.checkName()
			p.discharge(e)
			e = p.arguments(&callExpr{function: e, method: name, selfLine: p.lastLine})
		case '(', tokenString, '{':
			p.discharge(e)
			e = p.arguments(&callExpr{function: e})
		default:
			return e
		}
	}
}

// bracketKey reads [ key ].
func (p *parser) bracketKey() expression {
	p.advance()
	key := p.discharge(p.expression())
	p.checkNext(']')
	return key
}

// arguments reads what a call passes.
func (p *parser) arguments(call *callExpr) expression {
	call.line = p.line
	switch p.current {
	case '(':
		if call.line != p.lastLine {
			p.syntaxError("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		if p.current != ')' {
			call.args = p.expressions()
		}
		p.match(')', '(', call.line)
		if n := len(call.args); n > 0 {
			p.discharge(call.args[n-1])
		}
	case '{':
		call.args = []expression{p.table()}
	case tokenString:
		call.args = []expression{stringExpr{p.meaning.str}}
		p.advance()
	default:
		p.syntaxError("function arguments expected")
	}
	return call
}

// expressions reads a list of them; the last one is not discharged yet.
func (p *parser) expressions() []expression {
	list := []expression{p.expression()}
	for p.accept(',') {
		p.discharge(list[len(list)-1])
		list = append(list, p.expression())
	}
	return list
}

// table reads a constructor.
func (p *parser) table() expression {
	line := p.line
	t := &tableExpr{line: line}
	p.checkNext('{')
	for p.current != '}' {
		if n := len(t.items); n > 0 {
			p.discharge(t.items[n-1].value)
		}
		t.items = append(t.items, p.tableItem())
		if !p.accept(',') && !p.accept(';') {
			break
		}
	}
	p.match('}', '{', line)
	if n := len(t.items); n > 0 {
		p.discharge(t.items[n-1].value)
	}
	return t
}

func (p *parser) tableItem() tableItem {
	switch {
	case p.current == '[':
		key := p.bracketKey()
		p.checkNext('=')
		value := p.discharge(p.expression())
		return tableItem{key, value, p.lastLine}
	case p.current == tokenName && p.lookAhead() == '=':
		key := stringExpr{p.checkName()}
		p.checkNext('=')
		value := p.discharge(p.expression())
		return tableItem{key, value, p.lastLine}
	}
	return tableItem{value: p.expression(), line: p.lastLine}
}
