package testkit

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/cluster"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// SENTINEL, so that clients connect that ask a Sentinel for the master first. The server is
// Sentinel and master in one: it answers with the address at which the client has reached it. It
// knows the names of the parameter sentinel-masters, and no other, so that a client that asks for a
// wrong name fails as it would with a real Sentinel. There are no replicas and no other Sentinels.
//
// Only what clients ask is here. A Sentinel has more commands, for people and for other Sentinels.

// sentinelParam is the parameter with the names of masters.
func (k *Kit) sentinelParam() config.Param {
	p := config.Text("sentinel-masters", &k.masters)
	p.List = true
	return p
}

func sentinelLines() []command.Line {
	ofMaster := func(name, summary string, reply command.Reply, run engine.Method) command.Line {
		return command.Line{Name: name, Arity: 3, Flags: flags,
			Run: run, Reply: reply, Since: since, Syntax: "master-name", Summary: summary, Complexity: "O(1)"}
	}
	return []command.Line{{Name: "sentinel", Arity: -2, Flags: flags, Since: since,
		Summary:    "A container for the commands by which clients ask a Sentinel; the server answers with itself.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			ofMaster("ckquorum", "Says that there are enough Sentinels.", "status",
				engine.On((*Kit).cmdSentinelQuorum)),
			ofMaster("failover", "Refuses, since there is no replica.", "status",
				engine.On((*Kit).cmdSentinelFailover)),
			ofMaster("get-master-addr-by-name", "Returns the address at which the client has reached the server.",
				"list?", engine.On((*Kit).cmdSentinelAddress)),
			helpFor(),
			ofMaster("master", "Returns the state of a master.", "list", engine.On((*Kit).cmdSentinelMaster)),
			{Name: "masters", Arity: 2, Flags: flags,
				Run: engine.On((*Kit).cmdSentinelMasters), Reply: "array", Since: since,
				Summary: "Returns the states of all masters.", Complexity: "O(N), N being the number of masters"},
			{Name: "myid", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdSentinelMyID), Reply: "text", Since: since,
				Summary: "Returns the ID of the server.", Complexity: "O(1)"},
			ofMaster("replicas", "Returns the replicas of a master, of which there are none.", "array",
				engine.On((*Kit).cmdSentinelNone)),
			ofMaster("sentinels", "Returns the other Sentinels of a master, of which there are none.", "array",
				engine.On((*Kit).cmdSentinelNone)),
			ofMaster("slaves", "Returns the replicas of a master, of which there are none.", "array",
				engine.On((*Kit).cmdSentinelNone)),
		}}}
}

// knows reports whether there is a master of that name.
func (k *Kit) knows(name string) bool { return slices.Contains(strings.Fields(k.masters), name) }

// master reads the name of a master. One that there is not latches an error.
func (k *Kit) master(c *engine.Call) string {
	name := string(c.Arg())
	if !k.knows(name) {
		c.Refuse(errNoMaster)
	}
	return name
}

// SENTINEL GET-MASTER-ADDR-BY-NAME master-name
//
// Replies: ip and port; null if there is no such master.
func (k *Kit) cmdSentinelAddress(c *engine.Call) {
	if !k.knows(string(c.Arg())) {
		c.Reply.NullArray()
		return
	}
	ip, port := cluster.Reached(k.engine, c.Session)
	c.Reply.Array(2)
	c.Reply.BulkString(ip)
	c.Reply.BulkString(port)
}

// SENTINEL MASTER master-name
func (k *Kit) cmdSentinelMaster(c *engine.Call) {
	if name := k.master(c); c.OK() {
		k.replyMaster(c, name)
	}
}

// SENTINEL MASTERS
func (k *Kit) cmdSentinelMasters(c *engine.Call) {
	names := strings.Fields(k.masters)
	c.Reply.Array(len(names))
	for _, name := range names {
		k.replyMaster(c, name)
	}
}

// replyMaster replies with the state of a master, with the fields of a Sentinel that has just seen
// it.
func (k *Kit) replyMaster(c *engine.Call, name string) {
	ip, port := cluster.Reached(k.engine, c.Session)
	pairs := []string{"name", name, "ip", ip, "port", port, "runid", k.engine.RunID, "flags", "master",
		"link-pending-commands", "0", "link-refcount", "1", "last-ping-sent", "0",
		"last-ok-ping-reply", "0", "last-ping-reply", "0",
		"down-after-milliseconds", "30000", "info-refresh", "0", "role-reported", "master", "role-reported-time", "0",
		"config-epoch", "0", "num-slaves", "0", "num-other-sentinels", "0", "quorum", "1", "failover-timeout", "180000",
		"parallel-syncs", "1"}
	c.Reply.Map(len(pairs) / 2)
	for _, word := range pairs {
		c.Reply.BulkString(word)
	}
}

// SENTINEL REPLICAS, SLAVES, SENTINELS master-name
func (k *Kit) cmdSentinelNone(c *engine.Call) {
	if k.master(c); c.OK() {
		c.Reply.Array(0)
	}
}

// SENTINEL CKQUORUM master-name
func (k *Kit) cmdSentinelQuorum(c *engine.Call) {
	if k.master(c); c.OK() {
		c.Reply.Status("OK 1 usable Sentinels. Quorum and failover authorization can be reached")
	}
}

// SENTINEL FAILOVER master-name
func (k *Kit) cmdSentinelFailover(c *engine.Call) {
	if k.master(c); c.OK() {
		c.Fail(errNoReplica)
	}
}

// SENTINEL MYID
func (k *Kit) cmdSentinelMyID(c *engine.Call) { c.Reply.BulkString(k.engine.RunID) }
