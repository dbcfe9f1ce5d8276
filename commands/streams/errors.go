package streams

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	// IDs and ranges.
	errID         = engine.Error("ERR Invalid stream ID specified as stream command argument")
	errRangeStart = engine.Error("ERR invalid start ID for the interval")
	errRangeEnd   = engine.Error("ERR invalid end ID for the interval")

	// XADD.
	errZeroID    = engine.Error("ERR The ID specified in XADD must be greater than 0-0")
	errSmallID   = engine.Error("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	errExhausted = engine.Error("ERR The stream has exhausted the last possible ID, unable to add more items")
	errTooLarge  = engine.Error("ERR Elements are too large to be stored")

	// IDMP and IDMPAUTO of XADD.
	errProducerTwice   = engine.Error("ERR syntax error, IDMP/IDMPAUTO specified multiple times")
	errAutoProducer    = engine.Error("ERR syntax error, IDMPAUTO requires a non-empty producer ID")
	errProducer        = engine.Error("ERR syntax error, IDMP requires a non-empty producer ID")
	errIdempotentEmpty = engine.Error("ERR syntax error, IDMP requires a non-empty idempotent ID")
	errIdempotentID    = engine.Error("ERR syntax error, IDMP/IDMPAUTO can be used only with auto-generated IDs")

	// XCFGSET and XIDMPRECORD.
	errDuration       = engine.Error("ERR IDMP-DURATION must be between 1 and 86400 seconds")
	errDurationTwice  = engine.Error("ERR IDMP-DURATION specified multiple times")
	errMaxSize        = engine.Error("ERR IDMP-MAXSIZE must be between 1 and 10000 entries")
	errMaxSizeTwice   = engine.Error("ERR IDMP-MAXSIZE specified multiple times")
	errNoLimit        = engine.Error("ERR At least one parameter must be specified")
	errRecordProducer = engine.Error("ERR producer ID must be non-empty")
	errRecordID       = engine.Error("ERR idempotent ID must be non-empty")
	errNoMessage      = engine.Error("ERR No such message in stream")
	errOtherMessage   = engine.Error("ERR IID already exists for this producer with a different stream ID")

	// XSETID.
	errAddedNegative       = engine.Error("ERR entries_added must be positive")
	errAddedSmall          = engine.Error("ERR The entries_added specified in XSETID is smaller than the target stream length")
	errLastBelowDeleted    = engine.Error("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
	errLastBelowMaxDeleted = engine.Error("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id")
	errLastBelowTop        = engine.Error("ERR The ID specified in XSETID is smaller than the target stream top item")

	// Trimming, in XADD and XTRIM.
	errTrimTwice      = engine.Error("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
	errTrimLength     = engine.Error("ERR The MAXLEN argument must be >= 0.")
	errTrimLimit      = engine.Error("ERR The LIMIT argument must be >= 0.")
	errTrimLimitAlone = engine.Error("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
	errTrimLimitExact = engine.Error("ERR syntax error, LIMIT cannot be used without the special ~ option")
	errTrimNothing    = engine.Error("ERR syntax error, XTRIM must be called with a trimming strategy")

	// XDELEX and XACKDEL.
	errIDCount    = engine.Error("ERR Number of IDs must be a positive integer")
	errIDCountOff = engine.Error("ERR The `numids` parameter must match the number of arguments")
	errIDsMissing = engine.Error("ERR IDS option is required")

	// XNACK. Redis puts the code before texts that begin with it already.
	errNackMode   = engine.Error("ERR ERR mode must be SILENT, FAIL, or FATAL")
	errNackIDs    = engine.Error("ERR numids must be a positive integer")
	errNackIDsOff = engine.Error("ERR ERR number of IDs doesn't match numids")
	errNackCount  = engine.Error("ERR ERR Invalid RETRYCOUNT value, must be >= 0")
	errNackNoIDs  = engine.Error("ERR ERR syntax error, expected IDS keyword")
	errNackOption = "ERR ERR Unrecognized XNACK option '%s'"

	// XREAD and XREADGROUP.
	errReadUnbalanced   = engine.Error("ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', or '$' must be specified.")
	errGroupUnbalanced  = engine.Error("ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.")
	errReadGroup        = engine.Error("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.")
	errReadNoAck        = engine.Error("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.")
	errReadClaim        = engine.Error("ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.")
	errReadIdle         = engine.Error("ERR min-idle-time is not an integer or out of range")
	errReadIdleNegative = engine.Error("ERR min-idle-time must be a positive integer")
	errReadGroupMissing = engine.Error("ERR Missing GROUP option for XREADGROUP")
	errReadGreater      = engine.Error("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.")
	errReadDollar       = engine.Error("ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.")
	errReadPlus         = engine.Error("ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.")
	errReadNoKeyOrGroup = "NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option"

	// Consumer groups.
	errGroupRead    = engine.Error("ERR value for ENTRIESREAD must be positive or -1")
	errGroupNoKey   = engine.Error("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.")
	errNoGroup      = "NOGROUP No such consumer group '%s' for key name '%s'"
	errGroupExists  = engine.Error("BUSYGROUP Consumer Group name already exists")
	errNoKeyOrGroup = "NOGROUP No such key '%s' or consumer group '%s'"

	// XCLAIM and XAUTOCLAIM.
	errClaimIdle       = engine.Error("ERR Invalid min-idle-time argument for XCLAIM")
	errClaimIdleOption = engine.Error("ERR Invalid IDLE option argument for XCLAIM")
	errClaimTime       = engine.Error("ERR Invalid TIME option argument for XCLAIM")
	errClaimCount      = engine.Error("ERR Invalid RETRYCOUNT option argument for XCLAIM")
	errClaimOption     = "ERR Unrecognized XCLAIM option '%s'"
	errAutoClaimIdle   = engine.Error("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	errAutoClaimCount  = engine.Error("ERR COUNT must be > 0")
)
