package lua

// store puts a value where an assignment wants it.
type store func(f *Call, v Value)

// assign compiles an assignment.
func (c *compiler) assign(s *assignStat) action {
	if len(s.targets) == 1 && len(s.values) == 1 {
		return c.assignOne(s.targets[0], s.values[0])
	}
	prepare := make([]func(f *Call), 0, len(s.targets))
	stores := make([]store, len(s.targets))
	for i, t := range s.targets {
		p, st := c.target(t)
		if p != nil {
			prepare = append(prepare, p)
		}
		stores[i] = st
	}
	first := c.free
	n := len(stores)
	fill := c.adjust(s.values, n)
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
func (c *compiler) target(t expression) (prepare func(f *Call), st store) {
	e, ok := t.(*indexExpr)
	if !ok {
		return nil, c.storeName(t)
	}
	slots := c.temps(2)
	object, key := c.eval(e.object), c.eval(e.key)
	pc := c.siteOf(e.line, e.object)
	prepare = func(f *Call) {
		f.slots[slots] = object(f)
		f.slots[slots+1] = key(f)
	}
	return prepare, func(f *Call, v Value) {
		f.setIndex(f.slots[slots], f.slots[slots+1], v, pc)
	}
}

// storeName compiles the store to a variable.
func (c *compiler) storeName(t expression) store {
	switch t := t.(type) {
	case *localExpr:
		slot := uint8(t.variable.slot)
		if t.variable.cell() {
			return func(f *Call, v Value) { f.slots[slot].cell().v = v }
		}
		return func(f *Call, v Value) { f.slots[slot] = v }
	case *upvalExpr:
		i := t.index
		return func(f *Call, v Value) { f.fn.ups[i].cell().v = v }
	}
	g := t.(*globalExpr)
	k := c.constant(g.name)
	pc := c.site(g.line, nameNone, "")
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
func (c *compiler) assignOne(t, value expression) action {
	if e, ok := t.(*indexExpr); ok {
		return c.assignIndex(e, value)
	}
	local, isLocal := t.(*localExpr)
	if isLocal && local.variable.numeric && !local.variable.cell() {
		return c.assignNumeric(uint8(local.variable.slot), value)
	}
	v := c.eval(value)
	if isLocal && !local.variable.cell() {
		slot := uint8(local.variable.slot)
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
