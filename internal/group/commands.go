package group

import (
	"encoding/json"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

const (
	operates = command.Admin | command.NoScript | command.Loading | command.Stale | command.HomeOnly | command.NoMulti
	moves    = command.Admin | command.NoScript | command.HomeOnly | command.NoMulti | command.Internal
	logs     = command.Admin | command.Loading | command.Stale | command.HomeOnly | command.Internal
)

var families = []command.Family{{Group: "server", Commands: []command.Line{
	{Name: "group", Arity: -2, Since: since, Complexity: "Depends on subcommand.",
		Summary: "A container for commands about the group of this server.",
		Subs: []command.Line{
			{Name: "add", Arity: 3, Flags: operates, Run: engine.On((*Group).cmdAdd), Reply: "status", Since: since,
				Syntax: "member", Complexity: "O(N), N being the size of the dataset",
				Summary: "Makes a server a member of the group."},
			{Name: "announce", Arity: 4, Flags: logs, Run: engine.On((*Group).cmdAnnounce), Reply: "status",
				Since: since, Syntax: "id address", Complexity: "O(1)",
				Summary: "An internal command that tells where clients reach a member."},
			{Name: "drop", Arity: 4, Flags: moves, Run: engine.On((*Group).cmdDrop), Reply: "status", Since: since,
				Syntax: "group move", Complexity: "O(1)",
				Summary: "An internal command by which the source of a move of slots ends it."},
			{Name: "export", Arity: 6, Flags: moves, Run: engine.On((*Group).cmdExport), Reply: "status", Since: since,
				Syntax: "group move target slots", Complexity: "O(N), N being the number of slots",
				Summary: "An internal command by which the target asks for a move of slots."},
			{Name: "import", Arity: 8, Flags: moves, Run: engine.On((*Group).cmdImport), Reply: "status", Since: since,
				Syntax:     "group move attempt:integer source epoch:integer slots",
				Complexity: "O(N), N being the number of slots",
				Summary:    "An internal command by which the source begins a move of slots."},
			{Name: "info", Arity: 2, Flags: operates | command.Harmless,
				Run: engine.On((*Group).cmdInfo), Reply: "text", Since: since, Complexity: "O(1)",
				Summary: "Returns what this member knows of its group."},
			{Name: "map", Arity: -2, Flags: operates | command.Internal, Run: engine.On((*Group).cmdMap), Reply: "text",
				Since: since, Syntax: "[map]", Complexity: "O(N), N being the number of groups",
				Summary: "An internal command by which members tell each other which groups own which slots."},
			{Name: "moves", Arity: 2, Flags: operates | command.Harmless, Run: engine.On((*Group).cmdMoves),
				Reply: "text", Since: since, Complexity: "O(N), N being the number of moves",
				Summary: "Returns the moves of slots of the group."},
			{Name: "own", Arity: 4, Flags: moves, Run: engine.On((*Group).cmdOwn), Reply: "status", Since: since,
				Syntax: "group move", Complexity: "O(N), N being the number of slots",
				Summary: "An internal command by which the source of a move gives the slots to the target."},
			{Name: "once", Arity: -5, Flags: command.Write | command.NoScript | command.MayBeSlow | command.HomeOnly,
				Run: engine.On((*Group).cmdOnce), Reply: "any", Since: since,
				Syntax: "name sequence:integer command [arg...]", Complexity: "Depends on the command.",
				Summary: "Executes a command unless it was executed before."},
			{Name: "ready", Arity: 5, Flags: moves, Run: engine.On((*Group).cmdReady), Reply: "status", Since: since,
				Syntax: "group move attempt:integer", Complexity: "O(1)",
				Summary: "An internal command by which the source of a move announces its end."},
			{Name: "record", Arity: 5, Flags: logs, Run: engine.On((*Group).cmdRecord), Reply: "status", Since: since,
				Syntax: "name sequence:integer reply", Complexity: "O(1)",
				Summary: "An internal command that records a reply of GROUP ONCE."},
			{Name: "remove", Arity: 3, Flags: operates, Run: engine.On((*Group).cmdRemove), Reply: "status",
				Since: since, Syntax: "id:integer", Complexity: "O(1)", Summary: "Takes a member out of the group."},
			{Name: "stage", Arity: 6, Flags: moves | command.DenyOOM, Run: engine.On((*Group).cmdStage),
				Reply: "status", Since: since, Syntax: "group move attempt:integer commands",
				Complexity: "Depends on the commands.",
				Summary:    "An internal command by which the source of a move sends keys."},
			{Name: "transfer", Arity: -2, Flags: operates, Run: engine.On((*Group).cmdTransfer), Reply: "status",
				Since: since, Syntax: "[id:integer]", Complexity: "O(1)",
				Summary: "Hands the leader's seat to another member."},
			{Name: "share", Arity: 3, Flags: logs, Run: engine.On((*Group).cmdShare), Reply: "status",
				Since: since, Syntax: "share", Complexity: "O(N), N being the number of slots",
				Summary: "An internal command that tells which slots the group owns."},
			engine.HelpLine(since),
		}},
}}}

const since = "1.0.0"

// GROUP INFO
func (g *Group) cmdInfo(c *engine.Call) { c.Reply.Verbatim("txt", []byte(g.text())) }

// GROUP ADD id=host:port
func (g *Group) cmdAdd(c *engine.Call) {
	m, err := parseMember(string(c.Arg()))
	if err != nil {
		c.Refuse(err)
	}
	g.ask(c, &question{}, func() error { return g.log.Add(m) })
}

// GROUP REMOVE id
func (g *Group) cmdRemove(c *engine.Call) {
	id := memberID(c)
	g.ask(c, &question{}, func() error { return g.log.Remove(id) })
}

// GROUP TRANSFER [id]
func (g *Group) cmdTransfer(c *engine.Call) {
	var id uint64
	if c.More() {
		id = memberID(c)
	}
	c.End()
	g.ask(c, &question{handsOver: true}, func() error { return g.transfer(id) })
}

func memberID(c *engine.Call) uint64 { return uint64(c.IntIn(1, 1<<62, errID)) }

// GROUP ANNOUNCE id address is what the log has of where clients reach a member.
func (g *Group) cmdAnnounce(c *engine.Call) {
	id, address := memberID(c), string(c.Arg())
	if fromLog(c) {
		g.clients[id] = address
		g.refresh()
	}
}

// GROUP SHARE text is what the log has of the group's part of a cluster.
func (g *Group) cmdShare(c *engine.Call) {
	text := c.Arg()
	if !fromLog(c) {
		return
	}
	var s share
	if err := json.Unmarshal(text, &s); err != nil {
		c.Fail(errShare)
		return
	}
	g.takeShare(s)
}
