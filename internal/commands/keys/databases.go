package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Databases is the family of commands on whole databases.
var Databases = command.Family{Group: "server", Commands: []command.Line{
	{Name: "dbsize", Arity: 1, Flags: command.ReadOnly | command.Fast, Run: cmdDBSize, ACL: "keyspace",
		Reply: "integer", Since: "1.0.0", Summary: "Returns the number of keys in the database.",
		Tips: "request_policy:all_shards response_policy:agg_sum", Complexity: "O(1)"},
	{Name: "flushdb", Arity: -1, Flags: command.Write,
		Run: cmdFlushDB, ACL: "keyspace dangerous", Reply: "status", Since: "1.0.0",
		Syntax: "flush-type(/async)=[ASYNC@4.0.0|SYNC@6.2.0]", Summary: "Remove all keys from the current database.",
		Tips:       "request_policy:all_shards response_policy:all_succeeded",
		Complexity: "O(N), N being the number of keys in the database",
		History: "4.0.0 The option `ASYNC`.\n" +
			"6.2.0 The option `SYNC`."},
	{Name: "flushall", Arity: -1, Flags: command.Write | command.AllDatabases,
		Run: cmdFlushAll, ACL: "keyspace dangerous", Reply: "status", Since: "1.0.0",
		Syntax: "flush-type(/async)=[ASYNC@4.0.0|SYNC@6.2.0]", Summary: "Removes all keys from all databases.",
		Tips:       "request_policy:all_shards response_policy:all_succeeded",
		Complexity: "O(N), N being the number of keys in all databases",
		History: "4.0.0 The option `ASYNC`.\n" +
			"6.2.0 The option `SYNC`."},
	{Name: "swapdb", Arity: 3, Flags: command.Write | command.Fast, Run: cmdSwapDB, ACL: "keyspace dangerous",
		Reply: "status", Since: "4.0.0", Syntax: "index1 index2", Summary: "Swaps two Redis databases.",
		Databases:  func([][]byte) []int { return []int{1, 2} },
		Complexity: "O(N), N being the number of clients that watch or block on keys of the databases"},
}}

// Selection is the family of SELECT, which is in Redis' group of connection commands.
var Selection = command.Family{Group: "connection", Commands: []command.Line{
	{Name: "select", Arity: 2,
		Flags: command.Loading | command.Stale | command.Fast | command.AllowBusy | command.Harmless, Run: cmdSelect,
		Reply: "status", Since: "1.0.0", Syntax: "index", Summary: "Changes the selected database.", Complexity: "O(1)",
		Databases: func([][]byte) []int { return []int{1} },
		Was: []command.Was{command.Before("valkey:9.1.0", "-allow_busy"),
			command.Before("7.0.0", "acl=keyspace,-connection")}},
}}

// SELECT index
func cmdSelect(c *engine.Call) {
	db := selectable(c)
	if !c.OK() {
		return
	}
	c.Session.Select(db.ID())
	c.Reply.Status("OK")
}

// selectable reads the number of a database that SELECT may select, and returns the database.
func selectable(c *engine.Call) *keyspace.DB {
	if !c.Engine.Config.Cluster || c.Has(engine.ClusterDatabases) || c.Engine.Config.ClusterDatabases > 1 {
		return parseDatabase(c, nil)
	}
	if c.Int() != 0 {
		c.Refusef(engine.ErrNotInCluster, "SELECT")
	}
	return c.DB
}

// databases returns the number of databases that clients can select.
func databases(c *engine.Call) int64 {
	if c.Engine.Config.Cluster {
		return int64(min(c.Engine.Config.ClusterDatabases, c.World.Keyspace.Len()))
	}
	return int64(c.World.Keyspace.Len())
}

// refuseInCluster latches an error if the server is a node of a cluster, which has only one
// database.
func refuseInCluster(c *engine.Call, name string) {
	if c.Engine.Config.Cluster {
		c.Refusef(engine.ErrNotInCluster, name)
	}
}

// DBSIZE
func cmdDBSize(c *engine.Call) { c.Reply.Int(int64(c.DB.Len())) }

// FLUSHDB [ASYNC | SYNC]
func cmdFlushDB(c *engine.Call) {
	if async := parseFlushMode(c); c.OK() {
		if c.DB.Len() == 0 && !c.Has(flushesEmpty) {
			c.PropagateNothing()
		}
		noteFlushed(c, async, c.DB)
		c.Flush(c.DB)
		replyFlushed(c, async)
	}
}

// flushesEmpty is when FLUSHDB of an empty database began to be propagated, as FLUSHALL always was.
var flushesEmpty = release.From("7.0.0")

// FLUSHALL [ASYNC | SYNC]
func cmdFlushAll(c *engine.Call) {
	if async := parseFlushMode(c); c.OK() {
		for i := range c.World.Keyspace.Len() {
			noteFlushed(c, async, c.World.Keyspace.DB(i))
		}
		c.FlushAll()
		replyFlushed(c, async)
	}
}

// parseFlushMode reads [ASYNC | SYNC] up to the end. Both do the same here.
func parseFlushMode(c *engine.Call) (async bool) {
	if c.More() {
		if async = c.Word("ASYNC"); !async && !c.Word("SYNC") {
			c.Refuse(engine.ErrSyntax)
		}
	}
	c.End()
	return async
}

// flushBlocks is when FLUSHDB and FLUSHALL without ASYNC began to block the client until a thread
// has freed the values.
var flushBlocks = release.From("7.4.0")

// noteFlushed counts the keys of a database that is flushed, if a thread would free them in Redis.
func noteFlushed(c *engine.Call, async bool, db *keyspace.DB) {
	if async || c.Engine.Config.LazyFree.UserFlush || !c.Nested() && c.Has(flushBlocks) {
		c.World.Keyspace.LazilyFreed += int64(db.Len())
	}
}

// replyFlushed replies OK, after the invalidations if the command would have blocked.
func replyFlushed(c *engine.Call, async bool) {
	if !async && !c.Nested() && c.Has(flushBlocks) {
		c.MessagesFirst()
	}
	c.Reply.Status("OK")
}

// SWAPDB index1 index2
func cmdSwapDB(c *engine.Call) {
	refuseInCluster(c, "SWAPDB")
	i, j := c.IntIn(math.MinInt32, math.MaxInt32, errFirstDB), c.IntIn(math.MinInt32, math.MaxInt32, errSecondDB)
	if n := int64(c.World.Keyspace.Len()); i < 0 || i >= n || j < 0 || j >= n {
		c.Refuse(errDBIndex)
	}
	if !c.OK() {
		return
	}
	c.World.SwapDB(int(i), int(j))
	c.ChangedAll(1)
	c.Reply.Status("OK")
}
