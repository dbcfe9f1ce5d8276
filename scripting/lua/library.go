package lua

import "unsafe"

// The libraries behave as those that Redis 7.0 ships, in their errors too. They differ in this:
//
//  1. string.dump refuses Lua functions: they have no binary form.
//  2. A pattern that recurses 200,000 deep is "too complex"; C's stack overflows at half of that.
//  3. Elementary functions and powers are rounded correctly, C's library errs by one unit in the last
//     place in about one of a thousand results.
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

// buffer gathers a string whose length is not known beforehand. A library
// keeps one and lends it to the call under way. What it grows beyond the memory
// it was lent counts against the memory limit.
type buffer struct {
	text    []byte
	counted int // capacity that was lent or counts
	held    int // bytes that count
}

// keptBuffer is the capacity kept for the next call.
const keptBuffer = 256 << 10

// lend gives its memory, empty, to a new buffer. A call that starts before the
// memory is given back gets none and allocates.
func (b *buffer) lend(to *buffer) {
	to.text, to.counted = b.text[:0], max(cap(b.text), 512)
	b.text = nil
}

// give takes the memory back.
func (b *buffer) give(L *State, from *buffer) {
	if cap(from.text) <= keptBuffer {
		b.text = from.text
	}
	if from.held > 0 {
		L.Release(from.held)
	}
}

// grow makes room for n bytes more.
func (b *buffer) grow(L *State, n int) {
	if n += len(b.text); n <= cap(b.text) {
		return
	}
	n = max(n, cap(b.text)+cap(b.text)/4, 256)
	b.count(L, n)
	b.text = L.add(room(n), unsafe.String(unsafe.SliceData(b.text), len(b.text)))
}

// settle counts the memory that small pieces appended without grow took. It makes room for some more if
// what was gathered is long, so that append does not have to move that.
func (b *buffer) settle(L *State) {
	if cap(b.text) > b.counted || len(b.text) > piece {
		b.settleLong(L)
	}
}

func (b *buffer) settleLong(L *State) {
	b.count(L, cap(b.text))
	if len(b.text) > piece {
		b.grow(L, smallRoom)
	}
}

// smallRoom is more than what is appended between two calls of settle.
const smallRoom = 4 << 10

func (b *buffer) count(L *State, capacity int) {
	if more := capacity - b.counted; more > 0 {
		b.counted = capacity
		b.held += more
		L.Hold(more)
	}
}

// finish returns what was gathered and gives the memory back to owner, unless
// it is so large that it becomes the value.
func (b *buffer) finish(L *State, owner *buffer) Value {
	if cap(b.text) > keptBuffer && len(b.text) > cap(b.text)/2 {
		b.settle(L)
		L.work(2 * len(b.text))
		L.pinned -= b.held
		return Bytes(b.text)
	}
	L.work(len(b.text))
	owner.give(L, b)
	return L.textValue(b.text)
}

// textValue returns a copy of text as a value; single bytes are shared.
func (L *State) textValue(text []byte) Value {
	switch len(text) {
	case 0:
		return String("")
	case 1:
		return byteValue(text[0])
	}
	return L.clone(unsafe.String(&text[0], len(text)))
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

// substring returns s[i:j]. It shares the bytes of s unless a small part would
// keep a large string alive.
func (L *State) substring(s string, i, j int) Value {
	if j-i == 1 {
		return byteValue(s[i])
	}
	if len(s) <= shareLimit || 2*(j-i) >= len(s) {
		return String(s[i:j])
	}
	return L.clone(s[i:j])
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
	if c.NArgs()+n > maxResults {
		c.L.Errorf("stack overflow (%s)", problem)
	}
}
