// Package cluster is CLUSTER, ASKING, READONLY and READWRITE: the server as the only node of a
// cluster, its group as one, or a world as a node of a cluster in one process, which package shards
// makes. A server that is none of them refuses the commands: clients probe for a cluster.
//
//	cluster.go   the lines of the commands
//	node.go      what they say of nodes
//	slots.go     what they say of slots
//	change.go    how they change a cluster of several shards
//	nodes.go     which nodes there are: this one, those of its group or those of its cluster
//	address.go   where clients reach this one
//
// A node alone owns all hash slots and keeps them. Package slot knows which slot a key belongs to;
// whether a command may run here, and where a client is redirected to, is decided in package
// engine.
package cluster

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the commands about clusters, the parameter that makes the server a node of one, and
// their sections of INFO.
func Part(e *engine.Engine) engine.Part {
	enabled := config.Bool("cluster-enabled", &e.Config.Cluster).AtStart()
	return engine.Part{Families: []command.Family{family, trimming}, Params: []config.Param{enabled, databasesParam(e)},
		Sections: []engine.Section{{Name: "Cluster", Fill: fillEnabled},
			{Name: "Cluster Info", Asked: "cluster_info", Since: "valkey:9.1.0", Fill: fillInfo}}}
}

// databasesParam is cluster-databases. A cluster cannot have more databases than the server.
func databasesParam(e *engine.Engine) config.Param {
	return config.Int("cluster-databases", &e.Config.ClusterDatabases, 1, int64(e.Home().Keyspace.Len())).AtStart()
}

// fillEnabled writes the section Cluster of INFO.
func fillEnabled(w *engine.World, b *bytes.Buffer) {
	enabled := 0
	if w.Engine().Config.Cluster {
		enabled = 1
	}
	engine.Fields(b, "cluster_enabled", enabled)
}

var family = newFamily()

func newFamily() command.Family {
	unlinked := []command.Was{{Before: release.NoValkey, Edit: func(line *command.Line) {
		line.Run = func(c *engine.Call) { c.Reply.Status("OK") }
	}}, command.Before("7.0.0", "acl=keyspace -loading -stale")}
	return command.Family{Group: "cluster", Commands: []command.Line{
		{Name: "asking", Arity: 1, Flags: command.Fast, Run: inCluster(cmdAsking), Reply: "status", Since: "3.0.0",
			ACL: "connection", Was: []command.Was{command.Before("7.0.0", "acl=keyspace")},
			Summary: "Allows the next command after a redirection.", Complexity: "O(1)"},
		{Name: "readonly", Arity: 1, Flags: command.Loading | command.Stale | command.Fast,
			Run: inClusterOrGroup(cmdReadOnly), Reply: "status", Since: "3.0.0", ACL: "connection", Was: unlinked,
			Summary: "Allows reading from a replica of a cluster.", Complexity: "O(1)"},
		{Name: "readwrite", Arity: 1, Flags: command.Loading | command.Stale | command.Fast,
			Run: inClusterOrGroup(cmdReadWrite), Reply: "status", Since: "3.0.0", ACL: "connection", Was: unlinked,
			Summary: "Ends reading from a replica of a cluster.", Complexity: "O(1)"},
		{Name: "cluster", Arity: -2, Since: "3.0.0", Was: []command.Was{command.Before("7.0.0", "+random"),
			{Before: "7.0.0", Edit: func(line *command.Line) { line.Run = inCluster(cmdNoSub) }}},
			Complexity: "Depends on the subcommand",
			Summary:    "A container for Redis Cluster commands.", Subs: clusterSubs()},
	}, Wordings: clusterWordings}
}

// trimming is a command that Redis counts among those of the server.
var trimming = command.Family{Group: "server", Commands: []command.Line{
	{Name: "trimslots", Arity: -5, Flags: command.Write, Run: inCluster(cmdTrimSlots), Reply: "any",
		Since: "8.4.0", ACL: "keyspace dangerous",
		Syntax:     "<RANGES ranges=<numranges:integer slots=<startslot:integer endslot:integer>...>>",
		Summary:    "Removes the keys of hash slots that have moved away.",
		Complexity: "O(N), N being the number of keys"},
}}

// clusterWordings are the errors about clusters that read otherwise in older releases.
var clusterWordings = []command.Wording{
	{Before: "7.4.0 valkey:8.0.0", Error: engine.ErrCrossSlotCall,
		Was: "ERR Script attempted to access a non local key in a cluster node"},
	{Since: "valkey:9.1.0", Error: engine.ErrCrossSlotCall,
		Was: "ERR Attempted to access a non local key in a cluster node"},
	{Before: "7.2.0", Error: errBusPort, Was: "ERR Invalid TCP bus port specified: %s"},
	{Before: "7.2.0", Error: errBasePort, Was: "ERR Invalid TCP base port specified: %s"},
}

