// Package arrays is the family of array commands, of Redis 8.8.
//
//	arrays.go   the lines of all commands
//	indexes.go  what is read of arguments
//	set.go      ARSET, ARMSET, ARDEL, ARDELRANGE
//	get.go      ARGET, ARMGET, ARGETRANGE, ARSCAN, ARLEN, ARCOUNT
//	insert.go   ARINSERT, ARRING, ARNEXT, ARSEEK, ARLASTITEMS
//	grep.go     ARGREP
//	operate.go  AROP
//	info.go     ARINFO, and MEMORY EXPLAIN
//	type.go     the data type
//
// No such server is compared with: replies, errors and the order of checks are those that the
// documentation and the published source text of Redis tell.
package arrays

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// How a line says what a command does.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM
	fast   = command.Fast

	since = "8.8.0"
)

// scanTime is the complexity of commands that look at the elements in a range.
const scanTime = "O(N), N being the number of elements in the range"

// Family is the family of array commands.
var Family = command.Family{Group: "array", Category: "array", Commands: []command.Line{
	{Name: "arset", Arity: -4, Flags: grows | fast, Keys: command.Key(1, "RW update"), Run: cmdARSet, Reply: "integer",
		Since: since, Syntax: "key index value...", Summary: "Sets elements of an array from an index on.",
		Complexity: "O(N), N being the number of values"},
	{Name: "armset", Arity: -4, Flags: grows | fast, Keys: command.Key(1, "RW update"), Run: cmdARMSet,
		Reply: "integer", Since: since, Syntax: "key data=<index value>...",
		Summary: "Sets elements of an array at several indexes.", Complexity: "O(N), N being the number of values"},
	{Name: "arget", Arity: 3, Flags: reads | fast, Keys: command.Key(1, "RO access"), Run: cmdARGet, Reply: "text?",
		Since: since, Syntax: "key index",
		Summary: "Returns the element at an index of an array.", Complexity: "O(1)"},
	{Name: "armget", Arity: -3, Flags: reads | fast, Keys: command.Key(1, "RO access"), Run: cmdARMGet,
		Reply: "texts?", Since: since, Syntax: "key index...",
		Summary:    "Returns the elements at several indexes of an array.",
		Complexity: "O(N), N being the number of indexes"},
	{Name: "argetrange", Arity: 4, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdARGetRange,
		Reply: "texts?", Since: since, Syntax: "key start:integer end:integer",
		Summary:    "Returns what is at all indexes of a range of an array.",
		Complexity: "O(N), N being the number of indexes in the range"},
	{Name: "arscan", Arity: -4, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdARScan, Reply: "array",
		Since: since, Syntax: "key start:integer end:integer [LIMIT limit]",
		Summary: "Returns the elements in a range of an array with their indexes.", Complexity: scanTime},
	{Name: "arlen", Arity: 2, Flags: reads | fast, Keys: command.Key(1, "RO access"), Run: cmdARLen, Reply: "integer",
		Since: since, Syntax: "key", Summary: "Returns the greatest index of an array plus 1.", Complexity: "O(1)"},
	{Name: "arcount", Arity: 2, Flags: reads | fast, Keys: command.Key(1, "RO access"), Run: cmdARCount,
		Reply: "integer", Since: since, Syntax: "key", Summary: "Returns the number of elements of an array.",
		Complexity: "O(1)"},
	{Name: "ardel", Arity: -3, Flags: writes | fast, Keys: command.Key(1, "RW delete"), Run: cmdARDel,
		Reply: "integer", Since: since, Syntax: "key index...",
		Summary:    "Deletes the elements at some indexes of an array.",
		Complexity: "O(N), N being the number of indexes"},
	{Name: "ardelrange", Arity: -4, Flags: writes, Keys: command.Key(1, "RW delete"), Run: cmdARDelRange,
		Reply: "integer", Since: since, Syntax: "key range=<start:integer end:integer>...",
		Summary:    "Deletes the elements in some ranges of an array.",
		Complexity: "O(N), N being the number of elements deleted"},
	{Name: "arinsert", Arity: -3, Flags: grows | fast, Keys: command.Key(1, "RW update"), Run: cmdARInsert,
		Reply: "integer", Since: since, Syntax: "key value...",
		Summary:    "Sets elements of an array from the next index on.",
		Complexity: "O(N), N being the number of values"},
	{Name: "arring", Arity: -4, Flags: grows, Keys: command.Key(1, "RW update"), Run: cmdARRing, Reply: "integer",
		Since: since, Syntax: "key size:integer value...",
		Summary: "Adds values to an array that is a ring of some size.",
		Complexity: "O(M), M being the number of values, and if the size has changed " +
			"O(N+M), N being the greater of the sizes"},
	{Name: "arnext", Arity: 2, Flags: reads | fast, Keys: command.Key(1, "RO access"), Run: cmdARNext,
		Reply: "integer?", Since: since, Syntax: "key",
		Summary: "Returns the next index of an array.", Complexity: "O(1)"},
	{Name: "arseek", Arity: 3, Flags: writes | fast, Keys: command.Key(1, "RW update"), Run: cmdARSeek,
		Reply: "integer", Since: since, Syntax: "key index",
		Summary: "Sets the next index of an array.", Complexity: "O(1)"},
	{Name: "arlastitems", Arity: -3, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdARLastItems,
		Reply: "texts?", Since: since, Syntax: "key count [REV]",
		Summary:    "Returns the elements that were inserted last into an array.",
		Complexity: "O(N), N being the count"},
	{Name: "argrep", Arity: -6, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdARGrep, Reply: "array",
		Since: since, Syntax: "key start end predicate=<exact=<EXACT string>|match=<MATCH string>|" +
			"glob=<GLOB pattern:string>|re=<RE pattern:string>>... options=[AND|OR|LIMIT limit|WITHVALUES|NOCASE]...",
		Summary:    "Returns the indexes of the elements in a range of an array that match.",
		Complexity: "O(N*M), N being the number of elements in the range, and M the time to match one"},
	{Name: "arop", Arity: -5, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdAROp, Reply: "any",
		Since: since, Syntax: "key start:integer end:integer " +
			"operation=<SUM|MIN|MAX|AND|OR|XOR|match=<MATCH value>|USED>",
		Summary: "Combines the elements in a range of an array to one result.", Complexity: scanTime},
	{Name: "arinfo", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdARInfo, Reply: "array",
		Since: since, Syntax: "key [FULL]", Summary: "Returns how an array is kept.",
		Complexity: "O(1), and with FULL O(N), N being the number of slices"},
}}
