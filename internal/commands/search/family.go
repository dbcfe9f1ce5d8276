// Package search is the commands FT.*: those of RediSearch 2.10, which Redis has by itself since
// 8.0.
//
//	family.go    the commands
//	catalogue.go the indexes of a world, with their aliases
package search

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// How a line says what a command does. As in RediSearch, what concerns aliases and dictionaries
// counts as reading.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM
)

// since is the releases that have the commands.
const since = "8.0.0 redis-stack:7.4.0"

// module is the module that has the commands in Redis.
const module = "search"

// named is the key of a command that names an index by its first argument: access control takes the
// name for a key.
var named = command.Key(1, "RW access update")

// indexes is the commands about indexes themselves.
var indexes = []command.Line{
	{Name: "ft._list", Arity: 1, Flags: reads, Run: cmdList, Reply: "texts", Since: since,
		Summary: "Returns the names of all indexes", Complexity: "O(N) where N is the number of indexes"},
}

var family = command.Family{Group: module, Module: module, Category: module,
	Commands: slices.Concat(indexes, suggestions)}

// Types are the data types that the commands keep at keys.
var Types = []engine.Type{Suggestions}

// Part returns the commands. The versions are those of the module in Redis Stack and in Redis.
func Part() engine.Part {
	return engine.Part{Families: []command.Family{family}, Modules: []engine.Module{
		{Name: module, Since: "redis-stack:7.4.0", Version: 21005, Options: "handle-io-errors"},
		{Name: module, Since: "8.0.0", Version: 80001, Options: "handle-io-errors"},
		{Name: module, Since: "8.6.0", Version: 80600, Options: "handle-io-errors"},
	}}
}