// clusterSubs are the subcommands of CLUSTER.
func clusterSubs() []command.Line {
	return slices.Concat(clusterNodeSubs(), clusterSlotSubs())
}

// Flags of subcommands that look at the cluster as an operator does, and of those that change it.
const (
	operateCluster = command.Admin | command.Stale
	changeCluster  = command.Admin | command.Stale | command.NoAsyncLoading
)

// clusterNodeSubs are those about nodes and the cluster as a whole.
func clusterNodeSubs() []command.Line {
	loading := []command.Was{command.Before(release.NoValkey, "+loading")}
	return []command.Line{
		{Name: "help", Arity: 2, Flags: command.Loading | command.Stale | command.Harmless | command.Help,
			Run: inCluster(engine.ReplyHelp), Reply: "array", Since: "5.0.0",
			Summary: "Returns helpful text about the different subcommands.", Complexity: "O(1)"},
		{Name: "bumpepoch", Arity: 2, Flags: changeCluster, Run: inCluster(cmdClusterBumpEpoch), Reply: "status",
			Since: "3.0.0", Summary: "Advances the epoch of the cluster's configuration.",
			Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "count-failure-reports", Arity: 3, Flags: operateCluster | command.Harmless,
			Run: inCluster(cmdClusterFailureReports), Reply: "integer", Since: "3.0.0",
			Syntax: "node-id", Summary: "Returns the number of active failure reports of a node.",
			History: "valkey:9.0.0 Ignores reports about a node that has failed.",
			Tips:    "nondeterministic_output", Complexity: "O(N), N being the number of failure reports"},
		{Name: "failover", Arity: -2, Flags: changeCluster,
			Run: inCluster(cmdClusterFailover), Reply: "status", Since: "3.0.0", Syntax: "options=[FORCE|TAKEOVER]",
			Summary: "Makes a replica take its master's place.", Complexity: "O(1)"},
		{Name: "forget", Arity: 3, Flags: changeCluster, Run: inCluster(cmdClusterForget), Reply: "status",
			Since: "3.0.0", Syntax: "node-id", Summary: "Removes a node from the nodes table.", Complexity: "O(1)"},
		{Name: "info", Arity: 2, Flags: command.Stale | command.Harmless,
			Run: inCluster(cmdClusterInfo), Reply: "text", Since: "3.0.0", Was: loading,
			Summary: "Returns the state of a node.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "links", Arity: 2, Flags: command.Stale | command.Harmless, Run: inCluster(cmdClusterLinks),
			Reply: "array", Since: "7.0.0", Summary: "Returns the links between nodes.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "meet", Arity: -4, Flags: changeCluster, Run: inCluster(cmdClusterMeet), Reply: "status", Since: "3.0.0",
			Syntax:  "ip port [cluster-bus-port(/cluster_bus_port):integer]@4.0.0",
			Summary: "Makes nodes meet.", Complexity: "O(1)", History: "4.0.0 Takes the port of the cluster bus."},
		{Name: "myid", Arity: 2, Flags: command.Stale | command.Harmless, Run: inCluster(cmdClusterMyID), Reply: "text",
			Since: "3.0.0", Was: loading, Summary: "Returns the ID of a node.", Complexity: "O(1)"},
		{Name: "myshardid", Arity: 2, Flags: command.Stale | command.Harmless,
			Run: inCluster(cmdClusterMyShardID), Reply: "text", Since: "7.2.0", Was: loading,
			Summary: "Returns the ID of the shard to which a node belongs.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "nodes", Arity: 2, Flags: command.Stale | command.Harmless, Run: inCluster(cmdClusterNodes),
			Reply: "text", Since: "3.0.0", Was: loading, Summary: "Returns a node's view of the cluster.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "replicas", Arity: 3, Flags: operateCluster | command.Harmless,
			Run: inCluster(cmdClusterReplicas), Reply: "list", Since: "5.0.0", Syntax: "node-id",
			Summary: "Returns the replicas of a node.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "replicate", Arity: -3, Flags: changeCluster,
			Run: inCluster(cmdClusterReplicate), Reply: "status", Since: "3.0.0",
			Was: []command.Was{{Before: "valkey:9.0.0",
				Edit: func(cmd *command.Line) { cmd.Arity, cmd.Syntax = 3, "node-id" }}},
			Syntax: "args=<node-id|no-one=<NO ONE>@valkey:9.0.0>", Summary: "Makes a node a replica of another.",
			Complexity: "O(1)", History: "valkey:9.0.0 `NO ONE` makes it a master."},
		{Name: "reset", Arity: -2, Flags: operateCluster | command.NoScript, Run: inCluster(cmdClusterReset),
			Reply: "status", Since: "3.0.0", Was: []command.Was{command.Before("7.0.0", "-noscript")},
			Syntax:  "reset-type(/hard_soft)=[HARD|SOFT]",
			Summary: "Resets a node.", Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "saveconfig", Arity: 2, Flags: changeCluster, Run: inCluster(cmdClusterSaveConfig), Reply: "status",
			Since: "3.0.0", Summary: "Saves a node's state.", Complexity: "O(1)"},
		{Name: "set-config-epoch", Arity: 3, Flags: changeCluster,
			Run: inCluster(cmdClusterSetEpoch), Reply: "status", Since: "3.0.0",
			Syntax: "config-epoch", Summary: "Sets the epoch of a node's configuration.", Complexity: "O(1)"},
		{Name: "shards", Arity: 2, Flags: command.Loading | command.Stale | command.Harmless,
			Run: inCluster(cmdClusterShards), Reply: "array", Since: "7.0.0",
			Summary: "Returns the shards of the cluster.", Tips: "nondeterministic_output",
			History: "valkey:9.1.0 Shows the IDs of shards, and the availability zones of nodes.",
			Was: []command.Was{{Before: "7.2.0",
				Edit: func(cmd *command.Line) { cmd.Flags &^= command.Loading }}},
			Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "slaves", Arity: 3, Flags: operateCluster | command.Harmless, Run: inCluster(cmdClusterReplicas),
			Reply: "list", Since: "3.0.0", Syntax: "node-id", Summary: "Returns the replicas of a node.",
			Tips: "nondeterministic_output", Complexity: "O(1)", Deprecated: "5.0.0 `CLUSTER REPLICAS`"},
	}
}

