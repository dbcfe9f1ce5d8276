package engine

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/release"
)

// What commands about clusters and modules answer in a server that is no node of a cluster and loads
// no modules: clients probe for both.

// Cluster is the family of clusters.
func Cluster() Family {
	unlinked := []Was{{release.NoValkey, func(cmd *Command) { cmd.Run = func(c *Call) { c.Reply.Status("OK") } }}, Before("7.0.0", "acl=keyspace -loading -stale")}
	return Family{Group: "cluster", Commands: []Command{
		{Name: "asking", Arity: 1, Flags: Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection", Was: []Was{Before("7.0.0", "acl=keyspace")},
			Summary: "Allows the next command after a redirection.", Complexity: "O(1)"},
		{Name: "readonly", Arity: 1, Flags: Loading | Stale | Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection", Was: unlinked,
			Summary: "Allows reading from a replica of a cluster.", Complexity: "O(1)"},
		{Name: "readwrite", Arity: 1, Flags: Loading | Stale | Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection", Was: unlinked,
			Summary: "Ends reading from a replica of a cluster.", Complexity: "O(1)"},
		{Name: "cluster", Arity: -2, Since: "3.0.0", Was: []Was{Before("7.0.0", "+random"), {"7.0.0", func(cmd *Command) { cmd.Run = cmdCluster }}},
			Complexity: "Depends on the subcommand", Summary: "A container for Redis Cluster commands.", Subs: clusterSubs()},
	}}
}

