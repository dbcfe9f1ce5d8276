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
	if syntax.IsNumeric(e.Key) {
		return fs.indexNumeric(e)
	}
	s := fs.operands(e.Object, e.Key, false)
	pc := fs.siteOf(e.Line, e.Object)
	if s.a.local && s.b.local {
		i, j := s.a.slot, s.b.slot
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

// lookUp performs o[k] where the quick look into an array found nothing.
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
	i--
	if o.local {
		slot := o.slot
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
	object := o.eval
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
	object := o.eval
	if j, ok := plainLocal(e.Key); ok {
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
	key := fs.numeric(e.Key)
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
		slot := o.slot
		return func(f *frame) Value {
			o := &f.slots[slot]
			if o.n == tagTable {
				if n := (*Table)(o.p).main(k.hash); n.key == k.Value && n.val.p != nil {
					return n.val
				}
			}
			return f.lookUpField(*o, &k, pc)
		}
	}
	object := o.eval
	return func(f *frame) Value {
		o := object(f)
		if o.n == tagTable {
			if n := (*Table)(o.p).main(k.hash); n.key == k.Value && n.val.p != nil {
				return n.val
			}
		}
		return f.lookUpField(o, &k, pc)
	}
}

// main returns the node where a string of that hash belongs.
func (t *Table) main(hash uint32) *node { return t.at(hash & t.mask) }

// lookUpField performs o.name where the main position did not have it.
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
