package lua

import "unsafe"

// How functions are entered. Errors travel as panics through every caller, who lets them pass.

const (
	maxCalls      = 20000 // Lua calls nested, as LUAI_MAXCALLS
	maxHostCalls  = 200   // calls from Go nested, as LUAI_MAXCCALLS
	maxStackBytes = 256 << 20
)

// Call1 calls fn and returns its first result, nil when it returns none. It allocates nothing itself.
func (L *State) Call1(fn Value, args ...Value) Value {
	c := L.hostCall(fn, args)
	if c.nret == 1 {
		return c.ret
	}
	if c.nret == 0 {
		return Nil
	}
	return L.ret[0]
}

// Call calls fn and returns all its results: the State's own slice, valid until the next call.
func (L *State) Call(fn Value, args ...Value) []Value {
	c := L.hostCall(fn, args)
	if c.nret == 1 {
		L.ret = append(L.ret[:0], c.ret)
	}
	return L.ret[:c.nret]
}

// hostCall calls fn from Go, counting against the limit on such nesting.
func (L *State) hostCall(fn Value, args []Value) *Call {
	L.ccalls++
	if L.ccalls >= maxHostCalls {
		L.hostOverflow()
	}
	c := L.apply(fn, args)
	L.ccalls--
	return c
}

// apply calls any value and returns its popped frame, which holds the results until the next call.
func (L *State) apply(v Value, args []Value) *Call {
	if v.n != tagFunction {
		return L.applyObject(v, args)
	}
	fn := (*Function)(v.p)
	if fn.proto == nil {
		return L.applyHost(fn, args)
	}
	return L.applyLua(fn, args)
}

func (L *State) applyHost(fn *Function, args []Value) *Call {
	size := (frameWords + len(args)) * valueBytes
	if L.top+size > L.size {
		return L.onNewSegment(fn, args, size)
	}
	c := (*Call)(unsafe.Add(L.base, L.top))
	copy(unsafe.Slice(&c.slots[0], len(args)), args)
	prev := L.frame
	c.fn, c.prev, c.L, c.nargs, c.nret, c.tails = fn, prev, L, len(args), 0, 0
	L.top += size
	L.frame = c
	fn.host(L, c)
	L.frame = prev
	L.top -= size
	return c
}
