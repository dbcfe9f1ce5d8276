package lua

import "unsafe"

// The calls that Lua code makes with few arguments. f is the running frame, its pc is set. A host
// function is entered at once, and so is a Lua function that takes exactly that many parameters,
// unless the hook is due, the segment is used up or the call too deep; everything else takes the long
// way through apply.

// ready reports whether a Lua function may be entered at depth without further ado, and counts the call.
func (L *State) ready(depth int) bool {
	L.ticks--
	return L.ticks|(L.size-L.top)|(L.deepest-depth) >= 0
}

func (f *Call) call0(v Value) *Call {
	if v.n != tagFunction {
		return f.L.apply(f, v, nil)
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	c := (*Call)(unsafe.Add(L.base, top))
	p := fn.proto
	if p == nil {
		c.nargs = 0
		return L.host(f, fn, c, frameWords*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 0 || !L.ready(depth) {
		return L.apply(f, v, nil)
	}
	c.fn, c.prev, c.L = fn, f, L
	L.frame = c
	c.pc, c.tails, c.nret, c.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(c)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}

func (f *Call) call1(v, a Value) *Call {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	c := (*Call)(unsafe.Add(L.base, top))
	p := fn.proto
	if p == nil {
		c.nargs = 1
		c.slots[0] = a
		return L.host(f, fn, c, (frameWords+1)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 1 || !L.ready(depth) {
		return L.apply(f, v, []Value{a})
	}
	c.slots[0] = a
	c.fn, c.prev, c.L = fn, f, L
	L.frame = c
	c.pc, c.tails, c.nret, c.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(c)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}

func (f *Call) call2(v, a, b Value) *Call {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	c := (*Call)(unsafe.Add(L.base, top))
	p := fn.proto
	if p == nil {
		c.nargs = 2
		c.slots[0], c.slots[1] = a, b
		return L.host(f, fn, c, (frameWords+2)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 2 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b})
	}
	c.slots[0], c.slots[1] = a, b
	c.fn, c.prev, c.L = fn, f, L
	L.frame = c
	c.pc, c.tails, c.nret, c.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(c)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}

func (f *Call) call3(v, a, b, d Value) *Call {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b, d})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	c := (*Call)(unsafe.Add(L.base, top))
	p := fn.proto
	if p == nil {
		c.nargs = 3
		c.slots[0], c.slots[1], c.slots[2] = a, b, d
		return L.host(f, fn, c, (frameWords+3)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 3 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b, d})
	}
	c.slots[0], c.slots[1], c.slots[2] = a, b, d
	c.fn, c.prev, c.L = fn, f, L
	L.frame = c
	c.pc, c.tails, c.nret, c.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(c)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}

func (f *Call) call4(v, a, b, d, e Value) *Call {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b, d, e})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	c := (*Call)(unsafe.Add(L.base, top))
	p := fn.proto
	if p == nil {
		c.nargs = 4
		c.slots[0], c.slots[1], c.slots[2], c.slots[3] = a, b, d, e
		return L.host(f, fn, c, (frameWords+4)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 4 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b, d, e})
	}
	c.slots[0], c.slots[1], c.slots[2], c.slots[3] = a, b, d, e
	c.fn, c.prev, c.L = fn, f, L
	L.frame = c
	c.pc, c.tails, c.nret, c.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(c)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, c)
	}
	return c
}
