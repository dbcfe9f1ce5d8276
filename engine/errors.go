package engine

// Every error sentence that the engine's commands send stands here once, in Redis' words (7.0 to
// 7.4). A sentence with a verb in it is completed by the function that sends it.
const (
	ErrSyntax         = "ERR syntax error"
	ErrWrongType      = "WRONGTYPE Operation against a key holding the wrong kind of value"
	ErrNotInt         = "ERR value is not an integer or out of range"
	ErrNotFloat       = "ERR value is not a valid float"
	ErrNoKey          = "ERR no such key"
	ErrArity          = "ERR wrong number of arguments for '%s' command"
	ErrUnknownCommand = "ERR unknown command '%s', with args beginning with: %s"
	ErrSubArgs        = "ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."
	ErrUnknownSub     = "ERR unknown subcommand '%s'. Try %s HELP."

	ErrNoAuth       = "NOAUTH Authentication required."
	ErrOOM          = "OOM command not allowed when used memory > 'maxmemory'."
	ErrBusyScript   = "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	ErrLoading      = "LOADING Redis is loading the dataset in memory"
	ErrNotInTx      = "ERR Command not allowed inside a transaction"
	ErrSubscribed   = "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
	ErrScriptDenied = "ERR This Redis command is not allowed from script"
	ErrScriptKilled = "ERR Script killed by user with SCRIPT KILL..."
	ErrReadOnlyTx   = "ERR Write commands are not allowed from read-only scripts."

	ErrNestedMulti   = "ERR MULTI calls can not be nested"
	ErrExecNoMulti   = "ERR EXEC without MULTI"
	ErrDiscardNoTx   = "ERR DISCARD without MULTI"
	ErrWatchInMulti  = "ERR WATCH inside MULTI is not allowed"
	ErrExecAbort     = "EXECABORT Transaction discarded because of previous errors."
	ErrExecRefused   = "EXECABORT Transaction discarded because of: "
	ErrTimeoutFloat  = "ERR timeout is not a float or out of range"
	ErrTimeoutRange  = "ERR timeout is out of range"
	ErrTimeoutNeg    = "ERR timeout is negative"
	ErrUnblocked     = "UNBLOCKED client unblocked via CLIENT UNBLOCK"
	ErrDBIndex       = "ERR DB index is out of range"
	ErrExpireTime    = "ERR invalid expire time in '%s' command"
	ErrInvalidCursor = "ERR invalid cursor"

	// Connections.
	ErrNoPassword    = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
	ErrWrongPass     = "WRONGPASS invalid username-password pair or user is disabled."
	ErrProtoInt      = "ERR Protocol version is not an integer or out of range"
	ErrNoProto       = "NOPROTO unsupported protocol version"
	ErrHelloOption   = "ERR Syntax error in HELLO option '%s'"
	ErrHelloAuth     = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
	ErrClientName    = "ERR Client names cannot contain spaces, newlines or special characters."
	ErrClientInfo    = "ERR %s cannot contain spaces, newlines or special characters."
	ErrClientOption  = "ERR Unrecognized option '%s'"
	ErrClientID      = "ERR Invalid client ID"
	ErrClientType    = "ERR Unknown client type '%s'"
	ErrNoClient      = "ERR No such client"
	ErrNoUser        = "ERR No such user '%s'"
	ErrKillID        = "ERR client-id should be greater than 0"
	ErrMaxAge        = "ERR maxage should be greater than 0"
	ErrMaxAgeInt     = "ERR maxage is not an integer or out of range"
	ErrPauseMode     = "ERR CLIENT PAUSE mode must be WRITE or ALL"
	ErrUnblockReason = "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"
	ErrTimeoutInt    = "ERR timeout is not an integer or out of range"

	// Client side caching.
	ErrOneRedirect = "ERR A client can only redirect to a single other client"
	ErrNoRedirect  = "ERR The client ID you want redirect to does not exist"
	ErrPrefixBcast = "ERR PREFIX option requires BCAST mode to be enabled"
	ErrSwitchBcast = "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode."
	ErrOptBcast    = "ERR OPTIN and OPTOUT are not compatible with BCAST"
	ErrOptBoth     = "ERR You can't specify both OPTIN mode and OPTOUT mode"
	ErrSwitchOpt   = "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode."
	ErrPrefixOld   = "ERR Prefix '%s' overlaps with an existing prefix '%s'. Prefixes for a single client must not overlap."
	ErrPrefixNew   = "ERR Prefix '%s' overlaps with another provided prefix '%s'. Prefixes for a single client must not overlap."
	ErrCachingOff  = "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled"
	ErrCachingYes  = "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."
	ErrCachingNo   = "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."

	// The server.
	ErrConfigSet     = "ERR CONFIG SET failed (possibly related to argument '%s') - %s"
	ErrConfigUnknown = "ERR Unknown option or number of arguments for CONFIG SET - '%s'"
	ErrNoConfigFile  = "ERR The server is running without a config file"
	ErrKeysCommand   = "ERR Invalid command specified"
	ErrKeysNone      = "ERR The command has no key arguments"
	ErrKeysArity     = "ERR Invalid number of arguments specified for command"
	ErrKeysArgs      = "ERR Invalid arguments specified for command"
	ErrSlowlogCount  = "ERR count should be greater than or equal to -1"
	ErrNoShutdown    = "ERR No shutdown in progress."
	ErrShutdown      = "ERR Errors trying to SHUTDOWN. Check logs."
	ErrWaitAOF       = "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."
	ErrBetween       = "ERR value is out of range, must between %d and %d"
	ErrNoReplication = "ERR this server replicates nothing; only REPLICAOF NO ONE is understood"
	ErrNoDebug       = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server."
	ErrProtocolType  = "ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false"

	// Hashes; the overflow sentences are those of strings too.
	ErrOverflow      = "ERR increment or decrement would overflow"
	ErrFloatOverflow = "ERR increment would produce NaN or Infinity"
	ErrHashNotInt    = "ERR hash value is not an integer"
	ErrHashNotFloat  = "ERR hash value is not a float"
	ErrNotFinite     = "ERR value is NaN or Infinity"

	// Random elements of hashes, sets and sorted sets.
	ErrOutOfRange = "ERR value is out of range"
	ErrRange      = "ERR value is out of range, value must between %d and %d"

	// Sorted sets.
	ErrZAddNXXX      = "ERR XX and NX options at the same time are not compatible"
	ErrZAddGTLTNX    = "ERR GT, LT, and/or NX options at the same time are not compatible"
	ErrZAddIncr      = "ERR INCR option supports a single increment-element pair"
	ErrScoreNaN      = "ERR resulting score is not a number (NaN)"
	ErrScoreRange    = "ERR min or max is not a float"
	ErrLexRange      = "ERR min or max not valid string range item"
	ErrLimitByRank   = "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"
	ErrScoresByLex   = "ERR syntax error, WITHSCORES not supported in combination with BYLEX"
	ErrNoInput       = "ERR at least 1 input key is needed for '%s' command"
	ErrWeight        = "ERR weight value is not a float"
	ErrNegativeLimit = "ERR LIMIT can't be negative"
	ErrNotPositive   = "ERR value is out of range, must be positive"
	ErrNumKeys       = "ERR numkeys should be greater than 0"
	ErrPopCount      = "ERR count should be greater than 0"

	// Sets.
	ErrKeyCount = "ERR Number of keys can't be greater than number of args"

	// Lists.
	ErrIndex          = "ERR index out of range"
	ErrRankZero       = "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list"
	ErrNegativeCount  = "ERR COUNT can't be negative"
	ErrNegativeMaxLen = "ERR MAXLEN can't be negative"

	// Strings and keys.
	ErrStringTooLong = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	ErrOffset        = "ERR offset is out of range"
	ErrDecrement     = "ERR decrement would overflow"
	ErrLCSTypes      = "ERR The specified keys must contain string values"
	ErrLCSBoth       = "ERR If you want both the length and indexes, please just use IDX."
	ErrLCSMemory     = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"
	ErrSameKey       = "ERR source and destination objects are the same"
	ErrExpireOption  = "ERR Unsupported option %s"
	ErrExpireNX      = "ERR NX and XX, GT or LT options at the same time are not compatible"
	ErrExpireGTLT    = "ERR GT and LT options at the same time are not compatible"
	ErrFirstDB       = "ERR invalid first DB index"
	ErrSecondDB      = "ERR invalid second DB index"
	ErrIdleUnderLFU  = "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
	ErrFreqUnderLRU  = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."

	// Newer commands on strings.

	// HyperLogLogs.
	ErrNoSketch    = "WRONGTYPE Key is not a valid HyperLogLog string value."
	ErrSketch      = "INVALIDOBJ Corrupted HLL object detected"
	ErrNoSketchKey = "ERR The specified key does not exist"
	ErrNotSparse   = "ERR HLL encoding is not sparse"
	ErrSketchDebug = "ERR Unknown PFDEBUG subcommand '%s'"
	ErrSelfTest    = "TESTFAILED %s"

	// CL.THROTTLE, in redis-cell's words.
	ErrThrottleUsage = "Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]"
	ErrThrottleInt   = "Cell error: Store error: Couldn't parse as integer: %s"
	ErrThrottleZero  = "Cell error: Store error: Zero rates are not supported"

	// Bitmaps.
	ErrBit          = "ERR bit is not an integer or out of range"
	ErrBitArgument  = "ERR The bit argument must be 1 or 0."
	ErrBitOffset    = "ERR bit offset is not an integer or out of range"
	ErrBitNot       = "ERR BITOP NOT must be called with a single source key."
	ErrBitFieldType = "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."
	ErrBitOverflow  = "ERR Invalid OVERFLOW type specified"
	ErrBitFieldRO   = "ERR BITFIELD_RO only supports the GET subcommand"

	// Places.
	ErrPlace          = "ERR invalid longitude,latitude pair "
	ErrUnit           = "ERR unsupported unit provided. please use M, KM, FT, MI"
	ErrRadius         = "ERR need numeric radius"
	ErrNegativeRadius = "ERR radius cannot be negative"
	ErrWidth          = "ERR need numeric width"
	ErrHeight         = "ERR need numeric height"
	ErrNegativeBox    = "ERR height or width cannot be negative"
	ErrNoPlace        = "ERR could not decode requested zset member"
	ErrSearchCount    = "ERR COUNT must be > 0"
	ErrStoreWith      = "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
	ErrNoCenter       = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s"
	ErrNoShape        = "ERR exactly one of BYRADIUS and BYBOX can be specified for %s"
	ErrAnyCount       = "ERR the ANY argument requires COUNT argument"
)
