package cluster

import "github.com/miniserver-go/miniserver/internal/command"

// The errors have the texts of Redis, or of Valkey where only that has the command.
const (
	errBasePort       = "ERR Invalid base port specified: %s"
	errBusPort        = "ERR Invalid bus port specified: %s"
	errEpoch          = "ERR Invalid config epoch specified: %d"
	errEpochSet       = command.Error("ERR Node config epoch is already non-zero")
	errFailoverMaster = command.Error("ERR You should send CLUSTER FAILOVER to a replica")
	errFilterTwice    = command.Error("ERR Multiple filters of the same type are disallowed.")
	errFlushSlots     = command.Error("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.")
	errFailoverDown   = command.Error("ERR Master is down or failed, please use CLUSTER FAILOVER FORCE")
	errFixedNodes     = command.Error("ERR The nodes of this cluster are in one process, and stay what they are")
	errEpochKnows     = command.Error("ERR The user can assign a config epoch only when the node does not know any " +
		"other node.")
	errReplicateData    = command.Error("ERR To set a master the node must be empty and without assigned slots.")
	errReplicateReplica = command.Error("ERR I can only replicate a master, not a replica.")
	errSetSlotReplica   = command.Error("ERR You can use SETSLOT only with masters.")
	errSlotFree         = "ERR Slot %d is already unassigned"
	errSlotKeys         = "ERR Can't assign hashslot %d to a different node while I still hold keys for this " +
		"hash slot."
	errSlotNotOwned  = "ERR I'm not the owner of hash slot %d"
	errTargetReplica = command.Error("ERR Target node is not a master")
	errForgetSelf    = command.Error("ERR I tried hard but I can't forget myself...")
	errGroupNodes    = command.Error("ERR A group has all hash slots, and its members are the nodes: use GROUP ADD, " +
		"GROUP REMOVE and GROUP TRANSFER")
	errKeepsSlots    = command.Error("ERR The only node of a cluster keeps all hash slots")
	errNoCluster     = command.Error("ERR This instance has cluster support disabled")
	errNoSuchNode    = "ERR I don't know about node %s"
	errNodeAddress   = "ERR Invalid node address specified: %s:%s"
	errNotMaster     = command.Error("ERR The specified node is not a master")
	errOnlyNode      = command.Error("ERR This server is the only node of its cluster")
	errReplicateSelf = command.Error("ERR Can't replicate myself")
	errSetSlot       = command.Error("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP")
	errSlot          = command.Error("ERR Invalid slot")
	errSlotBusy      = "ERR Slot %d is already busy"
	errSlotCount     = command.Error("ERR Invalid slot or number of keys")
	errSlotLimit     = command.Error("ERR Limit has to lie in between 1 and 16384 (maximum number of slots).")
	errSlotMetric    = command.Error("ERR Unrecognized sort metric for ORDERBY.")
	errSlotOrder     = "ERR start slot number %d is greater than end slot number %d"
	errSlotOwned     = "ERR I'm already the owner of hash slot %d"
	errSlotTwice     = "ERR Slot %d specified multiple times"
	errRangeOwned    = command.Error("ERR this node is already the owner of the slot range")
	errSlotServed    = "ERR the slot %d is served by this node"
	errMigrateOrder  = "ERR Start slot number %d is greater than end slot number %d."
	errRangesMeet    = command.Error("ERR Slot ranges in migrations overlap")
	errMigrateSelf   = command.Error("ERR Target node can not be this node.")
	errNoMigrations  = command.Error("ERR No migrations ongoing")
	errNoSlotRange   = command.Error("ERR No slot ranges specified")
	errNodeName      = "ERR Invalid node name: %s"
	errNodeUnknown   = "ERR Unknown node name: %s"
	errNoRanges      = command.Error("ERR missing ranges argument")
	errRangeCount    = command.Error("ERR invalid number of ranges")
	errArgument      = command.Error("ERR unknown argument")
	errInternal      = command.Error("ERR CLUSTER SYNCSLOTS subcommands are only allowed for internal clients")
	errSlotRange     = command.Error("ERR Invalid or out of range slot")
	errStatsOrder    = "ERR Start slot number %d is greater than end slot number %d" // of CLUSTER SLOT-STATS since 8.6
	errUnknownNode   = "ERR Unknown node %s"
)
