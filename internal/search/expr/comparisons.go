package expr

// Comparison compares a property with a constant, which is a number or a text.
type Comparison struct {
	Property string
	Operator string // == != < <= > >=
	Value    Value
}

// Comparisons returns the comparisons of which an expression consists: one, or several that are
// joined by &&. It returns nil if there is anything else in it.
func (e *Expr) Comparisons() (list []Comparison) {
	o, ok := e.root.(*operations)
	if !ok {
		return nil
	}
	// Steps are from the left to the right: a == 1 && b == 2 has the steps == 1 and && (b == 2).
	parts := []node{&operations{o.first, o.steps[:1]}}
	for _, s := range o.steps[1:] {
		if s.operator != and {
			return nil
		}
		parts = append(parts, s.right)
	}
	for _, part := range parts {
		c, ok := comparison(part)
		if !ok {
			return nil
		}
		list = append(list, c)
	}
	return list
}

// comparison returns a node as a comparison of a property with a constant.
func comparison(n node) (c Comparison, ok bool) {
	o, ok := n.(*operations)
	if !ok || len(o.steps) != 1 || o.steps[0].operator < equal || o.steps[0].operator > greaterOrEqual {
		return c, false
	}
	p, isProperty := o.first.(*property)
	l, isLiteral := o.steps[0].right.(*literal)
	if !isProperty || !isLiteral || l.value.Kind() == NullKind {
		return c, false
	}
	return Comparison{p.name, o.steps[0].operator.String(), l.value}, true
}
