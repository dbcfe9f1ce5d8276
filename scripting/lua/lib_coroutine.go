package lua

// OpenCoroutine installs the library coroutine.
func OpenCoroutine(L *State) *Table {
	return newLibrary(L, "coroutine", []entry{
		{"create", coroutineCreate},
		{"resume", coroutineResume},
		{"running", coroutineRunning},
		{"status", coroutineStatus},
		{"wrap", coroutineWrap},
		{"yield", coroutineYield},
	})
}

// checkCoroutine returns coroutine argument i.
func (c *Call) checkCoroutine(i int) *Coroutine {
	co := c.Arg(i).AsCoroutine()
	if co == nil {
		c.ArgError(i, "coroutine expected")
	}
	return co
}

// luaFunction returns argument 1, a function written in Lua: C Lua cannot start a coroutine with
// another.
func (c *Call) luaFunction() Value {
	v := c.Arg(1)
	if fn := v.AsFunction(); fn == nil || fn.proto == nil {
		c.ArgError(1, "Lua function expected")
	}
	return v
}

// coroutine.create(f)
func coroutineCreate(L *State, c *Call) {
	c.Return1(L.newCoroutine(c.luaFunction()).Value())
}

// coroutine.resume(co, ...)
func coroutineResume(L *State, c *Call) {
	co := c.checkCoroutine(1)
	values, ok := L.resume(co, c.Args()[1:])
	c.returnTail(Bool(ok), values)
}

// coroutine.wrap(f)
func coroutineWrap(L *State, c *Call) {
	co := L.newCoroutine(c.luaFunction())
	L.Alloc(functionBytes)
	fn := NewFunction("wrap", func(L *State, c *Call) {
		values, ok := L.resume(co, c.Args())
		if !ok {
			v := values[0]
			if s, isString := v.AsString(); isString {
				v = String(L.Where(1) + s)
			}
			L.Throw(v)
		}
		c.Return(values...)
	})
	fn.keeps = co
	c.Return1(fn.Value())
}

// coroutine.yield(...)
func coroutineYield(L *State, c *Call) { c.Return(L.pass(c.Args())...) }

// coroutine.status(co)
func coroutineStatus(L *State, c *Call) {
	c.Return1(String(statusNames[c.checkCoroutine(1).status]))
}

// coroutine.running() returns nil in the main thread.
func coroutineRunning(L *State, c *Call) {
	if L.running == nil {
		c.Return1(Nil)
		return
	}
	c.Return1(L.running.Value())
}
