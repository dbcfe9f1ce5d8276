package lua

// Functions about functions' environments, and newproxy.

// function returns the function that argument 1 names: itself, or a level of the stack.
func (c *Call) function(optional bool) *Function {
	if fn := c.Arg(1).AsFunction(); fn != nil {
		return fn
	}
	level := 1
	if optional {
		level = c.OptInt(1, 1)
	} else {
		level = c.CheckInt(1)
	}
	if level < 0 {
		c.ArgError(1, "level must be non-negative")
	}
	fn, lost := c.L.functionAt(level)
	if lost {
		c.L.Errorf("no function environment for tail call at level %d", level)
	}
	if fn == nil {
		c.ArgError(1, "invalid level")
	}
	return fn
}

// functionAt returns the function at a level of the stack; lost when that level was a tail call.
func (L *State) functionAt(level int) (fn *Function, lost bool) {
	for g := L.frame; g != nil; g = g.prev {
		if level == 0 {
			return g.fn, false
		}
		level -= 1 + int(g.tails)
		if level < 0 {
			return nil, true
		}
	}
	return nil, false
}

// getfenv([f])
func baseGetfenv(L *State, c *Call) {
	fn := c.function(true)
	if fn.proto == nil {
		c.Return1(L.Globals.Value())
		return
	}
	c.Return1(fn.env.Value())
}

// setfenv(f, table)
func baseSetfenv(L *State, c *Call) {
	env := c.CheckTable(2)
	if level, ok := c.Arg(1).AsNumber(); ok && level == 0 {
		L.Globals = env
		return
	}
	fn := c.function(false)
	if fn.proto == nil {
		L.Errorf("'setfenv' cannot change environment of given object")
	}
	fn.env = env
	c.Return1(fn.Value())
}

// newProxyMaker returns newproxy([true | proxy]): an empty userdata, with a metatable of its own or
// that of another.
func newProxyMaker() GoFunction {
	known := map[*Table]bool{} // metatables made here: Lua shares no others
	return func(L *State, c *Call) {
		var meta *Table
		switch v := c.Arg(1); {
		case !v.Truthy():
		case v.Kind() == KindBoolean:
			meta = L.NewTable(0, 0)
			known[meta] = true
		default:
			if u := v.AsUserdata(); u == nil || u.meta == nil || !known[u.meta] {
				c.ArgError(1, "boolean or proxy expected")
			} else {
				meta = u.meta
			}
		}
		L.Alloc(userdataBytes)
		c.Return1(NewUserdata(nil, meta).Value())
	}
}
