// Package filter is the language of conditions on attributes, by which VSIM FILTER chooses
// elements:
//
//	.year >= 1980 and .genre in ["action", "comedy"] and not .seen
//
// An expression becomes a program for a stack: operands are pushed, an operator takes its operands
// from the top and pushes its result. Parse orders them by precedence, as Dijkstra's shunting yard
// does. An operator may stand wherever enough operands are there before it ends, so that 1 2 + is
// an expression, too. That is so in Redis, as are all the conversions:
//
//	a text counts as the number that it is, else as 0; null and tuples count as 0
//	two texts are equal if their bytes are; null equals nothing but null
//	true are numbers but 0, texts but the empty one, and all tuples
//
// A selector .name is a member of the attributes, a JSON object. If one that the expression names
// is missing, or is an object, the whole expression is false. See member.go.
package filter

import (
	"bytes"
	"math"
	"strconv"
)

// Kind is what a value is.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Number
	Text
	Tuple
)

// Value is an operand or a result.
type Value struct {
	Kind   Kind
	Number float64
	Text   []byte
	Tuple  []Value
}

// instruction pushes a value, or runs an operator.
type instruction struct {
	value *Value // a constant, or a member that Match reads
	op    *operator
}

// Program is an expression. It is not safe for concurrent use.
type Program struct {
	code    []instruction
	members map[string]*member // by the names of the selectors
	round   uint64             // how often Match was called
	stack   []Value
}

// Match reports whether an expression is true for attributes, a JSON object. O(attributes +
// expression), and for each of its "in" O(attributes).
func (p *Program) Match(attributes []byte) bool {
	if !p.read(attributes) {
		return false
	}
	p.stack = p.stack[:0]
	for _, c := range p.code {
		if c.op == nil {
			p.stack = append(p.stack, *c.value)
			continue
		}
		rest := len(p.stack) - c.op.operands
		p.stack = append(p.stack[:rest], c.op.run(p.stack[rest:]))
	}
	return p.stack[0].truth()
}

// operator is one of those of the language.
type operator struct {
	name       string
	operands   int
	precedence int
	right      bool // of two in a row the second one is done first
	run        func(args []Value) Value
}

// operators are tried in this order: a name comes after those that begin with it.
var operators = []operator{
	{name: "&&", operands: 2, precedence: 1, run: and},
	{name: "and", operands: 2, precedence: 1, run: and},
	{name: "||", operands: 2, run: or},
	{name: "or", operands: 2, run: or},
	{name: "==", operands: 2, precedence: 2, run: func(a []Value) Value { return truth(equal(a[0], a[1])) }},
	{name: "!=", operands: 2, precedence: 2, run: func(a []Value) Value { return truth(!equal(a[0], a[1])) }},
	{name: ">=", operands: 2, precedence: 2, run: compare(func(a, b float64) bool { return a >= b })},
	{name: "<=", operands: 2, precedence: 2, run: compare(func(a, b float64) bool { return a <= b })},
	{name: ">", operands: 2, precedence: 2, run: compare(func(a, b float64) bool { return a > b })},
	{name: "<", operands: 2, precedence: 2, run: compare(func(a, b float64) bool { return a < b })},
	{name: "in", operands: 2, precedence: 2, run: in},
	{name: "+", operands: 2, precedence: 3, run: calculate(func(a, b float64) float64 { return a + b })},
	{name: "-", operands: 2, precedence: 3, run: calculate(func(a, b float64) float64 { return a - b })},
	{name: "**", operands: 2, precedence: 5, right: true, run: calculate(math.Pow)},
	{name: "*", operands: 2, precedence: 4, run: calculate(func(a, b float64) float64 { return a * b })},
	{name: "/", operands: 2, precedence: 4, run: calculate(func(a, b float64) float64 { return a / b })},
	{name: "%", operands: 2, precedence: 4, run: calculate(math.Mod)},
	{name: "!", operands: 1, precedence: 6, run: not},
	{name: "not", operands: 1, precedence: 6, run: not},
}

func and(a []Value) Value { return truth(a[0].truth() && a[1].truth()) }
func or(a []Value) Value  { return truth(a[0].truth() || a[1].truth()) }
func not(a []Value) Value { return truth(!a[0].truth()) }

// compare returns an operator of two numbers.
func compare(how func(a, b float64) bool) func(args []Value) Value {
	return func(args []Value) Value { return truth(how(args[0].number(), args[1].number())) }
}

// calculate returns an operator of two numbers.
func calculate(how func(a, b float64) float64) func(args []Value) Value {
	return func(args []Value) Value { return number(how(args[0].number(), args[1].number())) }
}

// in reports whether a value is one of a tuple, or a text part of another one.
func in(a []Value) Value {
	if a[0].Kind == Text && a[1].Kind == Text {
		return truth(bytes.Contains(a[1].Text, a[0].Text))
	}
	if a[1].Kind != Tuple {
		return truth(false)
	}
	for _, v := range a[1].Tuple {
		if equal(a[0], v) {
			return truth(true)
		}
	}
	return truth(false)
}

func number(f float64) Value { return Value{Kind: Number, Number: f} }

func truth(b bool) Value {
	if b {
		return number(1)
	}
	return number(0)
}

func equal(a, b Value) bool {
	if a.Kind == Text && b.Kind == Text {
		return bytes.Equal(a.Text, b.Text)
	}
	if a.Kind == Null || b.Kind == Null {
		return a.Kind == b.Kind
	}
	return a.number() == b.number()
}

func (v Value) truth() bool {
	switch v.Kind {
	case Null:
		return false
	case Number:
		return v.Number != 0
	case Text:
		return len(v.Text) > 0
	default:
		return true
	}
}

func (v Value) number() float64 {
	switch v.Kind {
	case Number:
		return v.Number
	case Text:
		f, _ := parseNumber(bytes.TrimLeft(v.Text, " \t\n\v\f\r"))
		return f
	default:
		return 0
	}
}

// parseNumber reads a number as C's strtod does: all of the text must be one. One that is too large
// is an infinity.
func parseNumber(text []byte) (f float64, ok bool) {
	s := string(text)
	if bytes.IndexByte(text, '_') >= 0 {
		return 0, false
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil || math.IsInf(f, 0) {
		return f, true
	}
	return parseHex(s)
}

// parseHex reads a hexadecimal number without exponent.
func parseHex(s string) (f float64, ok bool) {
	if f, err := strconv.ParseFloat(s+"p0", 64); err == nil {
		return f, true
	}
	return 0, false
}
