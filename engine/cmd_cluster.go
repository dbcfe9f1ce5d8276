package engine

// What commands about clusters and modules answer in a server that is no node of a cluster and loads
// no modules: clients probe for both.

// Cluster is the family of clusters.
func Cluster() Family {
	const (
		operate = Admin | Stale
		change  = Admin | Stale | NoAsyncLoading
	)
	return Family{Group: "cluster", Commands: []Command{
		{Name: "asking", Arity: 1, Flags: Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection",
			Summary: "Allows the next command after a redirection."},
		{Name: "readonly", Arity: 1, Flags: Loading | Stale | Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection",
			Summary: "Allows reading from a replica of a cluster."},
		{Name: "readwrite", Arity: 1, Flags: Loading | Stale | Fast, Run: cmdCluster, Since: "3.0.0", ACL: "connection",
			Summary: "Ends reading from a replica of a cluster."},
		{Name: "cluster", Arity: -2, Since: "3.0.0", Summary: "A container for Redis Cluster commands.", Subs: []Command{
			{Name: "help", Arity: 2, Flags: Loading | Stale, Run: cmdCluster, Since: "5.0.0",
				Summary: "Returns helpful text about the different subcommands."},
			{Name: "addslots", Arity: -3, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<slot> [<slot> ...]",
				Summary: "Assigns new hash slots to a node."},
			{Name: "addslotsrange", Arity: -4, Flags: change, Run: cmdCluster, Since: "7.0.0", Args: "<start-slot> <end-slot> [<start-slot> <end-slot> ...]",
				Summary: "Assigns new ranges of hash slots to a node."},
			{Name: "bumpepoch", Arity: 2, Flags: change, Run: cmdCluster, Since: "3.0.0",
				Summary: "Advances the epoch of the cluster's configuration."},
			{Name: "count-failure-reports", Arity: 3, Flags: operate, Run: cmdCluster, Since: "3.0.0", Args: "<node-id>",
				Summary: "Returns the number of active failure reports of a node."},
			{Name: "countkeysinslot", Arity: 3, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Args: "<slot>",
				Summary: "Returns the number of keys in a hash slot."},
			{Name: "delslots", Arity: -3, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<slot> [<slot> ...]",
				Summary: "Takes hash slots from a node."},
			{Name: "delslotsrange", Arity: -4, Flags: change, Run: cmdCluster, Since: "7.0.0", Args: "<start-slot> <end-slot> [<start-slot> <end-slot> ...]",
				Summary: "Takes ranges of hash slots from a node."},
			{Name: "failover", Arity: -2, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "[FORCE|TAKEOVER]",
				Summary: "Makes a replica take its master's place."},
			{Name: "flushslots", Arity: 2, Flags: change, Run: cmdCluster, Since: "3.0.0",
				Summary: "Takes all hash slots from a node."},
			{Name: "forget", Arity: 3, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<node-id>",
				Summary: "Removes a node from the nodes table."},
			{Name: "getkeysinslot", Arity: 4, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Args: "<slot> <count>",
				Summary: "Returns the names of keys in a hash slot."},
			{Name: "info", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
				Summary: "Returns the state of a node."},
			{Name: "keyslot", Arity: 3, Flags: Stale, Run: cmdCluster, Since: "3.0.0", Args: "<key>",
				Summary: "Returns the hash slot of a key."},
			{Name: "links", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "7.0.0",
				Summary: "Returns the links between nodes."},
			{Name: "meet", Arity: -4, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<ip> <port> [<bus-port>]",
				Summary: "Makes nodes meet."},
			{Name: "myid", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
				Summary: "Returns the ID of a node."},
			{Name: "nodes", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
				Summary: "Returns a node's view of the cluster."},
			{Name: "replicas", Arity: 3, Flags: operate, Run: cmdCluster, Since: "5.0.0", Args: "<node-id>",
				Summary: "Returns the replicas of a node."},
			{Name: "replicate", Arity: 3, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<node-id>",
				Summary: "Makes a node a replica of another."},
			{Name: "reset", Arity: -2, Flags: operate | NoScript, Run: cmdCluster, Since: "3.0.0", Args: "[HARD|SOFT]",
				Summary: "Resets a node."},
			{Name: "saveconfig", Arity: 2, Flags: change, Run: cmdCluster, Since: "3.0.0",
				Summary: "Saves a node's state."},
			{Name: "set-config-epoch", Arity: 3, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<config-epoch>",
				Summary: "Sets the epoch of a node's configuration."},
			{Name: "setslot", Arity: -4, Flags: change, Run: cmdCluster, Since: "3.0.0", Args: "<slot> IMPORTING <node-id> or MIGRATING <node-id> or NODE <node-id> or STABLE",
				Summary: "Binds a hash slot to a node."},
			{Name: "shards", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "7.0.0",
				Summary: "Returns the shards of the cluster."},
			{Name: "slaves", Arity: 3, Flags: operate, Run: cmdCluster, Since: "3.0.0", Args: "<node-id>",
				Summary: "Returns the replicas of a node."},
			{Name: "slots", Arity: 2, Flags: Stale, Run: cmdCluster, Since: "3.0.0",
				Summary: "Returns which node serves which hash slots."},
		}},
	}}
}

// READONLY, CLUSTER INFO and all the others
func cmdCluster(c *Call) { c.Fail(ErrNoCluster) }

// Modules is the family of modules.
func Modules() Family {
	const load = Admin | NoScript | NoAsyncLoading
	return Family{Group: "server", Commands: []Command{
		{Name: "module", Arity: -2, Since: "4.0.0", Summary: "A container for module commands.", Subs: []Command{
			{Name: "list", Arity: 2, Flags: Admin | NoScript, Run: cmdModuleList, Since: "4.0.0",
				Summary: "Returns all loaded modules."},
			{Name: "load", Arity: -3, Flags: load, Run: cmdModuleLoad, Since: "4.0.0", Args: "<path> [<arg> ...]",
				Summary: "Loads a module."},
			{Name: "loadex", Arity: -3, Flags: load, Run: cmdModuleLoad, Since: "7.0.0",
				Args:    "<path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]",
				Summary: "Loads a module using extended parameters."},
			{Name: "unload", Arity: 3, Flags: load, Run: cmdModuleLoad, Since: "4.0.0", Args: "<name>",
				Summary: "Unloads a module."},
			helpLine("5.0.0"),
		}},
	}}
}

// MODULE LIST
func cmdModuleList(c *Call) { c.Reply.Array(0) }

// MODULE LOAD path [arg ...], MODULE LOADEX, MODULE UNLOAD name
func cmdModuleLoad(c *Call) { c.Fail(ErrNoModules) }
