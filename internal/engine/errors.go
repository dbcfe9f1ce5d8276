package engine

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of the engine's own commands, and those that several families share, in Redis' words
// (8.0; see [command.Wording]). A text with a %s or %d in it is a plain string and not an Error:
// [command.Errorf] and [Call.Refusef] complete it.
const (
	ErrSyntax    = command.Error("ERR syntax error")
	ErrWrongType = command.Error("WRONGTYPE Operation against a key holding the wrong kind of value")
	ErrNotInt    = command.Error("ERR value is not an integer or out of range")
	ErrNotFloat  = command.Error("ERR value is not a valid float")
	ErrNoKey     = command.Error("ERR no such key")
	// Half a pair; the second argument is its name before 7.0.
	ErrPairsArity = "ERR wrong number of arguments for '%[1]s' command"
	ErrSubArgs    = "ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."

	ErrNoAuth      = command.Error("NOAUTH Authentication required.")
	ErrOOM         = command.Error("OOM command not allowed when used memory > 'maxmemory'.")
	ErrLoading     = command.Error("LOADING Redis is loading the dataset in memory")
	ErrReadOnly    = command.Error("READONLY You can't write against a read only replica.")
	ErrMasterDown  = command.Error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.")
	ErrRoleChanged = command.Error("UNBLOCKED force unblock from blocking operation, " +
		"instance state changed (master -> replica?)")
	ErrMoved       = "MOVED %d %s"
	ErrAsk         = "ASK %d %s"
	ErrStaleScript = command.Error("ERR Can not execute the command on a stale replica")
	ErrNoScript    = command.Error("NOSCRIPT No matching script. Please use EVAL.")
	ErrNoReplicas  = command.Error("NOREPLICAS Not enough good replicas to write.")
	errNotInTx     = command.Error("ERR Command not allowed inside a transaction")
	ErrSubscribed  = "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are " +
		"allowed in this context"
	ErrScriptDenied = command.Error("ERR This Redis command is not allowed from script")
	ErrScriptKilled = command.Error("ERR Script killed by user with SCRIPT KILL...")
	ErrReplySize    = command.Error("ERR not enough memory for the reply")
	ErrReadOnlyTx   = command.Error("ERR Write commands are not allowed from read-only scripts.")

	ErrExecAbort    = command.Error("EXECABORT Transaction discarded because of previous errors.")
	ErrExecRefused  = "EXECABORT Transaction discarded because of: %s"
	ErrTimeoutFloat = command.Error("ERR timeout is not a float or out of range")
	ErrTimeoutRange = command.Error("ERR timeout is out of range")
	ErrTimeoutNeg   = command.Error("ERR timeout is negative")
	ErrUnblocked    = command.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")
	ErrExpireTime   = "ERR invalid expire time in '%s' command"

	// Connections.
	ErrClientInfo = "ERR %s cannot contain spaces, newlines or special characters."
	ErrWrongPass  = command.Error("WRONGPASS invalid username-password pair or user is disabled.")
	ErrTimeoutInt = command.Error("ERR timeout is not an integer or out of range")

	// The server.
	ErrNoConfigFile = command.Error("ERR The server is running without a config file")
	ErrShutdown     = command.Error("ERR Errors trying to SHUTDOWN. Check logs.")
	ErrReplicaReads = command.Error("ERR Replica can't interact with the keyspace")
	ErrNotHome      = command.Error("ERR This command is not available inside a world. " +
		"Only the world of new connections has files and replicas.")
	ErrNoDebug = command.Error("ERR DEBUG command not allowed. " +
		"If the enable-debug-command option is set to \"local\", you can run it from a local connection, " +
		"otherwise you need to set this option in the configuration file, and then restart the server.")
	errSliceSize     = command.Error("array-slice-size must be a power of two")
	errSparseMost    = command.Error("array-sparse-kmax must be greater than array-sparse-kmin when non-zero")
	errSparseLeast   = command.Error("array-sparse-kmin must be less than array-sparse-kmax")
	errParamEvents   = command.Error("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	ErrRewriteAll    = command.Error("ERR CONFIG-REWRITE-FORCE-ALL failed: Bad address")
	ErrNoClientLimit = command.Error("ERR maxmemory-clients is disabled.")

	// What several families of data commands reply.
	ErrOverflow      = command.Error("ERR increment or decrement would overflow")
	ErrFloatOverflow = command.Error("ERR increment would produce NaN or Infinity")
	ErrElementsCount = "ERR Number of %s must be a positive integer"
	ErrRange         = "ERR value is out of range, value must between %d and %d"
	ErrNegativeLimit = command.Error("ERR LIMIT can't be negative")
	ErrNotPositive   = command.Error("ERR value is out of range, must be positive")
	ErrNumKeys       = command.Error("ERR numkeys should be greater than 0")
	ErrIndex         = command.Error("ERR index out of range")

	// Users.
	ErrDeniedCommand    = "NOPERM User %s has no permissions to run the '%s' command"
	ErrDeniedKey        = command.Error("NOPERM No permissions to access a key")
	ErrDeniedChannel    = command.Error("NOPERM No permissions to access a channel")
	ErrDeniedDatabase   = command.Error("NOPERM No permissions to access database")
	ErrDeniedDatabaseTx = command.Error("NOPERM ACLs rules changed between the moment the transaction was " +
		"accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission")
	ErrDeniedDatabaseLua = command.Error("ERR ACL failure in script: No permissions to access database")
	ErrDeniedCommandTx   = command.Error("NOPERM ACLs rules changed between the moment the transaction was " +
		"accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to " +
		"execute the command or subcommand")
	ErrDeniedKeyTx = command.Error("NOPERM ACLs " +
		"rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: no permission to touch the specified keys")
	ErrDeniedChannelTx = command.Error("NOPERM ACLs rules changed between the moment the transaction was " +
		"accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to " +
		"access one of the channels used as arguments to the command")
	ErrDeniedCommandLua = "ERR ACL failure in script: User %s has no permissions to run the '%s' command"
	ErrDeniedKeyLua     = command.Error("ERR ACL failure in script: No permissions to access a key")
	ErrDeniedChannelLua = command.Error("ERR ACL failure in script: No permissions to access a channel")

	// Clusters and modules.
	ErrCrossSlot       = command.Error("CROSSSLOT Keys in request don't hash to the same slot")
	ErrCrossSlotCall   = "ERR Command '%s' in script attempted to access keys that don't hash to the same slot"
	ErrCrossSlotScript = command.Error("ERR Script attempted to access keys that do not hash to the same slot")
	ErrClusterDown     = command.Error("CLUSTERDOWN The cluster is down")
	errClusterReads    = command.Error("CLUSTERDOWN The cluster is down and only accepts read commands")
	errUnservedSlot    = command.Error("CLUSTERDOWN Hash slot not served")
	errNotLocal        = command.Error("ERR Script attempted to access a non local key in a cluster node")
	errTryMoved        = command.Error("TRYAGAIN The hash slot is about to be served here")
	errTryAgain        = command.Error("TRYAGAIN Multiple keys request during rehashing of slot")
	ErrNotInCluster    = "ERR %s is not allowed in cluster mode"
)
