package query

import (
	"fmt"
	"strings"
)

// The strengths of operators and tokens, from dialect 2 on.
const (
	weakest      strength = iota
	unionOperand          // behind an OR that continues a union: of words it takes what follows, too
	strongOr
	strongField
	strongWord
	strongNot
	strongAnd
	strongArrow
	strongColon
	strongNumber
)

// modernRoot parses a whole query: a tree, or the nearest vectors among what a tree matches.
func (p *parser) modernRoot() Node {
	return p.topmost(p.operand(false, true))
}

func (p *parser) topmost(left part) Node {
	for p.err == nil {
		if p.tok.kind == arrow {
			p.advance()
			if p.tok.kind == '[' {
				return p.nearest(left)
			}
			if left.kind == everything {
				p.refuse()
				break
			}
			p.attributesOf(left.node)
			continue
		}
		next, ok := left, false
		if left.kind != everything {
			next, ok = p.continued(left, weakest, false)
		}
		if !ok {
			break
		}
		left = next
	}
	return left.node
}

// expression parses operands and operators that bind more tightly than min. onlyWords is that a
// field was put before them.
func (p *parser) expression(min strength, onlyWords bool) part {
	left := p.operand(onlyWords, false)
	for p.err == nil {
		next, ok := p.continued(left, min, onlyWords)
		if !ok {
			return left
		}
		left = next
	}
	return left
}

// continued parses one operator more, and its right side.
func (p *parser) continued(left part, min strength, onlyWords bool) (part, bool) {
	if min == unionOperand && !left.kind.isWords() {
		min = strongOr
	}
	switch k := p.tok.kind; {
	case k == '|':
		return p.union(left, min, onlyWords)
	case k == arrow && min < strongArrow:
		p.advance()
		p.attributesOf(left.node)
		return left, true
	case p.strengthOf(k, onlyWords) > min:
		right := p.holding(1, func() part { return p.expression(strongAnd, onlyWords) })
		return part{both(left.node, right.node), joined(left.kind, right.kind)}, true
	}
	return left, false
}

// union parses an OR. One with a field before a part of it continues otherwise than one of words.
func (p *parser) union(left part, min strength, onlyWords bool) (part, bool) {
	grows := left.kind == wordUnion || left.kind == mixedUnion
	if !grows && min >= strongOr {
		return left, false
	}
	p.advance()
	operandMin := strongOr
	if left.kind == mixedUnion {
		operandMin = unionOperand
	}
	right := p.holding(2, func() part {
		return p.expression(operandMin, onlyWords || left.kind == wordUnion)
	})
	if grows {
		return part{more(left.node, right.node), left.kind}, true
	}
	k := mixedUnion
	if joined(left.kind, right.kind) == words {
		k = wordUnion
	}
	return part{anyOf(left.node, right.node), k}, true
}

// strengthOf returns the strength of the token that an operand begins with, or weakest for others.
func (p *parser) strengthOf(k kind, onlyWords bool) strength {
	switch k {
	case modifier, isMissing:
		if !onlyWords {
			return strongField
		}
		if k == isMissing {
			return strongWord
		}
	case term, as, exact, '"', '(':
		return strongWord
	case '-', '~':
		return strongNot
	case number, size, prefix, suffix, infix, '%', attribute, pattern:
		return strongNumber
	}
	return weakest
}

// operand parses what stands between operators. The star may be the first one.
func (p *parser) operand(onlyWords, first bool) part {
	switch k := p.tok.kind; {
	case k == '(':
		return p.parenthesis(onlyWords, first)
	case k == '*' && first:
		p.advance()
		return part{&All{defaults()}, everything}
	case k == '-':
		p.advance()
		return negation(p.unary(onlyWords))
	case k == '~':
		p.advance()
		return optional(p.unary(onlyWords))
	case k == modifier && !onlyWords:
		return p.field()
	case k == isMissing && !onlyWords:
		return p.missing()
	}
	return part{p.word(), words}
}

