package strings

import "github.com/miniserver-go/miniserver/engine"

// Errors in Redis' words.

// Lengths, offsets and numbers.
const (
	errStringTooLong = engine.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
	errOffset        = engine.Error("ERR offset is out of range")
	errDecrement     = engine.Error("ERR decrement would overflow")
)

// MSETEX.
const (
	errPairCount = engine.Error("ERR invalid numkeys value")
	errPairs     = engine.Error("ERR wrong number of key-value pairs")
)

// Comparisons of SET and DELEX.
const (
	errDigest    = engine.Error("ERR must be exactly 16 hexadecimal characters")
	errNotString = engine.Error("ERR Key should be of string type if conditions are specified")
	errCondition = engine.Error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")
)

// LCS.
const (
	errLCSTypes  = engine.Error("ERR The specified keys must contain string values")
	errLCSBoth   = engine.Error("ERR If you want both the length and indexes, please just use IDX.")
	errAlgoTwice = engine.Error("ERR Either use STRINGS or KEYS")
	errAlgoTexts = engine.Error("ERR Please specify two strings: STRINGS or KEYS options are mandatory")
	errLCSMemory = engine.Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
)
