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
	ErrReadOnlyTx   = "ERR Write commands are not allowed from read-only scripts."

	ErrNestedMulti   = "ERR MULTI calls can not be nested"
	ErrExecNoMulti   = "ERR EXEC without MULTI"
	ErrDiscardNoTx   = "ERR DISCARD without MULTI"
	ErrWatchInMulti  = "ERR WATCH inside MULTI is not allowed"
	ErrExecRefused   = "EXECABORT Transaction discarded because of: "
	ErrExecAbort     = "EXECABORT Transaction discarded because of previous errors."
	ErrTimeoutFloat  = "ERR timeout is not a float or out of range"
	ErrTimeoutRange  = "ERR timeout is out of range"
	ErrTimeoutNeg    = "ERR timeout is negative"
	ErrUnblocked     = "UNBLOCKED client unblocked via CLIENT UNBLOCK"
	ErrDBIndex       = "ERR DB index is out of range"
	ErrInvalidDB     = "ERR invalid DB index"
	ErrExpireTime    = "ERR invalid expire time in '%s' command"
	ErrInvalidCursor = "ERR invalid cursor"

	// Hashes; the overflow sentences are those of strings too.
	ErrOverflow      = "ERR increment or decrement would overflow"
	ErrFloatOverflow = "ERR increment would produce NaN or Infinity"
	ErrHashNotInt    = "ERR hash value is not an integer"
	ErrHashNotFloat  = "ERR hash value is not a float"
	ErrNotFinite     = "ERR value is NaN or Infinity"

	// Random elements of hashes and sorted sets.
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
)
