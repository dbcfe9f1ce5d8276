package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// Assignments to elements and fields. Lua evaluates object and key first and reads those that are
// local variables only when it stores.

// assignIndex compiles o[k] = v.
func (fs *compiler) assignIndex(e *syntax.IndexExpr, value syntax.Expr) action {
	pc := fs.siteOf(e.Line, e.Object)
	if s, ok := e.Key.(syntax.StringExpr); ok {
		return fs.assignField(e, fs.constant(s.Value), value, pc)
	}
	if i, ok := plainLocal(e.Object); ok && (!late(e.Key) || isPlain(e.Key)) {
		return fs.assignElement(i, e.Key, value, pc)
	}
	target := fs.targetParts(e)
	v := fs.eval(value)
	return func(f *frame) signal {
		target.prepare(f)
		v := v(f)
		o, k := target.object(f), target.key(f)
		if o.n == tagTable && k.IsNumber() && (*Table)(o.p).put(k.num(), v) {
			return goOn
		}
		f.setIndex(o, k, v, pc)
		return goOn
	}
}

// assignElement compiles o[k] = v for a local variable o.
func (fs *compiler) assignElement(i uint8, key, value syntax.Expr, pc uint32) action {
	if j, ok := plainLocal(key); ok {
		return storeAtL(i, j, fs.eval(value), pc)
	}
	k := fs.eval(key)
	slot := fs.temp()
	return storeAtV(i, k, slot, fs.eval(value), pc)
}

// storeAtL compiles o[k] = v for two local variables o and k. Not inlined: a maker.
//
//go:noinline
func storeAtL(i, j uint8, v eval, pc uint32) action {
	return func(f *frame) signal {
		v := v(f)
		o, k := &f.slots[i], &f.slots[j]
		if o.n != tagTable || !k.IsNumber() || !(*Table)(o.p).put(k.num(), v) {
			f.setIndex(*o, *k, v, pc)
		}
		return goOn
	}
}

// storeAtV compiles o[k] = v for a local variable o; slot holds the key while v is evaluated
// (invariant 2). Not inlined: a maker.
//
//go:noinline
func storeAtV(i uint8, k eval, slot uint8, v eval, pc uint32) action {
	return func(f *frame) signal {
		k := k(f)
		if !k.IsNumber() {
			f.slots[slot] = k
		}
		v := v(f)
		o := &f.slots[i]
		if o.n == tagTable {
			t := (*Table)(o.p)
			if k.IsNumber() && t.put(k.num(), v) {
				return goOn
			}
			if k.IsString() && t.meta == nil && !t.readonly {
				f.L.workOnKey(k)
				t.setString(f.L, k, hashString(k.str()), v)
				return goOn
			}
		}
		f.setIndex(*o, k, v, pc)
		return goOn
	}
}

// isPlain reports whether e is a local variable in a slot of its own.
func isPlain(e syntax.Expr) bool {
	_, ok := plainLocal(e)
	return ok
}

// put stores v at x if x is within the array and the store needs no look at a metamethod: the
// element is there already, or there is no metatable. It leaves nil to the slow path, which may
// have to count the array anew.
func (t *Table) put(x float64, v Value) bool {
	i := int(x) - 1
	if uint(i) >= uint(len(t.array)) || float64(i+1) != x || v.IsNil() || t.readonly {
		return false
	}
	slot := &t.array[i]
	if slot.IsNil() {
		if t.meta != nil {
			return false
		}
		if i == int(t.dense) {
			t.dense++
		} else {
			t.dense = -1
		}
	}
	*slot = v
	return true
}

// parts are the pieces of o[k] as the target of an assignment.
type parts struct {
	prepare     func(f *frame)
	object, key eval
}

// targetParts compiles the object and the key of a target. What is no variable is evaluated before
// the value and held in a slot (invariant 2).
func (fs *compiler) targetParts(e *syntax.IndexExpr) parts {
	object := fs.eval(e.Object)
	slot := fs.temps(2)
	key := fs.eval(e.Key)
	lateObject, lateKey := late(e.Object), late(e.Key)
	if lateObject && lateKey {
		return parts{func(*frame) {}, object, key}
	}
	held := func(f *frame) Value { return f.slots[slot] }
	heldKey := func(f *frame) Value { return f.slots[slot+1] }
	switch {
	case lateObject:
		return parts{func(f *frame) { f.slots[slot+1] = key(f) }, object, heldKey}
	case lateKey:
		return parts{func(f *frame) { f.slots[slot] = object(f) }, held, key}
	}
	return parts{func(f *frame) {
		f.slots[slot] = object(f)
		f.slots[slot+1] = key(f)
	}, held, heldKey}
}

// late reports whether e may be evaluated after other code has run.
func late(e syntax.Expr) bool {
	switch e.(type) {
	case syntax.NilExpr, syntax.BoolExpr, syntax.NumberExpr, syntax.StringExpr:
		return true
	}
	return isLocal(e)
}

// assignField compiles o.name = v.
func (fs *compiler) assignField(e *syntax.IndexExpr, k Key, value syntax.Expr, pc uint32) action {
	if i, ok := plainLocal(e.Object); ok {
		return storeFieldL(i, &k, fs.eval(value), pc)
	}
	object := fs.eval(e.Object)
	if late(e.Object) {
		return storeFieldLate(object, &k, fs.eval(value), pc)
	}
	slot := fs.temp()
	v := fs.eval(value)
	return func(f *frame) signal {
		f.slots[slot] = object(f)
		v := v(f)
		f.setField(f.slots[slot], &k, v, pc)
		return goOn
	}
}

// storeFieldL compiles o.name = v for a local variable o: a field that is there is overwritten in
// place. Not inlined: a maker.
//
//go:noinline
func storeFieldL(i uint8, k *Key, v eval, pc uint32) action {
	return func(f *frame) signal {
		v := v(f)
		o := &f.slots[i]
		if o.n == tagTable {
			if n := (*Table)(o.p).main(k.hash); n.key == k.Value && n.val.p != nil && !(*Table)(o.p).readonly {
				n.val = v
				return goOn
			}
		}
		f.setField(*o, k, v, pc)
		return goOn
	}
}

// storeFieldLate compiles o.name = v for a variable o in a cell. Not inlined: a maker.
//
//go:noinline
func storeFieldLate(object eval, k *Key, v eval, pc uint32) action {
	return func(f *frame) signal {
		v := v(f)
		f.setField(object(f), k, v, pc)
		return goOn
	}
}

// setField performs o.name = v. Not inlined: a slow path.
//
//go:noinline
func (f *frame) setField(o Value, k *Key, v Value, pc uint32) {
	if o.n == tagTable {
		t := (*Table)(o.p)
		if n := t.findString(k.Value, k.hash); n != nil && !n.val.IsNil() && !t.readonly {
			n.val = v
			return
		}
		if t.meta == nil && !t.readonly {
			f.pc = pc
			t.setString(f.L, k.Value, k.hash, v)
			return
		}
	}
	f.setIndex(o, k.Value, v, pc)
}
