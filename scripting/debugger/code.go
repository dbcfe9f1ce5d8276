package debugger

import "github.com/miniserver-go/miniserver/scripting/lua"

// chunk is the name of a front end's code in errors, as in Redis.
const chunk = "@ldb_eval"

// code is code of a front end.
type code struct {
	text       string
	expression bool // it must be one

	state *lua.State // for which it is compiled; nil for none
	proto *lua.Proto
}

// compile compiles code for a State. A proto serves one.
func (c *code) compile(L *lua.State) (*lua.Proto, error) {
	if c.proto != nil && c.state == L {
		return c.proto, nil
	}
	proto, err := lua.Compile("return "+c.text, chunk)
	if err != nil && !c.expression {
		proto, err = lua.Compile(c.text, chunk)
	}
	c.state, c.proto = L, proto
	return proto, err
}
