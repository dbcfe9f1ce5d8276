package lua

import "strings"

// loadstring(s [, chunkname])
func baseLoadString(L *State, c *Call) {
	s := c.CheckString(1)
	L.load(c, s, c.OptString(2, s))
}

// load(f [, chunkname])
func baseLoad(L *State, c *Call) {
	name := c.OptString(2, "=(load)")
	c.CheckFunction(1)
	var source strings.Builder
	for {
		g, ok := L.protect(c.Arg(1), nil)
		if !ok {
			c.Return2(Nil, L.pending)
			return
		}
		piece := g.first()
		s, ok := piece.ToString()
		if !ok && !piece.IsNil() {
			c.Return2(Nil, String(L.Where(1)+"reader function must return a string"))
			return
		}
		if s == "" {
			break
		}
		L.Hold(len(s) * sourceBytes)
		source.WriteString(s)
	}
	L.Release(source.Len() * sourceBytes)
	L.load(c, source.String(), name)
}

// load answers with the compiled chunk, or nil and the error. Compiling counts as holding memory:
// closures are many times as large as their source.
func (L *State) load(c *Call, source, name string) {
	L.Alloc(protoBytes + len(source)*sourceBytes)
	if strings.HasPrefix(source, "\x1b") {
		c.Return2(Nil, String(binaryName(name)+": bad header in precompiled chunk"))
		return
	}
	p, err := compile(L, source, name, nil)
	if err != nil {
		c.Return2(Nil, String(err.Error()))
		return
	}
	c.Return1(L.Load(p).Value())
}

// binaryName names a precompiled chunk, which is never accepted, in the error about it.
func binaryName(name string) string {
	switch {
	case strings.HasPrefix(name, "@"), strings.HasPrefix(name, "="):
		return name[1:]
	case strings.HasPrefix(name, "\x1b"):
		return "binary string"
	}
	return name
}
