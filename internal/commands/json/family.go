// Package json is JSON: the commands of RedisJSON 2.8, which Redis has by itself since 8.0.
//
//	family.go type.go     the commands, and the data type
//	document.go           the document at a key; what is parsed: texts and paths
//	get.go read.go        what changes nothing
//	set.go merge.go       setting values, and adding members
//	update.go             a change of each value that a path finds
//	numbers.go arrays.go  such changes
//	delete.go             JSON.DEL, JSON.CLEAR
//	route.go              the way to a value, while others change
//
// A path of JSONPath, which begins with $, finds any number of values, and the reply is an array
// with a part for each. A legacy path is about the first value, in replies; a change concerns all
// that it finds.
//
// Unlike RedisJSON, a command that fails changes nothing: there the values before the one that
// failed stay changed, unknown to replicas and the journal.
package json

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// How a line says what a command does.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM
)

// since is the releases that have the commands.
const since = "8.0.0 redis-stack:7.4.0"

// family is the commands.
var family = command.Family{Group: "json", Module: module, Category: "json", Commands: []command.Line{
	{Name: "json.set", Arity: -4, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONSet), Reply: "status?", Since: since,
		Syntax:     "key path value [NX|XX] [FPHA <FP16|BF16|FP32|FP64>]@8.8.0 [FORMAT format]",
		Summary:    "Sets the JSON value at a path",
		History:    "8.8.0 The option `FPHA`.",
		Complexity: "O(M+N) where M is the size of the document and N that of the value"},
	{Name: "json.get", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONGet), Reply: "text?", Since: since,
		Syntax: "key [INDENT indent] [NEWLINE newline] [SPACE space] [FORMAT format] [path...]", Summary: "Returns " +
			"the JSON values at one or more paths", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.mget", Arity: -3, Flags: reads, Keys: command.KeyRange(1, -2, 1, "RO access"),
		Run: latched(cmdJSONMGet), Reply: "texts?", Since: since,
		Syntax: "key... path", Summary: "Returns the JSON values at a path from several keys",
		Complexity: "O(M*N) where M is the number of keys and N the size of a document"},
	{Name: "json.mset", Arity: -4, Flags: grows, Keys: command.KeyRange(1, -1, 3, "OW update"),
		Run: latched(cmdJSONMSet), Reply: "status", Since: since,
		Syntax: "<key path value>...", Summary: "Sets JSON values at paths of several keys",
		Complexity: "O(K*(M+N)) where K is the number of keys, M the size of a document and N that of a value"},
	{Name: "json.merge", Arity: 4, Flags: grows, Keys: command.Key(1, "RW access update"), Run: latched(cmdJSONMerge),
		Reply: "status?", Since: since, Syntax: "key path value", Summary: "Merges a JSON value into those at a path",
		Complexity: "O(M+N) where M is the size of the document and N that of the value"},
	{Name: "json.del", Arity: -2, Flags: writes, Keys: command.Key(1, "RW delete"),
		Run: latched(cmdJSONDel), Reply: "integer", Since: since, Syntax: "key [path]",
		Summary: "Deletes the JSON values at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.forget", Arity: -2, Flags: writes, Keys: command.Key(1, "RW delete"),
		Run: latched(cmdJSONDel), Reply: "integer", Since: since, Syntax: "key [path]",
		Summary: "Deletes the JSON values at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.type", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"), Run: latched(cmdJSONType),
		Reply: "any", Since: since, Syntax: "key [path]", Summary: "Returns the types of the JSON values at a path",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.clear", Arity: -2, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONClear), Reply: "integer", Since: since,
		Syntax: "key [path]", Summary: "Empties arrays and objects at a path, and sets numbers to 0",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.toggle", Arity: 3, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONToggle), Reply: "any", Since: since, Syntax: "key path",
		Summary: "Toggles the booleans at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.numincrby", Arity: 4, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONNumIncrBy), Reply: "any", Since: since, Syntax: "key path value",
		Summary: "Adds to the numbers at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.nummultby", Arity: 4, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONNumMultBy), Reply: "any", Since: since, Syntax: "key path value",
		Summary: "Multiplies the numbers at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.numpowby", Arity: 4, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONNumPowBy), Reply: "any", Since: since, Syntax: "key path value",
		Summary: "Raises the numbers at a path to a power", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.strappend", Arity: -3, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONStrAppend), Reply: "any", Since: since, Syntax: "key [path] value",
		Summary: "Appends to the strings at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.strlen", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"), Run: latched(cmdJSONStrLen),
		Reply: "any", Since: since, Syntax: "key [path]", Summary: "Returns the lengths of the strings at a path",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrappend", Arity: -4, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONArrAppend), Reply: "any", Since: since, Syntax: "key path value...",
		Summary: "Appends values to the arrays at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrindex", Arity: -4, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONArrIndex), Reply: "any", Since: since,
		Syntax: "key path value [start [stop]]", Summary: "Returns where a value is first in the arrays at a path",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrinsert", Arity: -5, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONArrInsert), Reply: "any", Since: since, Syntax: "key path index value...",
		Summary: "Inserts values into the arrays at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrlen", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONArrLen), Reply: "any", Since: since, Syntax: "key [path]",
		Summary: "Returns the lengths of the arrays at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrpop", Arity: -2, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONArrPop), Reply: "any", Since: since,
		Syntax: "key [path [index]]", Summary: "Removes and returns an element of the arrays at a path",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.arrtrim", Arity: 5, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: latched(cmdJSONArrTrim), Reply: "any", Since: since,
		Syntax: "key path start stop", Summary: "Trims the arrays at a path to a range of elements",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.objkeys", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONObjKeys), Reply: "any", Since: since, Syntax: "key [path]",
		Summary: "Returns the names in the objects at a path", Complexity: "O(N) where N is the size of the document"},
	{Name: "json.objlen", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONObjLen), Reply: "any", Since: since,
		Syntax: "key [path]", Summary: "Returns the numbers of members of the objects at a path",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.resp", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"),
		Run: latched(cmdJSONResp), Reply: "any", Since: since,
		Syntax: "key [path]", Summary: "Returns the JSON values at a path as values of the protocol",
		Complexity: "O(N) where N is the size of the document"},
	{Name: "json.debug", Arity: -2, Flags: reads, Keys: command.Key(2, "RO access"),
		Run: latched(cmdJSONDebug), Reply: "any", Since: since, Syntax: "<MEMORY key [path]|HELP>",
		Summary: "Shows what JSON values take", Complexity: "O(N) where N is the size of the document"},
}}

// module is the module that has the commands in Redis.
const module = "ReJSON"

// Part returns the commands. The versions are those of the module in Redis Stack and in Redis.
func Part() engine.Part {
	const options = "handle-io-errors"
	return engine.Part{Families: []command.Family{family}, Modules: []engine.Module{
		{Name: module, Since: "redis-stack:7.4.0", Version: 20803, Options: options},
		{Name: module, Since: "8.0.0", Version: 80001, Options: options},
		{Name: module, Since: "8.2.0", Version: 80200, Options: options},
		{Name: module, Since: "8.4.0", Version: 80400, Options: options},
		{Name: module, Since: "8.6.0", Version: 80600, Options: options},
		{Name: module, Since: "8.8.0", Version: 80800, Options: options},
		{Name: module, Since: "8.10.0", Version: 81000, Options: options},
	}}
}
