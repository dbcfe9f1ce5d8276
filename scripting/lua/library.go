package lua

import "unsafe"

// The libraries behave as those that Redis 7.0 ships, in their errors too. They differ in this:
//
//  1. string.dump refuses Lua functions: they have no binary form.
//  2. A pattern that recurses 200,000 deep is "too complex"; C's stack overflows at half of that.
//  3. Elementary functions and powers are rounded correctly; C's library errs by one unit in the
//     last place in about one of a thousand results. The hyperbolic functions have its errors, up
//     to the same rate.
//  4. A result of 2 GB or more is "not enough memory", whatever the limit.
//
// What they share follows here.

// entry is one function of a library.
type entry struct {
	name string
	host GoFunction
}

// functionTable returns a table of the functions.
func functionTable(functions []entry) *Table {
	t := NewTable(0, len(functions))
	for _, f := range functions {
		t.SetString(nil, f.name, NewFunction(f.name, f.host).Value())
	}
	return t
}

// newLibrary makes a table of the functions the global called name.
func newLibrary(L *State, name string, functions []entry) *Table {
	t := functionTable(functions)
	L.Globals.SetString(nil, name, t.Value())
	return t
}

// CopyString returns a string with the contents of b, counted against the memory limit unless it is
// a single byte: those are shared. It ticks if the string is long.
func (L *State) CopyString(b []byte) Value {
	switch len(b) {
	case 0:
		return String("")
	case 1:
		return byteValue(b[0])
	}
	return L.clone(unsafe.String(&b[0], len(b))) // only read: clone copies it
}

// byteStrings holds every byte once, so that strings of one byte need no memory.
var byteStrings = func() (all [256]byte) {
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

// byteValue returns the string of the byte c.
func byteValue(c byte) Value { return Bytes(byteStrings[c : int(c)+1]) }

// shareLimit is the length up to which a string is kept whole for any part of it.
const shareLimit = 64

// Substring returns s[i:j] as a value. It shares the bytes of s unless a small part would keep a
// large string alive.
func (L *State) Substring(s string, i, j int) Value {
	if j-i == 1 {
		return byteValue(s[i])
	}
	if len(s) <= shareLimit || 2*(j-i) >= len(s) {
		return String(s[i:j])
	}
	return L.clone(s[i:j])
}

// Results returns the State's own empty slice for results: append to it and pass it to ReturnAll,
// which then copies nothing. Calls of Lua functions overwrite it.
func (c *Call) Results() []Value { return c.L.ret[:0] }

// ReturnAll answers with vs, which is not copied and belongs to the State from now on.
func (c *Call) ReturnAll(vs []Value) {
	if len(vs) == 1 {
		c.ret = vs[0]
	}
	c.L.ret, c.nret = vs, len(vs)
}

// MaxResults is how many values a C function may have on its stack, LUAI_MAXCSTACK.
const MaxResults = 8000

// CheckStack throws Lua's "stack overflow" when n values do not fit beside the arguments.
func (c *Call) CheckStack(n int, problem string) {
	if c.NArgs()+n > MaxResults {
		c.L.Errorf("stack overflow (%s)", problem)
	}
}
