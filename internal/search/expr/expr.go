// Package expr is the expressions of FT.AGGREGATE's APPLY and FILTER, and of the FILTER of
// FT.CREATE:
//
//	upper(@city) == 'ROME' && @price * 1.2 < 100
//
//	lex.go parse.go   text -> tree
//	expr.go           the tree: binding it to the columns of rows, and evaluating it
//	value.go          what it computes with: numbers, texts, lists and null
//	functions.go      functions; dates.go, format.go and scan.go those on times
//
// An expression is parsed once, bound to columns, and evaluated for each row: as if all in it were
// numbers, which most are, until something is not, and then with values of any kind. The language,
// its precedence, conversions and errors are those of RediSearch 2.10, whose errors have no code in
// front. Its precedence is unusual: all of * / % ^ are equal, && and || are, and ! is below
// comparisons. A text converts to a number if all of it is one.
//
// Three things differ. Where RediSearch divides by zero in integers, or reads beyond the arguments
// of geodistance, and ends, the result is not a number. An expression has at most maxNodes nodes
// and maxDepth levels; there, the parser forgets what it has read when its stack is full.
package expr

import (
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/libm"
)

// Expr is a parsed expression. Bind must be called before Eval.
type Expr struct {
	root  node
	mixed bool // something was not a number
}

// Row is what an expression is evaluated for.
type Row interface {
	// Value returns what is in a column; nil if the row has nothing there.
	Value(column int) *Value
	// Terms returns the words of the query that the document of the row has.
	Terms() []string
}

// Bind finds the columns of the properties. column returns that of a name, and false if there is
// none. The names are as they are written, without @.
func (e *Expr) Bind(column func(name string) (int, bool)) error { return e.root.bind(column) }

// Eval computes the value for a row. After an error there is none.
func (e *Expr) Eval(row Row) (Value, error) {
	if !e.mixed {
		if f, ok := e.root.number(row); ok {
			return Number(f), nil
		}
		e.mixed = true
	}
	return e.root.eval(row)
}

// Properties returns the names of the properties, in their order and as often as they occur.
func (e *Expr) Properties() (names []string) {
	e.root.visit(func(n node) {
		if p, ok := n.(*property); ok {
			names = append(names, p.name)
		}
	})
	return names
}

// node is a node of the tree.
type node interface {
	bind(column func(name string) (int, bool)) error
	eval(row Row) (Value, error)
	// number is eval where everything is a number; false if something is not, or with an error.
	number(row Row) (float64, bool)
	visit(fn func(n node))
}

// Errors in the words of RediSearch.
var errNotNumber = command.Error("Could not convert value to a number")

// literal is a constant.
type literal struct{ value Value }

func (*literal) bind(func(string) (int, bool)) error { return nil }
func (l *literal) eval(Row) (Value, error)           { return l.value, nil }
func (l *literal) number(Row) (float64, bool)        { return l.value.Float() }
func (l *literal) visit(fn func(node))               { fn(l) }

// property is the value of a column.
type property struct {
	name   string
	column int
}

func (p *property) bind(column func(string) (int, bool)) (err error) {
	var found bool
	if p.column, found = column(p.name); !found {
		return command.Errorf("Property `%s` not loaded nor in pipeline", p.name)
	}
	return nil
}

func (p *property) eval(row Row) (Value, error) {
	v := row.Value(p.column)
	if v == nil {
		return Value{}, fmt.Errorf("%s: has no value, consider using EXISTS if applicable", p.name)
	}
	return *v, nil
}

func (p *property) number(row Row) (float64, bool) {
	v := row.Value(p.column)
	if v == nil || v.more != nil {
		return 0, false
	}
	return v.Float()
}

func (p *property) visit(fn func(node)) { fn(p) }

// unknown stands at the end of a text for a symbol or function that does not exist, of which
// RediSearch says nothing when it parses.
type unknown struct{ err error }

func (*unknown) bind(func(string) (int, bool)) error { return nil }
func (u *unknown) eval(Row) (Value, error)           { return Value{}, u.err }
func (u *unknown) number(Row) (float64, bool)        { return 0, false }
func (u *unknown) visit(fn func(node))               { fn(u) }

// Describe says what an expression is on top, as RediSearch calls it.
func (e *Expr) Describe() string {
	switch n := e.root.(type) {
	case *property:
		return "Property " + n.name
	case *inverted:
		return "Inverted"
	case *call:
		return "Function " + n.function.name
	case *operations:
		top := n.steps[len(n.steps)-1].operator
		if top.isArithmetic() {
			return "Operator " + top.String()
		}
		return "Predicate " + top.String()
	}
	return "Literal"
}

// bindPart binds a part of a node, which RediSearch calls by a name.
func bindPart(part node, name string, column func(string) (int, bool)) error {
	if _, missing := part.(*unknown); missing {
		return command.Errorf("Missing (or badly formatted) value for %s", name)
	}
	return part.bind(column)
}

// inverted is !x.
type inverted struct{ child node }

