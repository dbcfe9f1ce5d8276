package redislib_test

import (
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/redislib"
)

// testState returns a State with the libraries that the tests use.
func testState() *lua.State {
	L := lua.NewState()
	lua.OpenBase(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L)
	redislib.OpenCmsgpack(L)
	redislib.OpenStruct(L)
	return L
}
