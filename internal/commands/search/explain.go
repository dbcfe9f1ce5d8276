package search

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// explanations is the commands that show how a query is understood.
var explanations = []command.Line{
	{Name: "ft.explain", Arity: -1, Flags: asks, Keys: named, Run: engine.On(cmdExplain), Reply: "text", Since: since,
		Syntax:     "index query [DIALECT dialect:integer]",
		Summary:    "Returns the tree of a query",
		Complexity: "O(N) where N is the length of the query"},
	{Name: "ft.explaincli", Arity: -1, Flags: asks, Keys: named, Run: engine.On(cmdExplainCLI), Reply: "array",
		Since:      since,
		Syntax:     "index query [DIALECT dialect:integer]",
		Summary:    "Returns the tree of a query, a line for each node",
		Complexity: "O(N) where N is the length of the query"},
}

// FT.EXPLAIN index query [option ...]
func cmdExplain(set *settings, c *engine.Call) {
	if tree := explained(set, c); c.OK() {
		c.Reply.BulkString(tree)
	}
}

// FT.EXPLAINCLI index query [option ...]
func cmdExplainCLI(set *settings, c *engine.Call) {
	tree := explained(set, c)
	if !c.OK() {
		return
	}
	lines := strings.Split(tree, "\n")
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(strings.ReplaceAll(line, "\r", `\r`))
	}
}

// explained returns the tree of a query that could be searched for, or latches an error.
func explained(set *settings, c *engine.Call) string {
	if c.Left() < 2 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		return ""
	}
	r := newRequest(set, c)
	r.readOptions()
	if c.Failed() {
		return ""
	}
	e := searched(c, r.name)
	if c.Failed() {
		return ""
	}
	root := r.parse(e)
	if c.Failed() {
		return ""
	}
	if _, err := e.Walk(r.search(e, root)); err != nil {
		c.Refuse(command.Error(err.Error()))
	}
	return query.Explain(e.Schema(), root)
}
