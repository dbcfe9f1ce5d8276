package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// store puts a value into the target of an assignment.
type store func(f *frame, v Value)

// assign compiles an assignment.
func (fs *compiler) assign(s *syntax.AssignStat) action {
	if len(s.Targets) == 1 && len(s.Values) == 1 {
		return fs.assignOne(s.Targets[0], s.Values[0])
	}
	prepare := make([]func(f *frame), 0, len(s.Targets))
	stores := make([]store, len(s.Targets))
	for i, t := range s.Targets {
		p, st := fs.target(t)
		if p != nil {
			prepare = append(prepare, p)
		}
		stores[i] = st
	}
	first := fs.free
	n := len(stores)
	fill := fs.adjust(s.Values, n)
	fs.temps(n)
	// Lua evaluates the parts of all targets, then all values, and stores from the last target to
	// the first.
	return func(f *frame) signal {
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

// target compiles one of several targets: what must be evaluated before the values, nil for
// nothing, and the store.
func (fs *compiler) target(t syntax.Expr) (prepare func(f *frame), st store) {
	e, ok := t.(*syntax.IndexExpr)
	if !ok {
		return nil, fs.storeName(t)
	}
	slots := fs.temps(2)
	object, key := fs.eval(e.Object), fs.eval(e.Key)
	pc := fs.siteOf(e.Line, e.Object)
	prepare = func(f *frame) {
		f.slots[slots] = object(f)
		f.slots[slots+1] = key(f)
	}
	return prepare, func(f *frame, v Value) {
		f.setIndex(f.slots[slots], f.slots[slots+1], v, pc)
	}
}

// storeName compiles the store to a variable.
func (fs *compiler) storeName(t syntax.Expr) store {
	switch t := t.(type) {
	case *syntax.LocalExpr:
		slot := uint8(t.Variable.Slot)
		if t.Variable.Cell() {
			return func(f *frame, v Value) { f.slots[slot].cell().v = v }
		}
		return func(f *frame, v Value) { f.slots[slot] = v }
	case *syntax.UpvalExpr:
		i := t.Index
		return func(f *frame, v Value) { f.fn.ups[i].cell().v = v }
	}
	g := t.(*syntax.GlobalExpr)
	k := fs.constant(g.Name)
	pc := fs.site(g.Line, nameNone, "")
	return func(f *frame, v Value) {
		env := f.fn.env
		// __newindex is for absent keys only, so an existing global needs no look at the metatable.
		if n := env.findString(k.Value, k.hash); n != nil && !n.val.IsNil() && !env.readonly {
			n.val = v
			return
		}
		f.setIndex(env.Value(), k.Value, v, pc)
	}
}

// assignOne compiles the assignment of one value.
func (fs *compiler) assignOne(t, value syntax.Expr) action {
	if e, ok := t.(*syntax.IndexExpr); ok {
		return fs.assignIndex(e, value)
	}
	local, isLocal := t.(*syntax.LocalExpr)
	if isLocal && local.Variable.Numeric && !local.Variable.Cell() {
		return fs.assignNumeric(uint8(local.Variable.Slot), value)
	}
	v := fs.eval(value)
	if isLocal && !local.Variable.Cell() {
		slot := uint8(local.Variable.Slot)
		return func(f *frame) signal {
			f.slots[slot] = v(f)
			return goOn
		}
	}
	st := fs.storeName(t)
	return func(f *frame) signal {
		st(f, v(f))
		return goOn
	}
}
