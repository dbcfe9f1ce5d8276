package streams

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	// IDs and ranges.
	errID         = command.Error("ERR Invalid stream ID specified as stream command argument")
	errRangeStart = command.Error("ERR invalid start ID for the interval")
	errRangeEnd   = command.Error("ERR invalid end ID for the interval")

	// XADD.
	errZeroID    = command.Error("ERR The ID specified in XADD must be greater than 0-0")
	errSmallID   = command.Error("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	errExhausted = command.Error("ERR The stream has exhausted the last possible ID, unable to add more items")
	errTooLarge  = command.Error("ERR Elements are too large to be stored")

	// IDMP and IDMPAUTO of XADD.
	errProducerTwice   = command.Error("ERR syntax error, IDMP/IDMPAUTO specified multiple times")
	errAutoProducer    = command.Error("ERR syntax error, IDMPAUTO requires a non-empty producer ID")
	errProducer        = command.Error("ERR syntax error, IDMP requires a non-empty producer ID")
	errIdempotentEmpty = command.Error("ERR syntax error, IDMP requires a non-empty idempotent ID")
	errIdempotentID    = command.Error("ERR syntax error, IDMP/IDMPAUTO can be used only with auto-generated IDs")

	// XCFGSET and XIDMPRECORD.
	errDuration       = command.Error("ERR IDMP-DURATION must be between 1 and 86400 seconds")
	errDurationTwice  = command.Error("ERR IDMP-DURATION specified multiple times")
	errMaxSize        = command.Error("ERR IDMP-MAXSIZE must be between 1 and 10000 entries")
	errMaxSizeTwice   = command.Error("ERR IDMP-MAXSIZE specified multiple times")
	errNoLimit        = command.Error("ERR At least one parameter must be specified")
	errRecordProducer = command.Error("ERR producer ID must be non-empty")
	errRecordID       = command.Error("ERR idempotent ID must be non-empty")
	errNoMessage      = command.Error("ERR No such message in stream")
	errOtherMessage   = command.Error("ERR IID already exists for this producer with a different stream ID")

	// XSETID.
	errAddedNegative = command.Error("ERR entries_added must be positive")
	errAddedSmall    = command.Error("ERR The entries_added specified in XSETID is smaller than the target " +
		"stream length")
	errLastBelowDeleted = command.Error("ERR The ID specified in XSETID is smaller than the provided " +
		"max_deleted_entry_id")
	errLastBelowMaxDeleted = command.Error("ERR The ID specified in XSETID is smaller than current " +
		"max_deleted_entry_id")
	errLastBelowTop = command.Error("ERR The ID specified in XSETID is smaller than the target stream top item")

	// Trimming, in XADD and XTRIM.
	errTrimTwice      = command.Error("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
	errTrimLength     = command.Error("ERR The MAXLEN argument must be >= 0.")
	errTrimLimit      = command.Error("ERR The LIMIT argument must be >= 0.")
	errTrimLimitAlone = command.Error("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
	errTrimLimitExact = command.Error("ERR syntax error, LIMIT cannot be used without the special ~ option")
	errTrimNothing    = command.Error("ERR syntax error, XTRIM must be called with a trimming strategy")

	// XDELEX and XACKDEL.
	errIDCount    = command.Error("ERR Number of IDs must be a positive integer")
	errIDCountOff = command.Error("ERR The `numids` parameter must match the number of arguments")
	errIDsMissing = command.Error("ERR IDS option is required")

	// XNACK. Redis puts the code before texts that begin with it already.
	errNackMode   = command.Error("ERR ERR mode must be SILENT, FAIL, or FATAL")
	errNackIDs    = command.Error("ERR numids must be a positive integer")
	errNackIDsOff = command.Error("ERR ERR number of IDs doesn't match numids")
	errNackCount  = command.Error("ERR ERR Invalid RETRYCOUNT value, must be >= 0")
	errNackNoIDs  = command.Error("ERR ERR syntax error, expected IDS keyword")
	errNackOption = "ERR ERR Unrecognized XNACK option '%s'"

	// XREAD and XREADGROUP.
	errReadUnbalanced = command.Error("ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', " +
		"or '$' must be specified.")
	errGroupUnbalanced = command.Error("ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or " +
		"'>' must be specified.")
	errReadGroup = command.Error("ERR The GROUP option is only supported by XREADGROUP. " +
		"You called XREAD instead.")
	errReadNoAck = command.Error("ERR The NOACK option is only supported by XREADGROUP. " +
		"You called XREAD instead.")
	errReadClaim = command.Error("ERR The CLAIM option is only supported by XREADGROUP. " +
		"You called XREAD instead.")
	errReadIdle         = command.Error("ERR min-idle-time is not an integer or out of range")
	errReadIdleNegative = command.Error("ERR min-idle-time must be a positive integer")
	errMaxCount         = command.Error("ERR MAXCOUNT must be a positive integer")
	errMaxReply         = command.Error("ERR MAXSIZE must be a positive integer")
	errMaxBelowCount    = command.Error("ERR MAXCOUNT must be greater than or equal to COUNT")
	errReadGroupMissing = command.Error("ERR Missing GROUP option for XREADGROUP")
	errReadGreater      = command.Error("ERR The > ID can be specified only when calling XREADGROUP using the GROUP " +
		"<group> <consumer> option.")
	errReadDollar = command.Error("ERR The $ ID is meaningless in the context of XREADGROUP: you want " +
		"to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. " +
		"The $ ID would just return an empty result set.")
	errReadPlus = command.Error("ERR The + ID is meaningless in the context of XREADGROUP: you want " +
		"to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. " +
		"The + ID would just return an empty result set.")
	errReadNoKeyOrGroup = "NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option"

	// Consumer groups.
	errGroupRead  = command.Error("ERR value for ENTRIESREAD must be positive or -1")
	errGroupNoKey = command.Error("ERR The XGROUP subcommand requires the key to exist. " +
		"Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.")
	errNoGroup      = "NOGROUP No such consumer group '%s' for key name '%s'"
	errGroupExists  = command.Error("BUSYGROUP Consumer Group name already exists")
	errNoKeyOrGroup = "NOGROUP No such key '%s' or consumer group '%s'"

	// XCLAIM and XAUTOCLAIM.
	errClaimIdle       = command.Error("ERR Invalid min-idle-time argument for XCLAIM")
	errClaimIdleOption = command.Error("ERR Invalid IDLE option argument for XCLAIM")
	errClaimTime       = command.Error("ERR Invalid TIME option argument for XCLAIM")
	errClaimCount      = command.Error("ERR Invalid RETRYCOUNT option argument for XCLAIM")
	errClaimOption     = "ERR Unrecognized XCLAIM option '%s'"
	errAutoClaimIdle   = command.Error("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	errAutoClaimCount  = command.Error("ERR COUNT must be > 0")
)
