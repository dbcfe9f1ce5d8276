package lua

import "unsafe"

// GoFunction is a function the host gives to scripts. It reads its arguments from c and answers
// with one of c's Return methods; without, it returns nothing. c and slices of it die when it
// returns. It must not keep c, and must not recover panics: that is how errors travel.
type GoFunction func(L *State, c *Call)

// Call is what a host function sees of its frame: the arguments, and where results go.
type Call frame

// NArgs returns how many arguments were passed.
func (c *Call) NArgs() int { return int(c.nargs) }

// Arg returns argument i, counted from 1, nil beyond the last.
func (c *Call) Arg(i int) Value {
	if uint(i-1) >= uint(c.nargs) {
		return Nil
	}
	return *(*frame)(c).slot(i - 1)
}

// Args returns all arguments: the frame's own slice, valid during the call. Host functions may
// overwrite it.
func (c *Call) Args() []Value { return (*frame)(c).window(0, int(c.nargs)) }

// Return1 answers with one value.
func (c *Call) Return1(v Value) { c.ret, c.nret = v, 1 }

// Return2 answers with two values.
func (c *Call) Return2(a, b Value) {
	c.L.ret = append(c.L.ret[:0], a, b)
	c.nret = 2
}

// Return answers with vs, which are copied.
func (c *Call) Return(vs ...Value) {
	c.nret = len(vs)
	if len(vs) == 1 {
		c.ret = vs[0]
		return
	}
	c.L.ret = append(c.L.ret[:0], vs...)
}

// Site returns the place in a script that called this host function, nil when it was not called
// from one. It stays the same for every call from there: see Site.Cache.
func (c *Call) Site() *Site {
	if s := c.prev.site(); s != nil && s.call {
		return s
	}
	return nil
}

// Function is a Lua closure or a host function.
type Function struct {
	proto *Proto // nil for a host function
	env   *Table
	ups   []Value // captured variables: the value of one that never changes, else its cell
	host  GoFunction
	name  string
	keeps *Coroutine // what a function of coroutine.wrap resumes
	id    uint32
	mark  uint32
}

// NewFunction returns a host function. name serves hosts and traces; error messages use the name
// scripts call it by.
func NewFunction(name string, host GoFunction) *Function { return &Function{host: host, name: name} }

// Name returns the name given to NewFunction, "" for a Lua function.
func (fn *Function) Name() string { return fn.name }

const functionBytes = int(unsafe.Sizeof(Function{}))
