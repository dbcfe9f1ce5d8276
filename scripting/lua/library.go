package lua

import "math/bits"

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

// buffer gathers a string whose length is not known beforehand. A library
// keeps one and lends it to the call under way; what a call gathers beyond the
// first few kilobytes counts against the memory limit while it grows.
type buffer struct {
	text []byte
	paid int
}

const (
	freeBuffer = 4 << 10   // bytes gathered without asking
	keptBuffer = 256 << 10 // capacity kept for the next call
)

// take lends the buffer's memory, empty. A call that starts before the memory
// is given back gets none and allocates.
func (b *buffer) take() buffer {
	taken := buffer{b.text[:0], freeBuffer}
	b.text = nil
	return taken
}

// give takes the memory back.
func (b *buffer) give(from *buffer) {
	if cap(from.text) <= keptBuffer {
		b.text = from.text
	}
}

// pay counts what was gathered so far.
func (b *buffer) pay(L *State) {
	if n := len(b.text); n > b.paid {
		L.Alloc(n)
		b.paid = 2 * n
	}
}

// room counts what is gathered and n bytes more before they are appended.
func (b *buffer) room(L *State, n int) {
	if n += len(b.text); n > b.paid {
		L.Alloc(n)
		b.paid = 2 * n
	}
}

// finish gives the memory back to owner and returns what was gathered.
func (b *buffer) finish(L *State, owner *buffer) Value {
	v := L.textValue(b.text)
	owner.give(b)
	return v
}

// textValue returns a copy of text as a value; single bytes are shared.
func (L *State) textValue(text []byte) Value {
	switch len(text) {
	case 0:
		return String("")
	case 1:
		return byteValue(text[0])
	}
	return L.NewString(string(text))
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
const shareLimit = 128

// substring returns s[i:j]. It shares the bytes of s unless a small part would
// keep a large string alive.
func (L *State) substring(s string, i, j int) Value {
	if j-i == 1 {
		return byteValue(s[i])
	}
	if len(s) <= shareLimit || 2*(j-i) >= len(s) {
		return String(s[i:j])
	}
	return L.NewString(string([]byte(s[i:j])))
}

// returnAll answers with vs and avoids copying what is gathered in L.ret.
func (c *Call) returnAll(vs []Value) {
	if len(vs) == 1 {
		c.ret = vs[0]
	}
	c.L.ret, c.nret = vs, len(vs)
}

// maxResults is how many values a C function may have on its stack.
const maxResults = 8000

// checkStack throws Lua's "stack overflow" when n values do not fit beside
// the arguments.
func (c *Call) checkStack(n int, problem string) {
	if c.nargs+n > maxResults {
		c.L.Errorf("stack overflow (%s)", problem)
	}
}

// newArray returns a table with room for n elements: as much as n appends
// would have made.
func (L *State) newArray(n int) *Table {
	if n > 0 {
		n = 1 << bits.Len(uint(n-1))
	}
	return L.NewTable(n, 0)
}
