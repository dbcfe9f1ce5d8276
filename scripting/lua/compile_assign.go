package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// store puts a value where an assignment wants it.
type store func(f *Call, v Value)

// assign compiles an assignment.
func (c *compiler) assign(s *syntax.AssignStat) action {
	if len(s.Targets) == 1 && len(s.Values) == 1 {
		return c.assignOne(s.Targets[0], s.Values[0])
	}
	prepare := make([]func(f *Call), 0, len(s.Targets))
	stores := make([]store, len(s.Targets))
	for i, t := range s.Targets {
		p, st := c.target(t)
		if p != nil {
			prepare = append(prepare, p)
		}
		stores[i] = st
	}
	first := c.free
	n := len(stores)
	fill := c.adjust(s.Values, n)
	c.temps(n)
	return func(f *Call) signal {
		for _, p := range prepare {
			p(f)
		}
		fill(f, first)
		for i := n - 1; i >= 0; i-- {
			stores[i](f, f.slots[uint8(first+i)])
		}
		return goOn
	}
}

// target compiles one of several targets: what must be evaluated before the values, nil for nothing, and the store.
func (c *compiler) target(t syntax.Expr) (prepare func(f *Call), st store) {
	e, ok := t.(*syntax.IndexExpr)
	if !ok {
		return nil, c.storeName(t)
	}
	slots := c.temps(2)
	object, key := c.eval(e.Object), c.eval(e.Key)
	pc := c.siteOf(e.Line, e.Object)
	prepare = func(f *Call) {
		f.slots[slots] = object(f)
		f.slots[slots+1] = key(f)
	}
	return prepare, func(f *Call, v Value) {
		f.setIndex(f.slots[slots], f.slots[slots+1], v, pc)
	}
}

// storeName compiles the store to a variable.
func (c *compiler) storeName(t syntax.Expr) store {
	switch t := t.(type) {
	case *syntax.LocalExpr:
		slot := uint8(t.Variable.Slot)
		if t.Variable.Cell() {
			return func(f *Call, v Value) { f.slots[slot].cell().v = v }
		}
		return func(f *Call, v Value) { f.slots[slot] = v }
	case *syntax.UpvalExpr:
		i := t.Index
		return func(f *Call, v Value) { f.fn.ups[i].cell().v = v }
	}
	g := t.(*syntax.GlobalExpr)
	k := c.constant(g.Name)
	pc := c.site(g.Line, nameNone, "")
	return func(f *Call, v Value) {
		env := f.fn.env
		if n := env.findString(k.Value, k.hash); n != nil && !n.val.IsNil() && !env.readonly {
			n.val = v
			return
		}
		f.setIndex(env.Value(), k.Value, v, pc)
	}
}

// assignOne compiles the assignment of one value.
func (c *compiler) assignOne(t, value syntax.Expr) action {
	if e, ok := t.(*syntax.IndexExpr); ok {
		return c.assignIndex(e, value)
	}
	local, isLocal := t.(*syntax.LocalExpr)
	if isLocal && local.Variable.Numeric && !local.Variable.Cell() {
		return c.assignNumeric(uint8(local.Variable.Slot), value)
	}
	v := c.eval(value)
	if isLocal && !local.Variable.Cell() {
		slot := uint8(local.Variable.Slot)
		return func(f *Call) signal {
			f.slots[slot] = v(f)
			return goOn
		}
	}
	st := c.storeName(t)
	return func(f *Call) signal {
		st(f, v(f))
		return goOn
	}
}