// clusterSlotSubs are those about hash slots.
func clusterSlotSubs() []command.Line {
	return []command.Line{
		{Name: "addslots", Arity: -3, Flags: changeCluster,
			Run: inCluster(cmdClusterAddSlots), Reply: "status", Since: "3.0.0", Syntax: "slot...",
			Summary: "Assigns new hash slots to a node.", Complexity: "O(N), N being the number of slots"},
		{Name: "addslotsrange", Arity: -4, Flags: changeCluster, Run: inCluster(cmdClusterAddSlotsRange),
			Reply: "status", Since: "7.0.0", Syntax: "range(/start-slot_end-slot)=<start-slot end-slot>...",
			Summary: "Assigns new ranges of hash slots to a node.", Complexity: "O(N), N being the number of slots"},
		{Name: "countkeysinslot", Arity: 3, Flags: command.Stale | command.Harmless,
			Run: inCluster(cmdClusterCountKeys), Reply: "integer", Since: "3.0.0",
			Syntax: "slot", Summary: "Returns the number of keys in a hash slot.", Complexity: "O(1)"},
		{Name: "delslots", Arity: -3, Flags: changeCluster,
			Run: inCluster(cmdClusterDelSlots), Reply: "status", Since: "3.0.0", Syntax: "slot...",
			Summary: "Takes hash slots from a node.", Complexity: "O(N), N being the number of slots"},
		{Name: "delslotsrange", Arity: -4, Flags: changeCluster, Run: inCluster(cmdClusterDelSlotsRange),
			Reply: "status", Since: "7.0.0", Syntax: "range(/start-slot_end-slot)=<start-slot end-slot>...",
			Summary: "Takes ranges of hash slots from a node.", Complexity: "O(N), N being the number of slots"},
		{Name: "flushslots", Arity: 2, Flags: changeCluster, Run: inCluster(cmdClusterFlushSlots), Reply: "status",
			Since: "3.0.0", Summary: "Takes all hash slots from a node.", Complexity: "O(1)"},
		{Name: "getkeysinslot", Arity: 4, Flags: command.Stale | command.Harmless, Run: inCluster(cmdClusterGetKeys),
			Reply: "list", Since: "3.0.0", Syntax: "slot count", Summary: "Returns the names of keys in a hash slot.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of keys asked for"},
		{Name: "keyslot", Arity: 3, Flags: command.Stale | command.Harmless,
			Run: cmdClusterKeySlot, Reply: "integer", Since: "3.0.0", Syntax: "key:string",
			Summary: "Returns the hash slot of a key.", Complexity: "O(N), N being the length of the key"},
		{Name: "migration", Arity: -4, Flags: changeCluster, Run: inCluster(cmdClusterMigration), Reply: "any",
			Since: "8.4.0",
			Syntax: "subcommand=<IMPORT import=<start-slot end-slot>...|CANCEL cancel=<ID task-id|ALL>|" +
				"STATUS status=<[ID task-id]|[ALL]>>",
			Help: "IMPORT <start-slot end-slot [start-slot end-slot ...]> |\n" +
				"STATUS [ID <task-id> | ALL] | CANCEL [ID <task-id> | ALL]\nStarts, shows or cancels moves of slots.",
			Summary: "Starts, shows or cancels moves of hash slots.", Complexity: "O(N), N being the number of slots"},
		{Name: "syncslots", Arity: -3, Flags: changeCluster, Run: inCluster(cmdClusterSyncSlots), Help: "-",
			Reply: "any", Since: "8.4.0 valkey:9.0.0",
			Was: []command.Was{{Before: release.NoValkey, Edit: func(line *command.Line) {
				line.Syntax, line.Tips, line.Flags = "", "", line.Flags|command.Internal
			}}},
			Syntax: "subcommand=<SYNC sync=<task-id slot-range=<start-slot end-slot>...>|RDBCHANNEL task-id|" +
				"SNAPSHOT-EOF|STREAM-EOF|ACK ack=<state offset>|FAIL error|CONF conf=<option... value...>>",
			Summary: "What nodes send each other while slots move.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "cancelslotmigrations", Arity: 2, Flags: changeCluster | command.AllDatabases,
			Run:   inCluster(cmdClusterCancelMigrations),
			Reply: "status", Since: "valkey:9.0.0", Help: "ALL\nCancels all moves of slots.",
			Summary: "Cancels all moves of hash slots.", Complexity: "O(N), N being the number of moves"},
		{Name: "flushslot", Arity: -3,
			Flags: command.Write | command.Admin | command.NoAsyncLoading | command.AllDatabases,
			Run:   inCluster(cmdClusterFlushSlot), Reply: "status", Since: "valkey:9.0.0", ACL: "keyspace", Help: "-",
			Syntax:  "slot flush-type=[ASYNC|SYNC]",
			Summary: "Removes the keys of a hash slot.", Complexity: "O(N), N being the number of keys"},
		{Name: "getslotmigrations", Arity: 2, Flags: changeCluster, Run: inCluster(cmdClusterGetMigrations),
			Reply: "array", Since: "valkey:9.0.0", Summary: "Returns the moves of hash slots.",
			Complexity: "O(N), N being the number of moves"},
		{Name: "migrateslots", Arity: -4, Flags: changeCluster | command.AllDatabases,
			Run:   inCluster(cmdClusterMigrateSlots),
			Reply: "status", Since: "valkey:9.0.0",
			Syntax: "migration-group=<slotsrange-token=SLOTSRANGE range=<start-slot end-slot>... " +
				"node-token=NODE node-id>...",
			Summary: "Moves hash slots to other nodes.", Complexity: "O(N), N being the number of slots"},
		{Name: "setslot", Arity: -4, Flags: changeCluster,
			Run: inCluster(cmdClusterSetSlot), Reply: "status", Since: "3.0.0",
			Syntax: "slot subcommand=<IMPORTING importing(node-id)|MIGRATING migrating(node-id)|NODE " +
				"node(node-id)|STABLE> [TIMEOUT timeout:integer]@valkey:8.0.0",
			Summary: "Binds a hash slot to a node.", Complexity: "O(1)", History: "valkey:8.0.0 The option `TIMEOUT`."},
		{Name: "slot-stats", Arity: -4, Flags: command.Loading | command.Stale | command.Harmless,
			Run: inCluster(cmdClusterSlotStats), Reply: "array", Since: "8.2.0 valkey:8.0.0",
			Syntax: "filter=<SLOTSRANGE slotsrange=<start-slot end-slot>|ORDERBY orderby=<metric [LIMIT limit] " +
				"order=[ASC|DESC]>>",
			Summary:    "Returns how much each slot of a node is used.",
			Tips:       "nondeterministic_output request_policy:all_shards",
			Complexity: "O(N), N being the number of slots"},
		{Name: "slots", Arity: 2, Flags: command.Loading | command.Stale | command.Harmless,
			Run: inCluster(cmdClusterSlots), Reply: "array", Since: "3.0.0",
			Summary: "Returns which node serves which hash slots.", Tips: "nondeterministic_output",
			Was: []command.Was{{Before: "7.2.0", Edit: func(cmd *command.Line) { cmd.Flags &^= command.Loading }},
				{Before: release.NoValkey, Edit: func(cmd *command.Line) { cmd.Deprecated = "" }}},
			Complexity: "O(N), N being the number of cluster nodes",
			History: "4.0.0 Shows the IDs of nodes.\n" +
				"7.0.0 Shows more about how to reach each node.\n" +
				"valkey:9.1.0 Shows the availability zones of nodes.",
			Deprecated: "7.0.0 `CLUSTER SHARDS`"},
	}
}
