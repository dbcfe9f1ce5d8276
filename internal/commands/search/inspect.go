package search

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// own is what brought the commands that Redis does not have.
const own = "miniserver:0.1.0"

// inspected is the key of a subcommand that names an index by its first argument.
var inspected = command.Key(2, "RO access")

// inspections is the command that tells of indexes what Redis does not. It is in no module.
var inspections = command.Family{Group: module, Commands: []command.Line{
	{Name: "ft.index", Arity: -2, Since: own, Complexity: "Depends on the subcommand",
		Summary: "A container for commands that inspect indexes. Not in Redis.", Subs: inspectionLines},
}}

var inspectionLines = []command.Line{
	{Name: "check", Arity: 3, Flags: reads, Keys: inspected, Run: cmdIndexCheck, Reply: "status", Since: own,
		Syntax: "index", Summary: "Compares an index with one that is made anew. Not in Redis.",
		Complexity: "O(N) where N is the size of the keys that the index covers"},
	engine.HelpLine(own),
}
