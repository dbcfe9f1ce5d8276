package lua

// The calls that Lua code makes with few arguments. f is the running frame, its pc is set. A host function is
// entered at once. So is a Lua function with exactly that many parameters, unless the hook is due, the segment
// is used up or the call too deep; apply does the rest.
//
// The functions repeat each other on purpose: arguments in registers need neither a slice nor a loop, and a
// shared part would be another call. Against apply that is 1.9 times as fast (BenchmarkHandwritten).
//
// The order of the writes counts. Arguments go into the new frame before State.top moves, so the frame is not
// yet one that measure visits; fn, prev and L are set before the body can tick.

// ready reports whether a Lua function may be entered at depth at once, and counts the call. One comparison
// answers three questions: the sign bit is set if any of the three differences is negative.
func (L *State) ready(depth int) bool {
	L.ticks--
	return L.ticks|(L.size-L.top)|(L.deepest-depth) >= 0
}

func (f *frame) call0(v Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, nil)
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = 0
		return L.host(f, fn, g, frameWords*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 0 || !L.ready(depth) {
		return L.apply(f, v, nil)
	}
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}

func (f *frame) call1(v, a Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = 1
		g.slots[0] = a
		return L.host(f, fn, g, (frameWords+1)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 1 || !L.ready(depth) {
		return L.apply(f, v, []Value{a})
	}
	g.slots[0] = a
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}

func (f *frame) call2(v, a, b Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = 2
		g.slots[0], g.slots[1] = a, b
		return L.host(f, fn, g, (frameWords+2)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 2 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b})
	}
	g.slots[0], g.slots[1] = a, b
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}

func (f *frame) call3(v, a, b, d Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b, d})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = 3
		g.slots[0], g.slots[1], g.slots[2] = a, b, d
		return L.host(f, fn, g, (frameWords+3)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 3 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b, d})
	}
	g.slots[0], g.slots[1], g.slots[2] = a, b, d
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}

func (f *frame) call4(v, a, b, d, e Value) *frame {
	if v.n != tagFunction {
		return f.L.apply(f, v, []Value{a, b, d, e})
	}
	L := f.L
	fn := (*Function)(v.p)
	top := L.top
	g := L.frameAt(top)
	p := fn.proto
	if p == nil {
		g.nargs = 4
		g.slots[0], g.slots[1], g.slots[2], g.slots[3] = a, b, d, e
		return L.host(f, fn, g, (frameWords+4)*valueBytes)
	}
	depth := int(f.depth) + p.weight
	if p.params != 4 || !L.ready(depth) {
		return L.apply(f, v, []Value{a, b, d, e})
	}
	g.slots[0], g.slots[1], g.slots[2], g.slots[3] = a, b, d, e
	g.fn, g.prev, g.L = fn, f, L
	L.frame = g
	g.pc, g.tails, g.nret, g.depth = 0, 0, 0, int32(depth)
	L.top = top + p.frame
	sig := p.body(g)
	L.frame = f
	L.top = top
	if sig == recalls {
		return L.recall(f, g)
	}
	return g
}
