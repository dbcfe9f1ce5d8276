package replication

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of replication, in the words of Redis 7.0 except for what Redis can do and this server
// cannot.
const (
	errPending   = command.Error("ERR SYNC and PSYNC are invalid with pending output")
	errGroupSync = command.Error("ERR The members of a group have no replicas")
	errNeedsEOF  = command.Error("ERR Filtered replica requires EOF capability")
	errFailover  = command.Error("ERR PSYNC FAILOVER can't be sent to a master.")

	errWaitAOF = command.Error(
		"ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")
	errFailoverNone      = command.Error("ERR No failover in progress.")
	errFailoverNoReplica = command.Error("ERR FAILOVER requires connected replicas.")
	errFailoverTimeout   = command.Error("ERR FAILOVER timeout must be greater than 0")
	errClusterReplica    = command.Error("ERR REPLICAOF not allowed in cluster mode.")
	errFailoverCluster   = command.Error("ERR FAILOVER not allowed in cluster mode.")
	errGroupReplica      = command.Error("ERR REPLICAOF not allowed in a group. Use GROUP TRANSFER.")
	errFailoverGroup     = command.Error("ERR FAILOVER not allowed in a group. Use GROUP TRANSFER.")
	errFailoverTwice     = command.Error("ERR FAILOVER already in progress.")
	errFailoverReplica   = command.Error("ERR FAILOVER is not valid when server is a replica.")
	errFailoverForce     = command.Error(
		"ERR FAILOVER with force option requires both a timeout and target HOST and IP.")
	errFailoverTarget      = command.Error("ERR FAILOVER target HOST and PORT is not a replica.")
	errFailoverOffline     = command.Error("ERR FAILOVER target replica is not online.")
	errFailoverID          = command.Error("ERR PSYNC FAILOVER replid must match my replid.")
	errReplicaOfInFailover = command.Error("ERR REPLICAOF not allowed while failing over.")
	errMasterPort          = command.Error("ERR Invalid master port")
	errMasterWords         = command.Error("wrong number of arguments: replicaof needs a host and a port, " +
		"with a blank between them")
	errNoMasterLink = command.Error("NOMASTERLINK Can't SYNC while not connected with my master")
	errWait         = command.Error("ERR WAIT cannot be used with replica instances. " +
		"Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) " +
		"writes to replicas are just local and are not propagated.")
	errWaitAOFReplica = command.Error("ERR WAITAOF cannot be used with replica instances. " +
		"Please also note that writes to replicas are just local and are not propagated.")
	errReplConf       = "ERR Unrecognized REPLCONF option: %s"
	errReplConfOnly   = command.Error("ERR value is out of range, value must between 0 and 1")
	errReplicaAddress = "ERR REPLCONF ip-address provided by replica instance is too long: %d bytes"
	errReplicaVersion = "ERR Unrecognized version format: %s"
	errFilter         = "ERR Unsupported rdb-filter-only option: %s"
	errFilterQuotes   = command.Error("ERR Missing rdb-filter-only values")
)

// errEnded is why a link stops that was ended.
var errEnded = errors.New("the link to the master has ended")
