package lua

// index compiles o[k].
func (c *compiler) index(e *indexExpr) eval {
	if s, ok := e.key.(stringExpr); ok {
		return c.field(e, c.constant(s.value))
	}
	_, _, both := c.operands(e.object, e.key)
	pc := c.siteOf(e.line, e.object)
	return func(f *Call) Value {
		o, k := both(f)
		if o.n == tagTable {
			t := (*Table)(o.p)
			if k.IsNumber() {
				x := k.num()
				if i := int(x); uint(i-1) < uint(len(t.array)) && float64(i) == x {
					if v := t.array[i-1]; !v.IsNil() {
						return v
					}
				}
			}
			if v := t.Get(k); !v.IsNil() || t.meta == nil {
				return v
			}
		}
		return f.index(o, k, pc)
	}
}

// field compiles o.name.
func (c *compiler) field(e *indexExpr, k stringKey) eval {
	o := c.operand(e.object)
	pc := c.siteOf(e.line, e.object)
	if o.local {
		slot := o.slot
		return func(f *Call) Value {
			o := f.slots[slot]
			if o.n == tagTable {
				t := (*Table)(o.p)
				if v := t.getString(k.Value, k.hash); !v.IsNil() || t.meta == nil {
					return v
				}
			}
			return f.index(o, k.Value, pc)
		}
	}
	object := o.eval
	return func(f *Call) Value {
		o := object(f)
		if o.n == tagTable {
			t := (*Table)(o.p)
			if v := t.getString(k.Value, k.hash); !v.IsNil() || t.meta == nil {
				return v
			}
		}
		return f.index(o, k.Value, pc)
	}
}

// assignIndex compiles o[k] = v. Object and key are evaluated first unless they are local variables.
func (c *compiler) assignIndex(e *indexExpr, value expression) action {
	pc := c.siteOf(e.line, e.object)
	if s, ok := e.key.(stringExpr); ok {
		return c.assignField(e, c.constant(s.value), value, pc)
	}
	target := c.targetParts(e)
	v := c.eval(value)
	return func(f *Call) signal {
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

// put stores a value other than nil at a number if that is within the array, or just behind its last
// element in room there is, and no metamethod could want to know.
func (t *Table) put(x float64, v Value) bool {
	i := int(x)
	if uint(i-1) > uint(t.dense) || i > len(t.array) || float64(i) != x || v.IsNil() || t.readonly || t.dense < 0 {
		return false
	}
	if i-1 == int(t.dense) {
		if t.meta != nil {
			return false
		}
		t.dense++
	}
	t.array[i-1] = v
	return true
}

// parts are the pieces of o[k] as the target of an assignment.
type parts struct {
	prepare     func(f *Call)
	object, key eval
}

func (c *compiler) targetParts(e *indexExpr) parts {
	object, key := c.eval(e.object), c.eval(e.key)
	lateObject, lateKey := late(e.object), late(e.key)
	if lateObject && lateKey {
		return parts{func(*Call) {}, object, key}
	}
	slot := c.temps(2)
	held := func(f *Call) Value { return f.slots[slot] }
	heldKey := func(f *Call) Value { return f.slots[slot+1] }
	switch {
	case lateObject:
		return parts{func(f *Call) { f.slots[slot+1] = key(f) }, object, heldKey}
	case lateKey:
		return parts{func(f *Call) { f.slots[slot] = object(f) }, held, key}
	}
	return parts{func(f *Call) {
		f.slots[slot] = object(f)
		f.slots[slot+1] = key(f)
	}, held, heldKey}
}

// late reports whether e may be evaluated after other code has run.
func late(e expression) bool {
	switch e.(type) {
	case nilExpr, boolExpr, numberExpr, stringExpr:
		return true
	}
	return isLocal(e)
}

// assignField compiles o.name = v.
func (c *compiler) assignField(e *indexExpr, k stringKey, value expression, pc uint32) action {
	object := c.eval(e.object)
	if late(e.object) {
		v := c.eval(value)
		return func(f *Call) signal {
			v := v(f)
			f.setField(object(f), k, v, pc)
			return goOn
		}
	}
	slot := c.temp()
	v := c.eval(value)
	return func(f *Call) signal {
		f.slots[slot] = object(f)
		v := v(f)
		f.setField(f.slots[slot], k, v, pc)
		return goOn
	}
}

// setField performs o.name = v.
func (f *Call) setField(o Value, k stringKey, v Value, pc uint32) {
	if o.n == tagTable {
		t := (*Table)(o.p)
		if n := t.findString(k.Value, k.hash); n != nil && !n.val.IsNil() && !t.readonly {
			n.val = v
			return
		}
	}
	f.setIndex(o, k.Value, v, pc)
}
