package syntax

import "slices"

// binaryPriority holds the left and right binding of each binary operator.
var binaryPriority = [...]struct{ left, right int }{
	OpAdd: {6, 6}, OpSub: {6, 6}, OpMul: {7, 7}, OpDiv: {7, 7}, OpMod: {7, 7},
	OpPow: {10, 9}, OpConcat: {5, 4},
	OpNotEqual: {3, 3}, OpEqual: {3, 3},
	OpLess: {3, 3}, OpLessEqual: {3, 3}, OpGreater: {3, 3}, OpGreaterEqual: {3, 3},
	OpAnd: {2, 2}, OpOr: {1, 1},
}

const unaryPriority = 8

func binaryOperator(t token) Operator {
	switch t {
	case '+':
		return OpAdd
	case '-':
		return OpSub
	case '*':
		return OpMul
	case '/':
		return OpDiv
	case '%':
		return OpMod
	case '^':
		return OpPow
	case tokenConcat:
		return OpConcat
	case tokenNotEqual:
		return OpNotEqual
	case tokenEqual:
		return OpEqual
	case '<':
		return OpLess
	case tokenLessEqual:
		return OpLessEqual
	case '>':
		return OpGreater
	case tokenGreaterEqual:
		return OpGreaterEqual
	case tokenAnd:
		return OpAnd
	case tokenOr:
		return OpOr
	}
	return opNone
}

func unaryOperator(t token) Operator {
	switch t {
	case '-':
		return OpNegate
	case tokenNot:
		return OpNot
	case '#':
		return OpLength
	}
	return opNone
}

// discharge fixes the line of a look-up: Lua emits it once it is clear what becomes of its value,
// at the line of the last token read by then.
func (p *parser) discharge(e Expr) Expr {
	switch e := e.(type) {
	case *GlobalExpr:
		if e.Line == 0 {
			e.Line = p.lastLine
		}
	case *IndexExpr:
		if e.Line == 0 {
			e.Line = p.lastLine
		}
	case *ParenExpr:
		p.discharge(e.Inner)
	}
	return e
}

func (p *parser) expression() Expr {
	e, _ := p.subexpression(0)
	return e
}

// subexpression reads operands joined by operators that bind tighter than limit and returns the
// operator behind them.
func (p *parser) subexpression(limit int) (Expr, Operator) {
	p.enter()
	e := p.operand()
	op := binaryOperator(p.current)
	for depth := 0; op != opNone && binaryPriority[op].left > limit; depth++ {
		if depth > maxDepth {
			p.failPlain("chunk has too many syntax levels")
		}
		at := p.at
		p.advance()
		opLine := p.lastLine
		p.discharge(e) // C Lua emits the left operand once it has read the operator
		right, next := p.subexpression(binaryPriority[op].right)
		p.discharge(right)
		if constant, ok := fold(op, e, right); ok {
			e = constant
		} else {
			e = &BinaryExpr{Op: op, Left: e, Right: right, OpLine: opLine, Line: p.lastLine, At: at}
		}
		op = next
	}
	p.leave()
	return e, op
}

// operand reads an operand with its unary operators.
func (p *parser) operand() Expr {
	op, at := unaryOperator(p.current), p.at
	if op == opNone {
		return p.simple()
	}
	p.advance()
	e, _ := p.subexpression(unaryPriority)
	p.discharge(e)
	// -1 is a constant, but C Lua folds no NaN: it could not be found again among the constants.
	if n, ok := e.(NumberExpr); ok && op == OpNegate && n.Value == n.Value {
		return NumberExpr{-n.Value}
	}
	return &UnaryExpr{op, e, p.lastLine, at}
}

// simple reads an operand without unary operators.
func (p *parser) simple() Expr {
	var e Expr
	switch p.current {
	case tokenNumber:
		e = NumberExpr{p.meaning.number}
	case tokenString:
		e = StringExpr{p.meaning.str, p.at}
	case tokenNil:
		e = NilExpr{}
	case tokenTrue, tokenFalse:
		e = BoolExpr{p.current == tokenTrue}
	case tokenDots:
		if !p.fn.Vararg {
			p.syntaxError("cannot use '...' outside a vararg function")
		}
		p.fn.Dots = true
		e = DotsExpr{}
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
func (p *parser) prefix() Expr {
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
		case NilExpr, BoolExpr, NumberExpr, StringExpr:
			return e
		}
		return &ParenExpr{e} // it cuts a call's results to one, and makes a variable no target
	}
	p.syntaxError("unexpected symbol")
	return nil
}

