package ratelimit

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package, in the words of Redis and redis-cell. The untyped ones are formats.
const (
	// INCREX.
	errEnxAlone          = engine.Error("ERR ENX flag requires an expiration")
	errInfiniteIncrement = engine.Error("ERR BYFLOAT increment cannot be Infinity")
	errBoundInt          = "ERR %s is not an integer or out of range"
	errBoundFloat        = "ERR %s is not a valid float"
	errBoundOrder        = engine.Error("ERR LBOUND can't be greater than UBOUND")
	errInfiniteValue     = engine.Error("ERR value cannot be Infinity")
	errDeltaOverflow     = engine.Error("ERR applied increment would overflow")
	errInfiniteDelta     = engine.Error("ERR applied increment would be Infinity")

	// CL.THROTTLE.
	errThrottleUsage = engine.Error("Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]")
	errThrottleInt   = "Cell error: Store error: Couldn't parse as integer: %s"
	errThrottleZero  = engine.Error("Cell error: Store error: Zero rates are not supported")
)
