package query

// The strengths of dialect 1, where OR binds more tightly than words beside each other, and a field
// stands before all words that follow.
const (
	classicOptional strength = iota + 1 // behind weakest
	classicQuote
	classicNot
	classicNumber
	classicStopWord
	classicTerm
	classicPattern
	classicFuzzy
	classicParenthesis
	classicField
	classicAnd
	classicOr
)

func (p *parser) classicRoot() Node {
	if p.skip('*') {
		return &All{defaults()}
	}
	return p.classic(weakest)
}

// classic parses operands and operators that bind more tightly than min.
func (p *parser) classic(min strength) Node {
	left := p.classicOperand()
	for p.err == nil {
		switch k := p.tok.kind; {
		case k == arrow:
			p.advance()
			p.attributesOf(left)
		case k == '|' && min < classicOr:
			p.advance()
			left = anyOf(left, p.under(2, classicOr))
		case classicStrength(k) > min:
			left = both(left, p.under(1, classicAnd))
		default:
			return left
		}
	}
	return left
}

// under parses an operand before which n symbols wait.
func (p *parser) under(n int, min strength) Node {
	return p.holding(n, func() part { return part{node: p.classic(min)} }).node
}

// classicStrength returns the strength of the token that an operand begins with, or weakest.
func classicStrength(k kind) strength {
	switch k {
	case '~':
		return classicOptional
	case '"':
		return classicQuote
	case '-':
		return classicNot
	case number:
		return classicNumber
	case stopWord:
		return classicStopWord
	case term:
		return classicTerm
	case prefix, suffix, infix:
		return classicPattern
	case '%':
		return classicFuzzy
	case '(':
		return classicParenthesis
	case modifier:
		return classicField
	}
	return weakest
}

func (p *parser) classicOperand() Node {
	switch p.tok.kind {
	case term, number:
		return p.classicWords(p.classicTerms(false))
	case stopWord:
		p.advance()
		return nil
	case prefix, suffix, infix:
		return p.pattern()
	case '%':
		return p.fuzzy()
	case '"':
		return p.classicPhrase()
	case '-':
		p.advance()
		return negation(part{node: p.under(1, classicNot)}).node
	case '~':
		p.advance()
		return optional(part{node: p.under(1, classicOptional)}).node
	case '(':
		p.advance()
		return p.closed(part{node: p.under(1, weakest)}).node
	case modifier:
		return p.classicField()
	}
	p.refuse()
	return nil
}

// classicTerms parses the words at a place. Outside of quotes and braces, the third and later ones
// are no numbers, and a stop word ends them.
func (p *parser) classicTerms(enclosed bool) []token {
	list := []token{p.classicTerm()}
	for p.err == nil {
		switch {
		case p.tok.kind == term, p.tok.kind == number && (enclosed || len(list) < 2):
			list = append(list, p.advance())
		case p.tok.kind == stopWord && enclosed && len(list) > 1:
			p.advance()
		default:
			return list
		}
	}
	return list
}

func (p *parser) classicTerm() token {
	if p.tok.kind != term && p.tok.kind != number {
		p.refuse()
	}
	return p.advance()
}

// classicWords returns the node of words.
func (p *parser) classicWords(list []token) Node {
	if len(list) == 1 {
		return p.classicWord(list[0])
	}
	n := &Intersection{options: defaults()}
	for _, t := range list {
		n.Children = append(n.Children, p.classicWord(t))
	}
	return n
}

func (p *parser) classicWord(t token) Node {
	return &Term{options: defaults(), Text: plain(p.lex.text(t))}
}

func (p *parser) classicPhrase() Node {
	p.advance()
	n := p.classicWords(p.classicTerms(true))
	p.expect('"')
	n.Options().verbatim = true
	if i, ok := n.(*Intersection); ok {
		i.Exact = true
	}
	return n
}

// classicField parses a condition on fields.
func (p *parser) classicField() Node {
	name := p.modifier()
	if p.tok.kind == '|' {
		names := []string{name}
		for p.skip('|') {
			names = append(names, p.lex.text(p.classicTerm()))
		}
		p.expect(':')
		return p.inFields(names, part{node: p.under(2, classicField)}).node
	}
	p.expect(':')
	switch p.tok.kind {
	case '{':
		return p.classicTags(name)
	case '[':
		p.advance()
		return p.classicBrackets(name)
	}
	return p.inFields([]string{name}, part{node: p.under(2, classicField)}).node
}

// classicTags parses {tag|tag ...}. The brace at the end may be missing, and more may follow it.
func (p *parser) classicTags(name string) Node {
	p.expect('{')
	n := &Tag{options: defaults(), Field: unescaped(name), Children: []Node{p.classicTag()}}
	for p.err == nil {
		switch {
		case p.skip('|'):
			n.Children = append(n.Children, p.classicTag())
		case !p.skip('}'):
			return n
		}
	}
	return n
}

func (p *parser) classicTag() Node {
	switch p.tok.kind {
	case prefix, suffix, infix:
		return p.pattern()
	case stopWord:
		return &Term{options: defaults(), Text: p.lex.text(p.advance())}
	}
	list := p.classicTerms(true)
	if len(list) == 1 {
		return &Term{options: defaults(), Text: p.lex.text(list[0])}
	}
	return p.classicWords(list)
}

// classicBrackets parses a range or a circle.
func (p *parser) classicBrackets(name string) Node {
	low, high := p.classicNumber(), p.classicNumber()
	if p.skip(']') {
		return numeric(name, low, high, plainNumber, plainNumber)
	}
	radius := p.classicNumber()
	unit := p.expect(term)
	p.expect(']')
	n := &Geo{options: defaults(), Field: name, Lon: low.value, Lat: high.value, Radius: radius.value,
		Unit: FindUnit(p.lex.text(unit))}
	if err := n.Validate(); err != nil {
		p.fail(err)
	}
	return n
}

// classicNumber parses a number behind any minus signs and parentheses.
func (p *parser) classicNumber() (a amount) {
	minus := false
	for p.err == nil {
		switch {
		case p.skip('('):
			a.exclusive = true
		case p.skip('-'):
			minus = !minus
		default:
			a.value = negated(p.expect(number).value, minus)
			return a
		}
	}
	return a
}