func (p *parser) unary(onlyWords bool) part {
	operand := p.holding(1, func() part { return p.expression(strongNot, onlyWords) })
	operand.kind = joined(operand.kind, operand.kind)
	return operand
}

func (p *parser) parenthesis(onlyWords, first bool) part {
	p.advance()
	inner := p.holding(1, func() part {
		left := p.operand(onlyWords, first)
		for p.err == nil && left.kind != everything {
			next, ok := p.continued(left, weakest, onlyWords)
			if !ok {
				break
			}
			left = next
		}
		return left
	})
	inner = p.closed(inner)
	if inner.kind != everything {
		inner.kind = joined(inner.kind, inner.kind)
	}
	return inner
}

// word parses a word, or what stands for words.
func (p *parser) word() Node {
	switch t := p.tok; t.kind {
	case term, as, isMissing:
		p.advance()
		if p.isStopWord(p.lex.text(t)) {
			return nil
		}
		return p.termOf(t)
	case number, size, attribute:
		p.advance()
		return p.termOf(t)
	case exact:
		p.advance()
		return phrase(p.lex.text(t))
	case prefix, suffix, infix, pattern:
		return p.pattern()
	case '%':
		return p.fuzzy()
	case '"':
		p.advance()
		p.expect(attribute)
		p.expect('"') // which is never there: it would have been a text in quotes
		return nil
	}
	p.refuse()
	return nil
}

// termOf returns the node of a word, number or parameter.
func (p *parser) termOf(t token) Node {
	n := &Term{options: defaults()}
	text := p.lex.text(t)
	switch t.kind {
	case attribute:
		n.bind(text, n.setWord(&n.Text))
	case number, size:
		n.Text, n.opts.verbatim = text, true
	default:
		n.Text = plain(text)
	}
	return n
}

// pattern parses a word with stars, or w'...'.
func (p *parser) pattern() Node {
	t := p.advance()
	text := p.lex.text(t)
	if t.kind == pattern {
		n := &Wildcard{options: defaults(), Pattern: text}
		if t.param {
			n.bind(text, setText(&n.Pattern))
		}
		return n
	}
	n := &Affix{options: defaults(), Text: p.lex.affix(t), Prefix: t.kind != suffix, Suffix: t.kind != prefix}
	if t.param {
		n.bind(text, n.setWord(&n.Text))
	}
	return n
}

// fuzzy parses a word between up to three percent signs.
func (p *parser) fuzzy() Node {
	n := &Fuzzy{options: defaults()}
	for n.Distance < 3 && p.skip('%') {
		n.Distance++
	}
	if p.tok.kind == stopWord {
		p.tok.kind = term
	}
	t := p.value()
	n.Text = plain(p.lex.text(t))
	if t.kind == attribute {
		n.bind(p.lex.text(t), n.setWord(&n.Text))
	}
	for range n.Distance {
		p.expect('%')
	}
	return n
}

// value parses a word, number or parameter where no query stands: a text in quotes is a word there.
func (p *parser) value() token {
	if !p.isValue() {
		p.refuse()
		return p.tok
	}
	return p.advance()
}

func (p *parser) isValue() bool {
	switch k := p.tok.kind; k {
	case number:
		return true
	case size, attribute:
		return !p.lex.classic
	default:
		return isName(k)
	}
}

// isName tells whether a token is a word where no query stands.
func isName(k kind) bool { return k == term || k == exact || k == as || k == isMissing }

// phrase returns the node of a text in double quotes.
func phrase(text string) Node {
	n := &Intersection{options: defaults(), Exact: true}
	n.opts.verbatim = true
	for _, word := range phraseWords(text) {
		n.Children = append(n.Children, &Term{options: defaults(), Text: plain(word)})
	}
	return n
}

func phraseWords(text string) (words []string) {
	escaped, start := false, 0
	for i := range len(text) + 1 {
		if i < len(text) && (escaped || !endsPhraseWord(text[i])) {
			escaped = !escaped && text[i] == '\\'
			continue
		}
		if i > start {
			words = append(words, text[start:i])
		}
		start, escaped = i+1, false
	}
	return words
}

