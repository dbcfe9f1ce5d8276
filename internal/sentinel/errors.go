package sentinel

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of SENTINEL: those of Redis' Sentinel, but for errFixed and errNotLeader. The untyped
// ones are formats.
const (
	errNoMaster  = command.Error("ERR No such master with that name")
	errDuplicate = command.Error("ERR Duplicate master name.")
	errPort      = command.Error("ERR Invalid port")
	errQuorum    = command.Error("ERR Quorum must be 1 or greater.")
	errInvalid   = command.Error("ERR Invalid quorum")
	errNoReplica = command.Error("NOGOODSLAVE No suitable replica to promote")
	errUnderWay  = command.Error("INPROG Failover already in progress")
	errNoQuorum  = "NOQUORUM %d usable Sentinels. Not enough available Sentinels to reach the specified quorum for " +
		"this master. Not enough available Sentinels to reach the majority and authorize a failover"
	errFixed = command.Error("ERR A member of a group watches its own group. Use GROUP ADD, " +
		"GROUP REMOVE and CONFIG SET")
	errNotLeader = "ERR Only the leader hands over its seat; it is at %s"
)
