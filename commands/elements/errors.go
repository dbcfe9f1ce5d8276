package elements

import "github.com/miniserver-go/miniserver/engine"

// Errors in Redis' words; untyped ones are formats.

// Deadlines of keys and of elements.
const (
	errNegativeExpire = engine.Error("ERR invalid expire time, must be >= 0")
	errExpireOption   = "ERR Unsupported option %s"
	errExpireNX       = engine.Error("ERR NX and XX, GT or LT options at the same time are not compatible")
	errExpireGTLT     = engine.Error("ERR GT and LT options at the same time are not compatible")
)

// FIELDS numfields field [field ...].
const (
	// ErrNumFields is Valkey's error for all that is wrong with the number.
	ErrNumFields = engine.Error("ERR numfields should be greater than 0 and match the provided number of fields")

	errElementsWord  = "ERR Mandatory argument %s is missing or not at the right position"
	errElementsZero  = "ERR Parameter `num%s` should be greater than 0"
	errElementsMatch = "ERR The `num%s` parameter must match the number of arguments"
	errNoClause      = "ERR missing %s argument"
	errClauseTwice   = "ERR %s keyword specified multiple times"
	errClauseShort   = "ERR %s requires at least num%s and one %s argument"
	errClauseArity   = engine.Error("ERR wrong number of arguments")
	errConditions    = engine.Error("ERR Multiple condition flags specified")
	errOption        = "ERR unknown argument: %s"
)

// Cursors and counts.
const (
	errInvalidCursor = engine.Error("ERR invalid cursor")
	errNoValues      = engine.Error("ERR NOVALUES option can only be used in HSCAN")
	errNoScores      = engine.Error("ERR NOSCORES option can only be used in ZSCAN")
	errOutOfRange    = engine.Error("ERR value is out of range")
	errPopCount      = engine.Error("ERR count should be greater than 0")
)