// suffixed reads a prefix with its indices and calls.
func (p *parser) suffixed() Expr {
	at := p.at
	e := p.prefix()
	for depth := 0; ; depth++ {
		if depth > maxDepth {
			p.failPlain("chunk has too many syntax levels")
		}
		switch p.current {
		case '.':
			p.discharge(e)
			p.advance()
			e = &IndexExpr{Object: e, Key: p.fieldName(), At: at}
		case '[':
			p.discharge(e)
			e = &IndexExpr{Object: e, Key: p.bracketKey(), At: at}
		case ':':
			p.advance()
			name, _ := p.checkName()
			p.discharge(e)
			e = p.arguments(&CallExpr{Function: e, Method: name, SelfLine: p.lastLine, At: at})
		case '(', tokenString, '{':
			p.discharge(e)
			e = p.arguments(&CallExpr{Function: e, At: at})
		default:
			return e
		}
	}
}

// bracketKey reads [ key ].
func (p *parser) bracketKey() Expr {
	p.advance()
	key := p.discharge(p.expression())
	p.checkNext(']')
	return key
}

// arguments reads what a call passes.
func (p *parser) arguments(call *CallExpr) Expr {
	call.Line = p.line
	switch p.current {
	case '(':
		if call.Line != p.lastLine { // f on one line and (g)() on the next may be two statements
			p.syntaxError("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		if p.current != ')' {
			call.Args, call.Lines = p.expressions(call.Line)
		}
		p.match(')', '(', call.Line)
		if call.Lines != nil || p.lastLine != call.Line && call.Args != nil {
			if call.Lines == nil {
				call.Lines = slices.Repeat([]int{call.Line}, len(call.Args)-1)
			}
			call.Lines = append(call.Lines, p.lastLine)
		}
		if n := len(call.Args); n > 0 { // C Lua emits the last argument once it has read the bracket
			p.discharge(call.Args[n-1])
		}
	case '{':
		call.Args = []Expr{p.table()}
	case tokenString:
		call.Args = []Expr{StringExpr{p.meaning.str, p.at}}
		p.advance()
	default:
		p.syntaxError("function arguments expected")
	}
	return call
}

// expressions reads a list of them; the last one is not discharged yet. lines are those of the
// commas, nil for a list on the line first.
func (p *parser) expressions(first int) (list []Expr, lines []int) {
	list = []Expr{p.expression()}
	for p.accept(',') {
		if p.lastLine != first && lines == nil {
			lines = slices.Repeat([]int{first}, len(list)-1)
		}
		if lines != nil {
			lines = append(lines, p.lastLine)
		}
		p.discharge(list[len(list)-1])
		list = append(list, p.expression())
	}
	return list, lines
}

// table reads a constructor.
func (p *parser) table() Expr {
	line := p.line
	t := &TableExpr{Line: p.lastLine, At: p.at}
	p.checkNext('{')
	for p.current != '}' {
		// C Lua emits a list element when the next item begins: only then is it clear that it is
		// not the last one, of which all values count.
		if n := len(t.Items); n > 0 {
			p.discharge(t.Items[n-1].Value)
		}
		t.Items = append(t.Items, p.tableItem())
		if !p.accept(',') && !p.accept(';') {
			break
		}
	}
	p.match('}', '{', line)
	t.EndLine = p.lastLine
	if n := len(t.Items); n > 0 {
		p.discharge(t.Items[n-1].Value)
	}
	return t
}

func (p *parser) tableItem() TableItem {
	switch {
	case p.current == '[':
		key := p.bracketKey()
		p.checkNext('=')
		value := p.discharge(p.expression())
		return TableItem{key, value, p.lastLine}
	case p.current == tokenName && p.lookAhead() == '=': // else the name begins an expression
		key := p.fieldName()
		p.checkNext('=')
		value := p.discharge(p.expression())
		return TableItem{key, value, p.lastLine}
	}
	return TableItem{Value: p.expression(), Line: p.lastLine}
}
