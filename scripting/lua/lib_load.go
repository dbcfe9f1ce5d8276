package lua

import "strings"

// loadstring(s [, chunkname])
func baseLoadString(L *State, c *Call) {
	s := c.CheckString(1)
	L.load(c, s, c.OptString(2, s))
}

// load(f [, chunkname])
func baseLoad(L *State, c *Call) {
	c.CheckFunction(1)
	name := c.OptString(2, "=(load)")
	var source strings.Builder
	for {
		piece := L.Call1(c.Arg(1))
		if piece.IsNil() {
			break
		}
		s, ok := piece.ToString()
		if !ok {
			c.Return2(Nil, String("reader function must return a string"))
			return
		}
		if s == "" {
			break
		}
		L.Alloc(len(s))
		source.WriteString(s)
	}
	L.load(c, source.String(), name)
}

// load answers with the compiled chunk, or nil and the error. Compiling counts as holding memory:
// closures are many times as large as their source.
func (L *State) load(c *Call, source, name string) {
	L.Alloc(len(source) * sourceBytes)
	L.Tick(len(source))
	if strings.HasPrefix(source, "\x1bLua") {
		c.Return2(Nil, String(displayName(name)+": bad header in precompiled chunk"))
		return
	}
	p, err := Compile(source, name)
	if err != nil {
		c.Return2(Nil, String(err.Error()))
		return
	}
	c.Return1(L.Load(p).Value())
}

// sourceBytes is what a byte of source takes once compiled, about.
const sourceBytes = 40
