package elements

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors in Redis' words; untyped ones are formats.

// Deadlines of keys and of elements.
const (
	errNegativeExpire = command.Error("ERR invalid expire time, must be >= 0")
	errExpireOption   = "ERR Unsupported option %s"
	errExpireNX       = command.Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	errExpireGTLT     = command.Error("ERR GT and LT options at the same time are not compatible")
)

// FIELDS numfields field [field ...].
const (
	// ErrNumFields is Valkey's error for all that is wrong with the number.
	ErrNumFields = command.Error("ERR numfields should be greater than 0 and match the provided number of fields")

	errElementsWord  = "ERR Mandatory argument %s is missing or not at the right position"
	errElementsZero  = "ERR Parameter `num%s` should be greater than 0"
	errElementsMatch = "ERR The `num%s` parameter must match the number of arguments"
	errNoClause      = "ERR missing %s argument"
	errClauseTwice   = "ERR %s keyword specified multiple times"
	errClauseShort   = "ERR %s requires at least num%s and one %s argument"
	errClauseArity   = command.Error("ERR wrong number of arguments")
	errConditions    = command.Error("ERR Multiple condition flags specified")
	errOption        = "ERR unknown argument: %s"
)

// Cursors and counts.
const (
	errInvalidCursor = command.Error("ERR invalid cursor")
	errNoValues      = command.Error("ERR NOVALUES option can only be used in HSCAN")
	errNoScores      = command.Error("ERR NOSCORES option can only be used in ZSCAN")
	errOutOfRange    = command.Error("ERR value is out of range")
)

// ErrPopCount is the error for the number of elements to pop or to move.
const ErrPopCount = command.Error("ERR count should be greater than 0")