// endsPhraseWord tells whether a byte ends a word in quotes: as in texts, but for $.
func endsPhraseWord(c byte) bool {
	return c == ' ' || c == '\t' || isPunct(c) && strings.IndexByte("$_\\", c) < 0
}

// missing parses ismissing(@field).
func (p *parser) missing() part {
	p.advance()
	p.expect('(')
	name := p.modifier()
	p.expect(')')
	return part{&Missing{options: defaults(), Field: name}, mixed}
}

// modifier parses @name, and returns the name without escapes.
func (p *parser) modifier() string {
	t := p.expect(modifier)
	if p.err != nil {
		return ""
	}
	name := unescaped(p.lex.text(t))
	copy(p.lex.raw[t.start:], name) // errors show it so
	return name
}

// field parses a condition on fields.
func (p *parser) field() part {
	name := p.modifier()
	switch p.tok.kind {
	case ':':
		p.advance()
		return p.ofField(name)
	case '|':
		names := p.moreFields(name)
		return p.inFields(names, p.fieldWords())
	}
	return part{p.comparison(name), mixed}
}

// moreFields parses the names of other fields behind the first one, and the colon.
func (p *parser) moreFields(name string) []string {
	names := []string{name}
	for p.skip('|') {
		if p.tok.kind == attribute {
			p.refuse()
		}
		t := p.value()
		if t.size == 0 {
			t.mute = false
			p.complain("Syntax error", t)
		}
		names = append(names, p.lex.text(t))
	}
	p.expect(':')
	return names
}

// complain fails with an error that names a token.
func (p *parser) complain(what string, t token) {
	if t.mute {
		p.fail(fmt.Errorf("%s at offset %d", what, t.pos))
	}
	p.fail(fmt.Errorf("%s at offset %d near %s", what, t.pos, p.lex.text(t)))
}

func (p *parser) fieldWords() part {
	return p.holding(2, func() part { return p.expression(strongColon, true) })
}

// ofField parses what stands behind the colon.
func (p *parser) ofField(name string) part {
	switch p.tok.kind {
	case '{':
		return part{p.tags(name), mixed}
	case '[':
		p.advance()
		return part{p.brackets(name), mixed}
	}
	return p.inFields([]string{name}, p.fieldWords())
}

// tags parses {tag|tag ...}.
func (p *parser) tags(name string) Node {
	n := &Tag{options: defaults(), Field: unescaped(name)}
	p.expect('{')
	n.Children = append(n.Children, p.tag())
	for p.skip('|') {
		n.Children = append(n.Children, p.tag())
	}
	p.expect('}')
	return n
}

// tag parses one tag: a pattern, or words. A tag of one word is as it was written.
func (p *parser) tag() Node {
	switch p.tok.kind {
	case prefix, suffix, infix, pattern:
		return p.tagPattern()
	}
	first := p.value()
	if !p.isValue() {
		return p.tagWord(first)
	}
	n := &Intersection{options: defaults(), Children: []Node{p.termOf(first), p.termOf(p.value())}}
	for p.err == nil && p.isValue() {
		t := p.value()
		if !isName(t.kind) || !p.isStopWord(p.lex.text(t)) {
			n.Children = append(n.Children, p.termOf(t))
		}
	}
	return n
}

// tagPattern parses a pattern of tags: of a parameter, case and escapes stay.
func (p *parser) tagPattern() Node {
	n := p.pattern()
	if a, ok := n.(*Affix); ok && a.rare != nil {
		a.rare.params[0].set = setText(&a.Text)
	}
	return n
}

// tagWord returns the node of a tag of one word.
func (p *parser) tagWord(t token) Node {
	n := &Term{options: defaults(), Text: p.lex.text(t)}
	if t.kind == attribute {
		n.bind(n.Text, setText(&n.Text))
	}
	return n
}
