package engine

// Error is an error that clients see, in Redis' words. A constant Error becomes an error without
// an allocation.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// Every error sentence that the engine's commands send stands here once, in Redis' words (7.0 to
// 7.4). A sentence with a verb in it is a plain string, which is no error: fmt.Errorf and
// [Call.Refusef] complete it.
const (
	ErrSyntax         = Error("ERR syntax error")
	ErrWrongType      = Error("WRONGTYPE Operation against a key holding the wrong kind of value")
	ErrNotInt         = Error("ERR value is not an integer or out of range")
	ErrNotFloat       = Error("ERR value is not a valid float")
	ErrNoKey          = Error("ERR no such key")
	ErrArity          = "ERR wrong number of arguments for '%s' command"
	ErrUnknownCommand = "ERR unknown command '%s', with args beginning with: %s"
	ErrSubArgs        = "ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."
	ErrUnknownSub     = "ERR unknown subcommand '%s'. Try %s HELP."

	ErrNoAuth       = Error("NOAUTH Authentication required.")
	ErrOOM          = Error("OOM command not allowed when used memory > 'maxmemory'.")
	ErrLoading      = Error("LOADING Redis is loading the dataset in memory")
	ErrNotInTx      = Error("ERR Command not allowed inside a transaction")
	ErrSubscribed   = "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
	ErrScriptDenied = Error("ERR This Redis command is not allowed from script")
	ErrScriptKilled = Error("ERR Script killed by user with SCRIPT KILL...")
	ErrReadOnlyTx   = Error("ERR Write commands are not allowed from read-only scripts.")

	ErrNestedMulti   = Error("ERR MULTI calls can not be nested")
	ErrExecNoMulti   = Error("ERR EXEC without MULTI")
	ErrDiscardNoTx   = Error("ERR DISCARD without MULTI")
	ErrWatchInMulti  = Error("ERR WATCH inside MULTI is not allowed")
	ErrExecAbort     = Error("EXECABORT Transaction discarded because of previous errors.")
	ErrExecRefused   = "EXECABORT Transaction discarded because of: %s"
	ErrTimeoutFloat  = Error("ERR timeout is not a float or out of range")
	ErrTimeoutRange  = Error("ERR timeout is out of range")
	ErrTimeoutNeg    = Error("ERR timeout is negative")
	ErrUnblocked     = Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")
	ErrDBIndex       = Error("ERR DB index is out of range")
	ErrExpireTime    = "ERR invalid expire time in '%s' command"
	ErrInvalidCursor = Error("ERR invalid cursor")

	// Connections.
	ErrNoPassword    = Error("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
	ErrWrongPass     = Error("WRONGPASS invalid username-password pair or user is disabled.")
	ErrProtoInt      = Error("ERR Protocol version is not an integer or out of range")
	ErrNoProto       = Error("NOPROTO unsupported protocol version")
	ErrHelloOption   = "ERR Syntax error in HELLO option '%s'"
	ErrHelloAuth     = Error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
	ErrClientName    = Error("ERR Client names cannot contain spaces, newlines or special characters.")
	ErrClientInfo    = "ERR %s cannot contain spaces, newlines or special characters."
	ErrClientOption  = "ERR Unrecognized option '%s'"
	ErrClientID      = Error("ERR Invalid client ID")
	ErrClientType    = "ERR Unknown client type '%s'"
	ErrNoClient      = Error("ERR No such client")
	ErrNoUser        = "ERR No such user '%s'"
	ErrKillID        = Error("ERR client-id should be greater than 0")
	ErrMaxAge        = Error("ERR maxage should be greater than 0")
	ErrMaxAgeInt     = Error("ERR maxage is not an integer or out of range")
	ErrPauseMode     = Error("ERR CLIENT PAUSE mode must be WRITE or ALL")
	ErrUnblockReason = Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
	ErrTimeoutInt    = Error("ERR timeout is not an integer or out of range")

	// Client side caching.
	ErrOneRedirect = Error("ERR A client can only redirect to a single other client")
	ErrNoRedirect  = Error("ERR The client ID you want redirect to does not exist")
	ErrPrefixBcast = Error("ERR PREFIX option requires BCAST mode to be enabled")
	ErrSwitchBcast = Error("ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.")
	ErrOptBcast    = Error("ERR OPTIN and OPTOUT are not compatible with BCAST")
	ErrOptBoth     = Error("ERR You can't specify both OPTIN mode and OPTOUT mode")
	ErrSwitchOpt   = Error("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.")
	ErrPrefixOld   = "ERR Prefix '%s' overlaps with an existing prefix '%s'. Prefixes for a single client must not overlap."
	ErrPrefixNew   = "ERR Prefix '%s' overlaps with another provided prefix '%s'. Prefixes for a single client must not overlap."
	ErrCachingOff  = Error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	ErrCachingYes  = Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	ErrCachingNo   = Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")

	// The server.
	ErrConfigSet     = "ERR CONFIG SET failed (possibly related to argument '%s') - %s"
	ErrConfigUnknown = "ERR Unknown option or number of arguments for CONFIG SET - '%s'"
	ErrNoConfigFile  = Error("ERR The server is running without a config file")
	ErrKeysCommand   = Error("ERR Invalid command specified")
	ErrKeysNone      = Error("ERR The command has no key arguments")
	ErrKeysArity     = Error("ERR Invalid number of arguments specified for command")
	ErrKeysArgs      = Error("ERR Invalid arguments specified for command")
	ErrSlowlogCount  = Error("ERR count should be greater than or equal to -1")
	ErrNoShutdown    = Error("ERR No shutdown in progress.")
	ErrShutdown      = Error("ERR Errors trying to SHUTDOWN. Check logs.")
	ErrNoSamples     = "ERR No samples available for event '%s'"
	ErrReplicaReads  = Error("ERR Replica can't interact with the keyspace")
	ErrNoDebug       = Error("ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")
	ErrOnlyRESP3     = Error("ERR RESP2 is not supported by this command")
	ErrRenameUnknown = Error("No such command in rename-command")
	ErrRenameTaken   = Error("Target command name already exists")
	ErrProtected     = Error("can't set protected config")
	ErrProtocolType  = Error("ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")

	// Hashes; the overflow sentences are those of strings too.
	ErrOverflow      = Error("ERR increment or decrement would overflow")
	ErrFloatOverflow = Error("ERR increment would produce NaN or Infinity")
	ErrHashNotInt    = Error("ERR hash value is not an integer")
	ErrHashNotFloat  = Error("ERR hash value is not a float")
	ErrNotFinite     = Error("ERR value is NaN or Infinity")

	// Deadlines of elements. The words are FIELDS and fields for hashes, and so on.
	ErrElementsWord   = "ERR Mandatory argument %s is missing or not at the right position"
	ErrElementsZero   = "ERR Parameter `num%s` should be greater than 0"
	ErrElementsCount  = "ERR Number of %s must be a positive integer"
	ErrElementsMatch  = "ERR The `num%s` parameter must match the number of arguments"
	ErrNegativeExpire = Error("ERR invalid expire time, must be >= 0")
	ErrFieldsOne      = Error("ERR Only one of FXX or FNX arguments can be specified")
	ErrFieldsTime     = Error("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified")
	ErrFieldsNoTime   = Error("ERR missing expire time")
	ErrFieldsNumber   = Error("ERR invalid number of fields")
	ErrFieldsOption   = "ERR unknown argument: %s"
	ErrMemberArgs     = Error("ERR Invalid number of arguments")
	ErrMemberUnit     = Error("ERR Invalid unit arg")
	ErrMemberType     = Error("ERR object type is unsupported")
	ErrMemberTTL      = Error("ERR Invalid arguments")

	// Random elements of hashes, sets and sorted sets.
	ErrOutOfRange = Error("ERR value is out of range")
	ErrRange      = "ERR value is out of range, value must between %d and %d"

	// Sorted sets.
	ErrZAddNXXX      = Error("ERR XX and NX options at the same time are not compatible")
	ErrZAddGTLTNX    = Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	ErrZAddIncr      = Error("ERR INCR option supports a single increment-element pair")
	ErrScoreNaN      = Error("ERR resulting score is not a number (NaN)")
	ErrScoreRange    = Error("ERR min or max is not a float")
	ErrLexRange      = Error("ERR min or max not valid string range item")
	ErrLimitByRank   = Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	ErrScoresByLex   = Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
	ErrNoInput       = "ERR at least 1 input key is needed for '%s' command"
	ErrWeight        = Error("ERR weight value is not a float")
	ErrNegativeLimit = Error("ERR LIMIT can't be negative")
	ErrNotPositive   = Error("ERR value is out of range, must be positive")
	ErrNumKeys       = Error("ERR numkeys should be greater than 0")
	ErrPopCount      = Error("ERR count should be greater than 0")

	// Sets.
	ErrKeyCount = Error("ERR Number of keys can't be greater than number of args")

	// Lists.
	ErrIndex          = Error("ERR index out of range")
	ErrRankZero       = Error("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list")
	ErrNegativeCount  = Error("ERR COUNT can't be negative")
	ErrNegativeMaxLen = Error("ERR MAXLEN can't be negative")

	// SORT.
	ErrSortNumber = Error("ERR One or more scores can't be converted into double")

	// Strings and keys.
	ErrStringTooLong = Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
	ErrOffset        = Error("ERR offset is out of range")
	ErrDecrement     = Error("ERR decrement would overflow")
	ErrLCSTypes      = Error("ERR The specified keys must contain string values")
	ErrLCSBoth       = Error("ERR If you want both the length and indexes, please just use IDX.")
	ErrLCSMemory     = Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
	ErrSameKey       = Error("ERR source and destination objects are the same")
	ErrExpireOption  = "ERR Unsupported option %s"
	ErrExpireNX      = Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	ErrExpireGTLT    = Error("ERR GT and LT options at the same time are not compatible")
	ErrFirstDB       = Error("ERR invalid first DB index")
	ErrSecondDB      = Error("ERR invalid second DB index")
	ErrIdleUnderLFU  = Error("ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	ErrFreqUnderLRU  = Error("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")

	// Users.
	ErrDeniedCommand    = "NOPERM this user has no permissions to run the '%s' command"
	ErrDeniedKey        = Error("NOPERM this user has no permissions to access one of the keys used as arguments")
	ErrDeniedChannel    = Error("NOPERM this user has no permissions to access one of the channels used as arguments")
	ErrDeniedCommandTx  = Error("NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to execute the command or subcommand")
	ErrDeniedKeyTx      = Error("NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to touch the specified keys")
	ErrDeniedChannelTx  = Error("NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to access one of the channels used as arguments to the command")
	ErrDeniedCommandLua = Error("ERR The user executing the script can't run this command or subcommand")
	ErrDeniedKeyLua     = Error("ERR The user executing the script can't access at least one of the keys mentioned in the command arguments")
	ErrDeniedChannelLua = Error("ERR The user executing the script can't publish to the channel mentioned in the command")
	ErrDryRunCommand    = "ERR Command '%s' not found"
	ErrDryRunDenied     = "This user has no permissions to run the '%s' command"
	ErrDryRunKey        = "This user has no permissions to access the '%s' key"
	ErrDryRunChannel    = "This user has no permissions to access the '%s' channel"
	ErrACLCategory      = "ERR Unknown category '%s'"
	ErrACLParenthesis   = "ERR Unmatched parenthesis in acl selector starting at '%s'."
	ErrACLRule          = "ERR Error in ACL SETUSER modifier '%s': %s"
	ErrUserName         = Error("ERR Usernames can't contain spaces or null characters")
	ErrDefaultUser      = Error("ERR The 'default' user cannot be removed")
	ErrNoSuchUser       = "ERR User '%s' not found"
	ErrGenPassBits      = Error("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
	ErrNoACLFile        = Error("ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration.")
	ErrACLSave          = Error("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
	errACLOpen          = "Error loading ACLs, opening file '%s': %s"
	errACLNoUser        = "%s:%d should start with user keyword followed by the username. "
	errACLTwice         = "WARNING: Duplicate user '%s' found on line %d. "
	errACLSelector      = "%s:%d: Unmatched parenthesis in selector definition."
	errACLRuleLine      = "%s:%d: Error in applying operation '%s': %s. "
	errACLLine          = "%s:%d: %s. "
	errACLUnchanged     = "%sWARNING: ACL errors detected, no change to the previously active ACL rules was performed"

	// Clusters and modules.
	ErrNoCluster = Error("ERR This instance has cluster support disabled")
	ErrNoModules = Error("ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")

	// Newer commands on strings.
	ErrDigest       = Error("ERR must be exactly 16 hexadecimal characters")
	ErrNotString    = Error("ERR Key should be of string type if conditions are specified")
	ErrCondition    = Error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")
	ErrPairCount    = Error("ERR invalid numkeys value")
	ErrPairs        = Error("ERR wrong number of key-value pairs")
	ErrOnlyIfNone   = Error("ERR ENX flag requires an expiration")
	ErrIncrementInf = Error("ERR BYFLOAT increment cannot be Infinity")
	ErrBoundInt     = "ERR %s is not an integer or out of range"
	ErrBoundFloat   = "ERR %s is not a valid float"
	ErrBoundOrder   = Error("ERR LBOUND can't be greater than UBOUND")
	ErrInfinite     = Error("ERR value cannot be Infinity")
	ErrApplied      = Error("ERR applied increment would overflow")
	ErrAppliedInf   = Error("ERR applied increment would be Infinity")

	// HyperLogLogs.
	ErrNoSketch    = Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	ErrSketch      = Error("INVALIDOBJ Corrupted HLL object detected")
	ErrNoSketchKey = Error("ERR The specified key does not exist")
	ErrNotSparse   = Error("ERR HLL encoding is not sparse")
	ErrSketchDebug = "ERR Unknown PFDEBUG subcommand '%s'"
	ErrSelfTest    = "TESTFAILED %s"

	// CL.THROTTLE, in redis-cell's words.
	ErrThrottleUsage = Error("Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]")
	ErrThrottleInt   = "Cell error: Store error: Couldn't parse as integer: %s"
	ErrThrottleZero  = Error("Cell error: Store error: Zero rates are not supported")

	// Bitmaps.
	ErrBit          = Error("ERR bit is not an integer or out of range")
	ErrBitArgument  = Error("ERR The bit argument must be 1 or 0.")
	ErrBitOffset    = Error("ERR bit offset is not an integer or out of range")
	ErrBitNot       = Error("ERR BITOP NOT must be called with a single source key.")
	ErrBitFieldType = Error("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
	ErrBitOverflow  = Error("ERR Invalid OVERFLOW type specified")
	ErrBitFieldRO   = Error("ERR BITFIELD_RO only supports the GET subcommand")

	// Places.
	ErrPlace          = "ERR invalid longitude,latitude pair %s,%s"
	ErrUnit           = Error("ERR unsupported unit provided. please use M, KM, FT, MI")
	ErrRadius         = Error("ERR need numeric radius")
	ErrNegativeRadius = Error("ERR radius cannot be negative")
	ErrWidth          = Error("ERR need numeric width")
	ErrHeight         = Error("ERR need numeric height")
	ErrNegativeBox    = Error("ERR height or width cannot be negative")
	ErrNoPlace        = Error("ERR could not decode requested zset member")
	ErrSearchCount    = Error("ERR COUNT must be > 0")
	ErrStoreWith      = "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options"
	ErrNoCenter       = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s"
	ErrNoShape        = "ERR exactly one of BYRADIUS and BYBOX can be specified for %s"
	ErrAnyCount       = Error("ERR the ANY argument requires COUNT argument")

	// Bloom filters, in RedisBloom's words, of which some have no code.
	ErrFilterRate          = Error("ERR bad error rate")
	ErrFilterRateRange     = Error("ERR error rate must be in the range (0.000000, 1.000000)")
	ErrFilterCapacity      = Error("ERR bad capacity")
	ErrFilterCapacityRange = Error("ERR capacity must be in the range [1, 1073741824]")
	ErrFilterNoGrowth      = Error("ERR no expansion")
	ErrFilterGrowth        = Error("ERR bad expansion")
	ErrFilterGrowthRange   = Error("ERR expansion must be in the range [0, 32768]")
	ErrFilterFixed         = Error("Nonscaling filters cannot expand")
	ErrFilterExists        = Error("ERR item exists")
	ErrFilterMemory        = Error("ERR Insufficient memory to create filter")
	ErrFilterCreate        = Error("ERR could not create filter")
	ErrFilterFull          = Error("ERR non scaling filter is full")
	ErrFilterStuck         = Error("ERR problem inserting into filter")
	ErrNoFilter            = Error("ERR not found")
	ErrFilterFact          = Error("Invalid information value")
	ErrInsertRate          = Error("Bad error rate")
	ErrInsertCapacity      = Error("Bad capacity")
	ErrInsertGrowth        = Error("Bad expansion")
	ErrInsertOption        = Error("Unknown argument received")
	ErrDumpIterator        = Error("Second argument must be numeric")
	ErrLoadIterator        = Error("ERR Second argument must be numeric")
	ErrBadData             = Error("ERR received bad data")
	ErrNoLayer             = Error("ERR invalid offset - no link found")
	ErrLongChunk           = Error("ERR invalid chunk - Too big for current filter")

	// Memory.
	ErrNoEncoding  = "ERR these data of a %s cannot be a %s"
	ErrOneEncoding = "ERR a %s has one encoding only"
	ErrNoThreshold = "ERR '%s' does not decide on the encoding of a %s"
	ErrNotPacked   = Error("ERR Not a ziplist encoded object.")

	// Streams.
	ErrStreamID        = Error("ERR Invalid stream ID specified as stream command argument")
	ErrStreamStart     = Error("ERR invalid start ID for the interval")
	ErrStreamEnd       = Error("ERR invalid end ID for the interval")
	ErrStreamZeroID    = Error("ERR The ID specified in XADD must be greater than 0-0")
	ErrStreamSmallID   = Error("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	ErrStreamExhausted = Error("ERR The stream has exhausted the last possible ID, unable to add more items")
	ErrStreamTooLarge  = Error("ERR Elements are too large to be stored")
	ErrStreamAdded     = Error("ERR entries_added must be positive")
	ErrStreamAddedLen  = Error("ERR The entries_added specified in XSETID is smaller than the target stream length")
	ErrStreamIDDeleted = Error("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
	ErrStreamIDTop     = Error("ERR The ID specified in XSETID is smaller than the target stream top item")
	ErrTrimTwice       = Error("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
	ErrTrimLength      = Error("ERR The MAXLEN argument must be >= 0.")
	ErrTrimLimit       = Error("ERR The LIMIT argument must be >= 0.")
	ErrTrimLimitAlone  = Error("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
	ErrTrimLimitExact  = Error("ERR syntax error, LIMIT cannot be used without the special ~ option")
	ErrTrimNothing     = Error("ERR syntax error, XTRIM must be called with a trimming strategy")
	ErrReadUnbalanced  = Error("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.")
	ErrReadGroup       = Error("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.")
	ErrReadNoAck       = Error("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.")
	ErrReadInScript    = "ERR %s command is not allowed with BLOCK option from scripts"
	ErrReadNoGroup     = Error("ERR Missing GROUP option for XREADGROUP")
	ErrReadNew         = Error("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.")
	ErrReadDollar      = Error("ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.")
	ErrReadPlus        = Error("ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.")
	ErrReadNoSuchGroup = "NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option"
	ErrReadKeyGone     = Error("UNBLOCKED the stream key no longer exists")
	ErrReadGroupGone   = Error("NOGROUP the consumer group this client was blocked on no longer exists")
	ErrGroupRead       = Error("ERR value for ENTRIESREAD must be positive or -1")
	ErrGroupNoKey      = Error("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.")
	ErrGroupNone       = "NOGROUP No such consumer group '%s' for key name '%s'"
	ErrGroupExists     = Error("BUSYGROUP Consumer Group name already exists")
	ErrNoSuchGroup     = "NOGROUP No such key '%s' or consumer group '%s'"
	ErrClaimIdle       = Error("ERR Invalid min-idle-time argument for XCLAIM")
	ErrClaimIdleOption = Error("ERR Invalid IDLE option argument for XCLAIM")
	ErrClaimTime       = Error("ERR Invalid TIME option argument for XCLAIM")
	ErrClaimCount      = Error("ERR Invalid RETRYCOUNT option argument for XCLAIM")
	ErrClaimOption     = "ERR Unrecognized XCLAIM option '%s'"
	ErrAutoClaimIdle   = Error("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	ErrAutoClaimCount  = Error("ERR COUNT must be > 0")
)
