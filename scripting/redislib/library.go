// Package redislib holds the libraries that Redis adds to Lua: cjson, cmsgpack, struct and bit.
// They behave as those of Redis 7.0, in their errors too. Each Open function makes the table of one
// library and a global of its name.
//
// A library is host functions over package lua and needs none of its internals. What it shares with
// Lua's own libraries lies there: Buffer gathers results of unknown length, Builder makes the
// tables that decoders read, and Tick and Alloc count the work and the memory of long calls, so
// that a run's limits hold within a call too.
package redislib

import "github.com/miniserver-go/miniserver/scripting/lua"

// library returns a table of functions.
func library(functions ...*lua.Function) *lua.Table {
	t := lua.NewTable(0, len(functions))
	for _, fn := range functions {
		t.SetString(nil, fn.Name(), fn.Value())
	}
	return t
}