func (i *inverted) bind(column func(string) (int, bool)) error {
	return bindPart(i.child, "expr->inverted.child", column)
}

func (i *inverted) eval(row Row) (Value, error) {
	v, err := i.child.eval(row)
	return Bool(!v.Truth()), err
}

func (i *inverted) number(row Row) (float64, bool) {
	f, ok := i.child.number(row)
	return asNumber(f == 0), ok
}

func (i *inverted) visit(fn func(node)) {
	fn(i)
	i.child.visit(fn)
}

// operations are operators between expressions, which are evaluated from the left to the right.
type operations struct {
	first node
	steps []step
}

// step is an operator with what is on its right.
type step struct {
	operator operator
	right    node
}

func (o *operations) bind(column func(string) (int, bool)) error {
	if err := o.first.bind(column); err != nil {
		return err
	}
	for _, s := range o.steps {
		name := "expr->pred.right"
		if s.operator.isArithmetic() {
			name = "expr->op.right"
		}
		if err := bindPart(s.right, name, column); err != nil {
			return err
		}
	}
	return nil
}

func (o *operations) visit(fn func(node)) {
	fn(o)
	o.first.visit(fn)
	for _, s := range o.steps {
		s.right.visit(fn)
	}
}

func (o *operations) eval(row Row) (Value, error) {
	v, err := o.first.eval(row)
	for i := 0; i < len(o.steps) && err == nil; i++ {
		v, err = o.steps[i].apply(v, row)
	}
	return v, err
}

func (o *operations) number(row Row) (float64, bool) {
	f, ok := o.first.number(row)
	for i := 0; i < len(o.steps) && ok; i++ {
		f, ok = o.steps[i].number(f, row)
	}
	return f, ok
}

// number is apply for numbers.
func (s *step) number(left float64, row Row) (float64, bool) {
	switch {
	case s.operator == or && left != 0:
		return 1, true
	case s.operator == and && left == 0:
		return 0, true
	}
	right, ok := s.right.number(row)
	switch {
	case s.operator.isArithmetic():
		return s.operator.calculate(left, right), ok
	case s.operator == and || s.operator == or:
		return asNumber(right != 0), ok
	}
	return asNumber(s.operator.holds(compareNumbers(left, right))), ok
}

// apply applies the operator to what is on its left. Where that decides, the right is not
// evaluated.
func (s *step) apply(left Value, row Row) (Value, error) {
	switch {
	case s.operator == or && left.Truth():
		return Number(1), nil
	case s.operator == and && !left.Truth():
		return Number(0), nil
	}
	right, err := s.right.eval(row)
	switch {
	case err != nil:
		return Value{}, err
	case s.operator.isArithmetic():
		return s.operator.compute(left, right)
	}
	return s.operator.decide(left, right)
}

// decide evaluates a predicate, of which the left side alone does not decide.
func (o operator) decide(left, right Value) (Value, error) {
	switch o {
	case and, or:
		return Bool(right.Truth()), nil
	case equal:
		return Bool(Equal(&left, &right)), nil
	case unequal:
		return Bool(!Equal(&left, &right)), nil
	}
	c, err := Compare(&left, &right)
	return Bool(o.holds(c)), err
}

// holds reports whether a comparison holds between two values, of which the first is less, the same
// or more, as c is beside 0.
func (o operator) holds(c int) bool {
	switch o {
	case equal:
		return c == 0
	case unequal:
		return c != 0
	case less:
		return c < 0
	case lessOrEqual:
		return c <= 0
	case greater:
		return c > 0
	}
	return c >= 0
}

// compute evaluates an arithmetic operator.
func (o operator) compute(left, right Value) (Value, error) {
	x, isNumber := left.Number()
	y, isToo := right.Number()
	if !isNumber || !isToo {
		return Value{}, errNotNumber
	}
	return Number(o.calculate(x, y)), nil
}

// calculate is compute for numbers.
func (o operator) calculate(x, y float64) (z float64) {
	switch o {
	case plus:
		z = x + y
	case minus:
		z = x - y
	case times:
		z = x * y
	case power:
		z = libm.Pow(x, y)
	case divide:
		if y == 0 {
			return math.NaN()
		}
		z = x / y
	default:
		return remainder(x, y)
	}
	return computed(z, x, y)
}

// computed returns a result. Processors make a NaN with a sign where there was none, which is
// printed so.
func computed(z float64, operands ...float64) float64 {
	if !math.IsNaN(z) {
		return z
	}
	for _, x := range operands {
		if math.IsNaN(x) {
			return x
		}
	}
	return math.Copysign(z, -1)
}

// remainder returns that of the integers of x and y.
func remainder(x, y float64) float64 {
	if y == -1 {
		return 0
	}
	n, m := integer(x), integer(y)
	if m == 0 {
		return math.NaN()
	}
	if m == -1 {
		return 0
	}
	return float64(n % m)
}

// integer converts as C does on x86: to the smallest integer what is none.
func integer(x float64) int64 {
	if x >= -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return math.MinInt64
}
