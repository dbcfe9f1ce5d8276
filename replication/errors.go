package replication

import "github.com/miniserver-go/miniserver/engine"

// The errors of replication, in the words of Redis 7.0 except for what Redis can do and this server cannot.
const (
	errPending  = engine.Error("ERR SYNC and PSYNC are invalid with pending output")
	errNeedsEOF = engine.Error("ERR Filtered replica requires EOF capability")
	errFailover = engine.Error("ERR PSYNC FAILOVER can't be sent to a master.")

	errWaitAOF           = engine.Error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")
	errFailoverNone      = engine.Error("ERR No failover in progress.")
	errFailoverNoReplica = engine.Error("ERR FAILOVER requires connected replicas.")
	errFailoverTimeout   = engine.Error("ERR FAILOVER timeout must be greater than 0")
	errClusterReplica    = engine.Error("ERR REPLICAOF not allowed in cluster mode.")
	errNoMaster          = engine.Error("ERR this server cannot be a replica; only REPLICAOF NO ONE is supported")
	errNoFailover        = engine.Error("ERR this server does not support failover to a replica")
	errReplConf          = "ERR Unrecognized REPLCONF option: %s"
	errReplConfOnly      = engine.Error("ERR value is out of range, value must between 0 and 1")
	errReplicaAddress    = "ERR REPLCONF ip-address provided by replica instance is too long: %d bytes"
	errFilter            = "ERR Unsupported rdb-filter-only option: %s"
	errFilterQuotes      = engine.Error("ERR Missing rdb-filter-only values")
)
