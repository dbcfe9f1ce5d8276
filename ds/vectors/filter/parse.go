package filter

import (
	"bytes"
	"strings"
)

// mostDigits is how long a number may be.
const mostDigits = 255

// Parse reads an expression, which ends at a zero byte. If it is none, the program is nil, and near
// is what follows the error; all of the expression if that is at its end, or in no place.
// O(expression).
func Parse(expression []byte) (program *Program, near []byte) {
	if end := bytes.IndexByte(expression, 0); end >= 0 {
		expression = expression[:end]
	}
	p := parser{text: expression, program: &Program{members: map[string]*member{}}}
	p.run()
	if !p.failed {
		p.finish()
	}
	if p.failed {
		if p.whole || p.at == len(expression) {
			return nil, expression
		}
		return nil, expression[p.at:]
	}
	return p.program, nil
}

// parser is what is read, and the operators that wait for their operands.
type parser struct {
	text    []byte
	at      int
	failed  bool
	whole   bool // the error is in no place
	waiting []*operator
	operand bool // an operand is before
	depth   int  // of the stack when the program has come so far
	program *Program
}

func (p *parser) fail() { p.failed = true }

// misplaced fails without a place.
func (p *parser) misplaced() { p.failed, p.whole = true, true }

func (p *parser) spaces() {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetter counts bytes outside of ASCII, too.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isOperator(c byte) bool { return isLetter(c) || strings.IndexByte("+-*%/!()<>=|&", c) >= 0 }

// run reads all that there is.
func (p *parser) run() {
	for !p.failed {
		if p.spaces(); p.at == len(p.text) {
			return
		}
		c := p.text[p.at]
		switch {
		case c == '.':
			p.selector()
		case p.atNumber():
			p.push(p.number())
		case c == '"' || c == '\'':
			p.push(p.quoted())
		case c == '[':
			p.push(p.tuple())
		default:
			p.word()
		}
	}
}

// atNumber reports whether a number begins. A minus is part of it unless an operand is before.
func (p *parser) atNumber() bool {
	c := p.text[p.at]
	minus := c == '-' && !p.operand && p.at+1 < len(p.text) && isDigit(p.text[p.at+1])
	return isDigit(c) || minus
}

// push adds an operand to the program.
func (p *parser) push(v Value) {
	p.emit(instruction{value: &v})
	p.operand = true
}

func (p *parser) emit(c instruction) {
	p.depth++
	if c.op != nil {
		if p.depth -= 1 + c.op.operands; p.depth < 0 {
			p.misplaced()
		}
		p.depth++
	}
	p.program.code = append(p.program.code, c)
}

func (p *parser) selector() {
	from := p.at + 1
	for p.at = from; p.at < len(p.text) && isName(p.text[p.at]); {
		p.at++
	}
	name := string(p.text[from:p.at])
	m := p.program.members[name]
	if m == nil {
		m = new(member)
		p.program.members[name] = m
	}
	p.emit(instruction{value: &m.value})
	p.operand = true
}

func isName(c byte) bool { return isLetter(c) && c < 0x80 || isDigit(c) || c == '_' || c == '-' }

func (p *parser) number() Value {
	from := p.at
	for p.at++; p.at < len(p.text) && p.at-from < mostDigits; p.at++ {
		if c := p.text[p.at]; !isDigit(c) && c != '.' && c != 'e' && c != 'E' {
			break
		}
	}
	f, ok := parseNumber(p.text[from:p.at])
	if !ok || p.at-from == mostDigits && p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.fail()
	}
	return number(f)
}

// quoted reads a text. A backslash keeps the next byte from ending it, and both belong to it.
func (p *parser) quoted() Value {
	quote, from := p.text[p.at], p.at+1
	for p.at++; p.at < len(p.text) && p.text[p.at] != quote; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	if p.at >= len(p.text) {
		p.at = len(p.text)
		p.fail()
		return Value{}
	}
	p.at++
	return Value{Kind: Text, Text: p.text[from : p.at-1]}
}

// tuple reads numbers and texts in brackets. A comma may follow the last one.
func (p *parser) tuple() Value {
	v := Value{Kind: Tuple}
	for p.at++; ; p.at++ {
		if p.spaces(); p.at < len(p.text) && p.text[p.at] == ']' {
			p.at++
			return v
		}
		v.Tuple = append(v.Tuple, p.member())
		p.spaces()
		switch {
		case p.failed:
			return v
		case p.at == len(p.text), p.text[p.at] != ',' && p.text[p.at] != ']':
			p.fail()
			return v
		case p.text[p.at] == ']':
			p.at++
			return v
		}
	}
}

// member reads a member of a tuple.
func (p *parser) member() Value {
	if p.at < len(p.text) {
		p.operand = false
		switch c := p.text[p.at]; {
		case p.atNumber():
			return p.number()
		case c == '"' || c == '\'':
			return p.quoted()
		}
	}
	p.fail()
	return Value{}
}

// word reads an operator, a parenthesis or null: the longest with which a row of letters and signs
// begins. If none does, the error is behind the row.
func (p *parser) word() {
	end := p.at
	for end < len(p.text) && isOperator(p.text[end]) {
		end++
	}
	row := string(p.text[p.at:end])
	switch {
	case row == "":
		p.fail()
	case strings.HasPrefix(row, "null"):
		p.at += len("null")
		p.push(Value{})
	case row[0] == '(':
		p.at++
		p.waiting, p.operand = append(p.waiting, nil), false
	case row[0] == ')':
		p.at++
		p.operand = true
		p.close()
	default:
		for i := range operators {
			if op := &operators[i]; strings.HasPrefix(row, op.name) {
				p.at += len(op.name)
				p.operator(op)
				return
			}
		}
		p.at = end
		p.fail()
	}
}

// operator lets those that bind stronger have their operands, and waits for its own.
func (p *parser) operator(op *operator) {
	for n := len(p.waiting); n > 0 && p.waiting[n-1] != nil; n-- {
		top := p.waiting[n-1]
		if top.precedence < op.precedence || top.precedence == op.precedence && op.right {
			break
		}
		p.waiting = p.waiting[:n-1]
		p.emit(instruction{op: top})
	}
	p.waiting, p.operand = append(p.waiting, op), false
}

// close ends what a parenthesis began.
func (p *parser) close() {
	for n := len(p.waiting); n > 0; n-- {
		top := p.waiting[n-1]
		p.waiting = p.waiting[:n-1]
		if top == nil {
			return
		}
		p.emit(instruction{op: top})
	}
	p.misplaced()
}

// finish adds the operators that wait. One value must be left.
func (p *parser) finish() {
	for n := len(p.waiting); n > 0 && !p.failed; n-- {
		if p.waiting[n-1] == nil {
			p.misplaced()
			return
		}
		p.emit(instruction{op: p.waiting[n-1]})
	}
	if p.depth != 1 {
		p.misplaced()
	}
}
