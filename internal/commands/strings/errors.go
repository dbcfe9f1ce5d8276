package strings

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors in Redis' words.

// Lengths, offsets and numbers.
const (
	errStringTooLong = command.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
	errOffset        = command.Error("ERR offset is out of range")
	errDecrement     = command.Error("ERR decrement would overflow")
)

// MSETEX.
const (
	errPairCount = command.Error("ERR invalid numkeys value")
	errPairs     = command.Error("ERR wrong number of key-value pairs")
)

// Comparisons of SET and DELEX.
const (
	errDigest    = command.Error("ERR must be exactly 16 hexadecimal characters")
	errNotString = command.Error("ERR Key should be of string type if conditions are specified")
	errCondition = command.Error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")
)

// LCS.
const (
	errLCSTypes  = command.Error("ERR The specified keys must contain string values")
	errLCSBoth   = command.Error("ERR If you want both the length and indexes, please just use IDX.")
	errAlgoTwice = command.Error("ERR Either use STRINGS or KEYS")
	errAlgoTexts = command.Error("ERR Please specify two strings: STRINGS or KEYS options are mandatory")
	errLCSMemory = command.Error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
)