// clusterSubs are the subcommands of CLUSTER, ordered by name.
func clusterSubs() []Command {
	return slices.SortedFunc(slices.Values(append(clusterNodeSubs(), clusterSlotSubs()...)), func(a, b Command) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// Flags of subcommands that look at the cluster as an operator does, and of those that change it.
const (
	operateCluster = Admin | Stale
	changeCluster  = Admin | Stale | NoAsyncLoading
)

// clusterNodeSubs are those about nodes and the cluster as a whole.
func clusterNodeSubs() []Command {
	loading := []Was{Before(release.NoValkey, "+loading")}
	return []Command{
		{Name: "help", Arity: 2, Flags: Loading | Stale, Run: cmdCluster, Since: "5.0.0",
			Summary: "Returns helpful text about the different subcommands.", Complexity: "O(1)"},
		{Name: "bumpepoch", Arity: 2, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Summary: "Advances the epoch of the cluster's configuration.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "count-failure-reports", Arity: 3, Flags: operateCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "node-id", Summary: "Returns the number of active failure reports of a node.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of failure reports"},
		{Name: "failover", Arity: -2, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "options=[FORCE|TAKEOVER]", Summary: "Makes a replica take its master's place.", Complexity: "O(1)"},
		{Name: "forget", Arity: 3, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "node-id", Summary: "Removes a node from the nodes table.", Complexity: "O(1)"},
		{Name: "info", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Was: loading,
			Summary: "Returns the state of a node.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "links", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "7.0.0",
			Summary: "Returns the links between nodes.", Tips: "nondeterministic_output",
			Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "meet", Arity: -4, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "ip port [cluster-bus-port(/cluster_bus_port):integer]@4.0.0", Summary: "Makes nodes meet.", Complexity: "O(1)",
			History: "4.0.0 Takes the port of the cluster bus."},
		{Name: "myid", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Was: loading,
			Summary: "Returns the ID of a node.", Complexity: "O(1)"},
		{Name: "myshardid", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "7.2.0", Was: loading,
			Summary: "Returns the ID of the shard to which a node belongs.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "nodes", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Was: loading,
			Summary: "Returns a node's view of the cluster.", Tips: "nondeterministic_output",
			Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "replicas", Arity: 3, Flags: operateCluster, Run: cmdCluster, Since: "5.0.0",
			Syntax: "node-id", Summary: "Returns the replicas of a node.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "replicate", Arity: 3, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "node-id", Summary: "Makes a node a replica of another.", Complexity: "O(1)"},
		{Name: "reset", Arity: -2, Flags: operateCluster | NoScript, Run: cmdCluster, Since: "3.0.0", Was: []Was{Before("7.0.0", "-noscript")},
			Syntax: "reset-type(/hard_soft)=[HARD|SOFT]", Summary: "Resets a node.", Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "saveconfig", Arity: 2, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Summary: "Saves a node's state.", Complexity: "O(1)"},
		{Name: "set-config-epoch", Arity: 3, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "config-epoch", Summary: "Sets the epoch of a node's configuration.", Complexity: "O(1)"},
		{Name: "shards", Arity: 2, Flags: Loading | Stale, Run: cmdCluster, Since: "7.0.0",
			Summary: "Returns the shards of the cluster.", Tips: "nondeterministic_output",
			Was:        []Was{{Before: "7.2.0", Edit: func(cmd *Command) { cmd.Flags &^= Loading }}},
			Complexity: "O(N), N being the number of cluster nodes"},
		{Name: "slaves", Arity: 3, Flags: operateCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "node-id", Summary: "Returns the replicas of a node.", Tips: "nondeterministic_output",
			Complexity: "O(1)",
			Deprecated: "5.0.0 `CLUSTER REPLICAS`"},
	}
}

// clusterSlotSubs are those about hash slots.
func clusterSlotSubs() []Command {
	return []Command{
		{Name: "addslots", Arity: -3, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "slot...", Summary: "Assigns new hash slots to a node.",
			Complexity: "O(N), N being the number of slots"},
		{Name: "addslotsrange", Arity: -4, Flags: changeCluster, Run: cmdCluster, Since: "7.0.0",
			Syntax: "range(/start-slot_end-slot)=<start-slot end-slot>...", Summary: "Assigns new ranges of hash slots to a node.",
			Complexity: "O(N), N being the number of slots"},
		{Name: "countkeysinslot", Arity: 3, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
			Syntax: "slot", Summary: "Returns the number of keys in a hash slot.", Complexity: "O(1)"},
		{Name: "delslots", Arity: -3, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax: "slot...", Summary: "Takes hash slots from a node.",
			Complexity: "O(N), N being the number of slots"},
		{Name: "delslotsrange", Arity: -4, Flags: changeCluster, Run: cmdCluster, Since: "7.0.0",
			Syntax: "range(/start-slot_end-slot)=<start-slot end-slot>...", Summary: "Takes ranges of hash slots from a node.",
			Complexity: "O(N), N being the number of slots"},
		{Name: "flushslots", Arity: 2, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Summary: "Takes all hash slots from a node.", Complexity: "O(1)"},
		{Name: "getkeysinslot", Arity: 4, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
			Syntax: "slot count", Summary: "Returns the names of keys in a hash slot.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of keys asked for"},
		{Name: "keyslot", Arity: 3, Flags: Stale, Run: cmdClusterKeySlot, Since: "3.0.0",
			Syntax: "key:string", Summary: "Returns the hash slot of a key.",
			Complexity: "O(N), N being the length of the key"},
		{Name: "setslot", Arity: -4, Flags: changeCluster, Run: cmdCluster, Since: "3.0.0",
			Syntax:  "slot subcommand=<IMPORTING importing(node-id)|MIGRATING migrating(node-id)|NODE node(node-id)|STABLE> [TIMEOUT timeout:integer]@valkey:8.0.0",
			Summary: "Binds a hash slot to a node.", Complexity: "O(1)", History: "valkey:8.0.0 The option `TIMEOUT`."},
		{Name: "slot-stats", Arity: -4, Flags: Loading | Stale, Run: cmdCluster, Since: "8.2.0 valkey:8.0.0",
			Syntax:  "filter=<SLOTSRANGE slotsrange=<start-slot end-slot>|ORDERBY orderby=<metric [LIMIT limit] order=[ASC|DESC]>>",
			Summary: "Returns how much each slot of a node is used.", Tips: "nondeterministic_output request_policy:all_shards",
			Complexity: "O(N), N being the number of slots"},
		{Name: "slots", Arity: 2, Flags: Loading | Stale, Run: cmdCluster, Since: "3.0.0",
			Summary: "Returns which node serves which hash slots.", Tips: "nondeterministic_output",
			Was: []Was{{Before: "7.2.0", Edit: func(cmd *Command) { cmd.Flags &^= Loading }},
				{Before: release.NoValkey, Edit: func(cmd *Command) { cmd.Deprecated = "" }}},
			Complexity: "O(N), N being the number of cluster nodes",
			History: "4.0.0 Shows the IDs of nodes.\n" +
				"7.0.0 Shows more about how to reach each node.",
			Deprecated: "7.0.0 `CLUSTER SHARDS`"},
	}
}

// READONLY, CLUSTER INFO and all the others
func cmdCluster(c *Call) { c.Fail(ErrNoCluster) }

// slotsAlone is CLUSTER KEYSLOT in a server that is no node of a cluster.
var slotsAlone = release.From("valkey:9.1.0")

// CLUSTER KEYSLOT key
func cmdClusterKeySlot(c *Call) {
	if !c.Engine.Release.Offers(slotsAlone) {
		cmdCluster(c)
		return
	}
	c.Reply.Int(int64(keySlot(c.Arg())))
}

// keySlot returns the hash slot of a key in a cluster of 16384 slots. Only what stands in the first braces counts, if there
// is anything.
func keySlot(key []byte) uint16 {
	if _, rest, found := bytes.Cut(key, []byte("{")); found {
		if tag, _, closed := bytes.Cut(rest, []byte("}")); closed && len(tag) > 0 {
			key = tag
		}
	}
	return crc16(key) % 16384
}

// crc16 is the checksum of XMODEM: the polynomial 0x1021, from zero.
func crc16(text []byte) (sum uint16) {
	for _, b := range text {
		sum ^= uint16(b) << 8
		for range 8 {
			top := sum >> 15
			sum = sum<<1 ^ top*0x1021
		}
	}
	return sum
}

// Modules is the family of modules.
func Modules() Family {
	const load = Admin | NoScript | NoAsyncLoading
	return Family{Group: "server", Commands: []Command{
		{Name: "module", Arity: -2, Since: "4.0.0", Complexity: "Depends on the subcommand", Summary: "A container for module commands.", Subs: []Command{
			{Name: "list", Arity: 2, Flags: Admin | NoScript, Run: cmdModuleList, Since: "4.0.0",
				Summary: "Returns all loaded modules.", Tips: "nondeterministic_output_order",
				Complexity: "O(N), N being the number of modules"},
			{Name: "load", Arity: -3, Flags: load, Run: cmdModuleLoad, Since: "4.0.0",
				Syntax: "path [arg...]", Summary: "Loads a module.", Complexity: "O(1)"},
			{Name: "loadex", Arity: -3, Flags: load, Run: cmdModuleLoad, Since: "7.0.0",
				Syntax:  "path configs=[CONFIG name value]... [ARGS args...]",
				Summary: "Loads a module using extended parameters.",
				Help:    "<path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]", Complexity: "O(1)"},
			{Name: "unload", Arity: 3, Flags: load, Run: cmdModuleLoad, Since: "4.0.0",
				Syntax: "name", Summary: "Unloads a module.", Complexity: "O(1)"},
			HelpLine("5.0.0"),
		}},
	}}
}

// MODULE LIST
func cmdModuleList(c *Call) { c.Reply.Array(0) }

// MODULE LOAD path [arg ...], MODULE LOADEX, MODULE UNLOAD name
func cmdModuleLoad(c *Call) { c.Fail(ErrNoModules) }
