package lua

import "github.com/miniserver-go/miniserver/scripting/lua/syntax"

// index compiles o[k].
func (fs *compiler) index(e *syntax.IndexExpr) eval {
	switch k := e.Key.(type) {
	case syntax.StringExpr:
		return fs.field(e, fs.constant(k.Value))
	case syntax.NumberExpr:
		return fs.indexConstant(e, k.Value)
	}
	if syntax.IsNumeric(e.Key) && !(isPlain(e.Object) && isPlain(e.Key)) {
		return fs.indexNumeric(e)
	}
	s := fs.operands(e.Object, e.Key, false)
	pc := fs.siteOf(e.Line, e.Object)
	if s.a.local && s.b.local {
		return indexLL(s.a.slot, s.b.slot, pc)
	}
	return indexVV(s, pc)
}

// indexLL compiles o[k] for two local variables. Not inlined: a maker.
//
//go:noinline
func indexLL(i, j uint8, pc uint32) eval {
	return func(f *frame) Value {
		o, k := &f.slots[i], &f.slots[j]
		if o.n == tagTable && k.IsNumber() {
			if v := (*Table)(o.p).element(k.num()); !v.IsNil() {
				return v
			}
		}
		return f.lookUp(*o, *k, pc)
	}
}

// indexVV compiles o[k] for any operands. Not inlined: a maker.
//
//go:noinline
func indexVV(s *sides, pc uint32) eval {
	return func(f *frame) Value {
		o, k := s.values(f)
		if o.n == tagTable && k.IsNumber() {
			if v := (*Table)(o.p).element(k.num()); !v.IsNil() {
				return v
			}
		}
		return f.lookUp(o, k, pc)
	}
}

// element returns the value at x if that is in the array part, else nil.
func (t *Table) element(x float64) Value {
	if i := int(x); uint(i-1) < uint(len(t.array)) && float64(i) == x {
		return t.array[i-1]
	}
	return Nil
}

// lookUp performs o[k] where the look into the array part found nothing. Not inlined: a slow path.
//
//go:noinline
func (f *frame) lookUp(o, k Value, pc uint32) Value {
	if o.n == tagTable {
		t := (*Table)(o.p)
		f.L.workOnKey(k)
		if v := t.Get(k); !v.IsNil() || t.meta == nil {
			return v
		}
	}
	return f.index(o, k, pc)
}

// indexConstant compiles o[1] and the like.
func (fs *compiler) indexConstant(e *syntax.IndexExpr, k float64) eval {
	o := fs.operand(e.Object)
	pc := fs.siteOf(e.Line, e.Object)
	key := fs.number(k)
	i := int(k)
	if float64(i) != k || i < 1 {
		object := o.eval
		return func(f *frame) Value { return f.lookUp(object(f), key, pc) }
	}
	if o.local {
		return indexLK(o.slot, i-1, key, pc)
	}
	return indexVK(o.eval, i-1, key, pc)
}

// indexLK compiles o[1] and the like for a local variable: i counts from 0, key is the constant.
// Not inlined: a maker.
//
//go:noinline
func indexLK(slot uint8, i int, key Value, pc uint32) eval {
	return func(f *frame) Value {
		o := &f.slots[slot]
		if o.n == tagTable {
			if t := (*Table)(o.p); i < len(t.array) && !t.array[i].IsNil() {
				return t.array[i]
			}
		}
		return f.lookUp(*o, key, pc)
	}
}

// indexVK is indexLK for any object. Not inlined: a maker.
//
//go:noinline
func indexVK(object eval, i int, key Value, pc uint32) eval {
	return func(f *frame) Value {
		o := object(f)
		if o.n == tagTable {
			if t := (*Table)(o.p); i < len(t.array) && !t.array[i].IsNil() {
				return t.array[i]
			}
		}
		return f.lookUp(o, key, pc)
	}
}

// indexNumeric compiles o[k] for a numeric expression k.
func (fs *compiler) indexNumeric(e *syntax.IndexExpr) eval {
	o := fs.operand(e.Object)
	pc := fs.siteOf(e.Line, e.Object)
	if j, ok := plainLocal(e.Key); ok {
		return indexNumericL(o.eval, j, pc)
	}
	return indexNumericV(o.eval, fs.numeric(e.Key), pc)
}

// indexNumericL compiles o[k] for a numeric local variable k. Not inlined: a maker.
//
//go:noinline
func indexNumericL(object eval, j uint8, pc uint32) eval {
	return func(f *frame) Value {
		o := object(f)
		x := f.slots[j].num()
		if o.n == tagTable {
			if v := (*Table)(o.p).element(x); !v.IsNil() {
				return v
			}
		}
		return f.lookUp(o, Number(x), pc)
	}
}

// indexNumericV compiles o[k] for a numeric expression k. Not inlined: a maker.
//
//go:noinline
func indexNumericV(object eval, key evalFloat, pc uint32) eval {
	return func(f *frame) Value {
		o := object(f)
		x := key(f)
		if o.n == tagTable {
			if v := (*Table)(o.p).element(x); !v.IsNil() {
				return v
			}
		}
		return f.lookUp(o, Number(x), pc)
	}
}

// field compiles o.name.
func (fs *compiler) field(e *syntax.IndexExpr, k Key) eval {
	o := fs.operand(e.Object)
	pc := fs.siteOf(e.Line, e.Object)
	if o.local {
		return fieldL(o.slot, &k, pc)
	}
	return fieldV(o.eval, &k, pc)
}

// fieldL compiles o.name for a local variable. Not inlined: a maker.
//
//go:noinline
func fieldL(slot uint8, k *Key, pc uint32) eval {
	return func(f *frame) Value {
		o := &f.slots[slot]
		if o.n == tagTable {
			if n := (*Table)(o.p).main(k.hash); n.key == k.Value && n.val.p != nil {
				return n.val
			}
		}
		return f.lookUpField(*o, k, pc)
	}
}

// fieldV compiles o.name for any object. Not inlined: a maker.
//
//go:noinline
func fieldV(object eval, k *Key, pc uint32) eval {
	return func(f *frame) Value {
		o := object(f)
		if o.n == tagTable {
			if n := (*Table)(o.p).main(k.hash); n.key == k.Value && n.val.p != nil {
				return n.val
			}
		}
		return f.lookUpField(o, k, pc)
	}
}

// main returns the node where a string of that hash belongs.
func (t *Table) main(hash uint32) *node { return t.at(hash & t.mask) }

// lookUpField performs o.name where the main position did not have it. Not inlined: a slow path.
//
//go:noinline
func (f *frame) lookUpField(o Value, k *Key, pc uint32) Value {
	if o.n == tagTable {
		t := (*Table)(o.p)
		if v := t.getString(k.Value, k.hash); !v.IsNil() || t.meta == nil {
			return v
		}
	}
	return f.index(o, k.Value, pc)
}
