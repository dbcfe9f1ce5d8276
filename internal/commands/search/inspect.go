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
	{Name: "memory", Arity: 3, Flags: reads, Keys: inspected, Run: cmdIndexMemory, Reply: "map", Since: own,
		Syntax: "index", Summary: "Tells in which parts of an index its memory is. Not in Redis.",
		Complexity: "O(N) where N is the number of fields"},
	engine.HelpLine(own),
}

// FT.INDEX MEMORY index
//
// It replies with the bytes that used_memory counts for the index: of its documents, of the words
// of all text fields, and of each field.
func cmdIndexMemory(c *engine.Call) {
	e := searched(c, string(c.Arg()))
	if !c.OK() {
		return
	}
	i := infoReply{Writer: c.Reply}
	i.open()
	i.int("bytes", int64(e.Bytes()))
	i.int("documents", int64(e.Len()))
	i.int("document_bytes", int64(e.DocumentBytes()))
	i.int("word_bytes", int64(e.WordBytes()))
	i.key("fields")
	i.Array(len(e.Fields))
	for _, f := range e.Fields {
		i.open()
		i.status("attribute", f.Name)
		i.status("type", f.Kind.String())
		i.int("bytes", int64(f.Bytes()))
		i.close()
	}
	i.close()
}
