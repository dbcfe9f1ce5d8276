package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func worldLines() []command.Line {
	return []command.Line{{Name: "mini.world", Arity: -2, Flags: flags, Since: since,
		Summary:    "A container for commands about worlds, which are datasets that do not know of one another.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "drop", Arity: 3, Flags: flags,
				Run: engine.On((*Kit).cmdWorldDrop), Reply: "status", Since: since, Syntax: "name",
				Summary:    "Removes a world without clients, with its data.",
				Complexity: "O(N), N being the number of worlds"},
			{Name: "forget", Arity: 3, Flags: flags, Run: engine.On((*Kit).cmdWorldForget), Reply: "status",
				Since: since, Syntax: "name", Summary: "Removes a snapshot.", Complexity: "O(1)"},
			{Name: "fork", Arity: 4, Flags: flags,
				Run: engine.On((*Kit).cmdWorldFork), Reply: "status", Since: since, Syntax: "from to",
				Summary:    "Makes a new world with a copy of the data and the clock of another one.",
				Complexity: "O(N), N being the bytes of the data"},
			helpFor(),
			{Name: "list", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdWorldList), Reply: "array", Since: since,
				Summary: "Returns the worlds with the number of their clients and keys, " +
					"and the bytes of their data.",
				Complexity: "O(N log N), N being the number of worlds"},
			{Name: "name", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdWorldName), Reply: "text", Since: since,
				Summary: "Returns the name of the world that the client is in.", Complexity: "O(1)"},
			{Name: "own", Arity: 3, Flags: flags, Run: engine.On((*Kit).cmdWorldOwn), Reply: "status", Since: since,
				Syntax:     "mark",
				Summary:    "Lets the worlds whose names begin with a mark and a hyphen end with the client.",
				Complexity: "O(1)"},
			{Name: "reset", Arity: -2, Flags: flags,
				Run: engine.On((*Kit).cmdWorldReset), Reply: "status", Since: since, Syntax: "[name]",
				Summary:    "Makes a world as it was when it was new. Its clients stay.",
				Complexity: "O(N), N being the number of watched, tracked and blocking keys"},
			{Name: "restore", Arity: 3, Flags: flags,
				Run: engine.On((*Kit).cmdWorldRestore), Reply: "status", Since: since, Syntax: "name",
				Summary:    "Replaces the data and the clock of the client's world with those of a snapshot.",
				Complexity: "O(N), N being the bytes of the snapshot"},
			{Name: "snapshot", Arity: 3, Flags: flags,
				Run: engine.On((*Kit).cmdWorldSnapshot), Reply: "status", Since: since, Syntax: "name",
				Summary:    "Keeps a copy of the data and the clock of the client's world.",
				Complexity: "O(N), N being the bytes of the data"},
			{Name: "use", Arity: -3, Flags: flags,
				Run: engine.On((*Kit).cmdWorldUse), Reply: "status", Since: since, Syntax: "name [OPERATOR]",
				Summary: "Moves the client to a world, which is made if there is none of this name. " +
					"No outage hits an operator.",
				Complexity: "O(N), N being the number of worlds"},
		}}}
}

// MINI.WORLD USE name [OPERATOR]
//
// The client leaves behind what it has set up: subscriptions, watches, tracking. Its user and
// protocol stay.
func (k *Kit) cmdWorldUse(c *engine.Call) {
	name, operates := worldName(c), c.Word("OPERATOR")
	c.End()
	c.Refuse(k.checkWorld(name))
	if c.OK() {
		c.Session.MoveTo(k.world(name))
		if operates {
			engine.PerSession[operator](c.Session).is = true
		}
		c.Reply.Status("OK")
	}
}

// MINI.WORLD NAME
func (k *Kit) cmdWorldName(c *engine.Call) { c.Reply.BulkString(here(c).name) }

// MINI.WORLD LIST
//
// Replies, for each world in the order of their names: name, clients, keys of all databases, bytes
// of its data.
func (k *Kit) cmdWorldList(c *engine.Call) {
	worlds := k.inOrder()
	c.Reply.Array(len(worlds))
	for _, w := range worlds {
		keys := 0
		for i := range w.Keyspace.Len() {
			keys += w.Keyspace.DB(i).Len()
		}
		c.Reply.Map(4)
		c.Reply.BulkString("name")
		c.Reply.BulkString(nameOf(w))
		c.Reply.BulkString("clients")
		c.Reply.Int(int64(len(w.Clients())))
		c.Reply.BulkString("keys")
		c.Reply.Int(int64(keys))
		c.Reply.BulkString("bytes")
		c.Reply.Int(int64(w.Keyspace.Bytes()))
	}
}

// MINI.WORLD DROP name
func (k *Kit) cmdWorldDrop(c *engine.Call) {
	w := k.existingWorld(c)
	switch {
	case w == nil:
	case w == k.engine.Home():
		c.Refuse(errDropDefault)
	case w.Node != nil:
		c.Refuse(errDropNode)
	case len(w.Clients()) > 0:
		c.Refusef(errWorldInUse, nameOf(w), len(w.Clients()))
	}
	if !c.Failed() {
		c.Refuse(k.end(w))
	}
	if c.OK() {
		k.remove(w)
		c.Reply.Status("OK")
	}
}

// MINI.WORLD RESET [name]
//
// It removes keys, scripts and functions, and lets the clock run with the machine's. Clients stay
// connected; those that are blocked go on waiting. In the world of new connections it counts as
// FLUSHALL for the journal and the replicas.
func (k *Kit) cmdWorldReset(c *engine.Call) {
	w := c.Session.World()
	if c.More() {
		w = k.existingWorld(c)
	}
	c.End()
	if !c.OK() {
		return
	}
	clock := clockOf(w)
	c.ResetWorld(w)
	c.Afterwards(w.ServeBlocked)
	clock.run(clock.machine(), 1)
	w.TickBy(clock.Now() / 1000)
	c.Reply.Status("OK")
}
