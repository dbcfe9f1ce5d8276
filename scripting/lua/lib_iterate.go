package lua

// openIterators installs next, pairs and ipairs. Loops know the generators and run them without
// calls.
func openIterators(L *State) {
	L.next = NewFunction("next", baseNext)
	L.inext = NewFunction("inext", baseINext)
	L.Globals.SetString(nil, "next", L.next.Value())
	L.Globals.SetString(nil, "pairs", NewFunction("pairs", func(L *State, c *Call) {
		c.CheckTable(1)
		c.Return(L.next.Value(), c.Arg(1), Nil)
	}).Value())
	L.Globals.SetString(nil, "ipairs", NewFunction("ipairs", func(L *State, c *Call) {
		c.CheckTable(1)
		c.Return(L.inext.Value(), c.Arg(1), Int(0))
	}).Value())
}

// next(t [, key])
func baseNext(L *State, c *Call) {
	k, v, more, known := c.CheckTable(1).Next(L, c.Arg(2))
	switch {
	case !known:
		L.fail("invalid key to 'next'")
	case !more:
		c.Return1(Nil)
	default:
		c.Return2(k, v)
	}
}

// baseINext is the generator of ipairs.
func baseINext(L *State, c *Call) {
	i := c.CheckInt(2) + 1
	t := c.CheckTable(1)
	if v := t.GetInt(i); !v.IsNil() {
		c.Return2(Int(i), v)
	}
}
