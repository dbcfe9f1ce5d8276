package ratelimit

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package's commands, in Redis' words; those with a verb are formats.
const (
	errOnlyIfNone    = engine.Error("ERR ENX flag requires an expiration")
	errIncrementInf  = engine.Error("ERR BYFLOAT increment cannot be Infinity")
	errBoundInt      = "ERR %s is not an integer or out of range"
	errBoundFloat    = "ERR %s is not a valid float"
	errBoundOrder    = engine.Error("ERR LBOUND can't be greater than UBOUND")
	errInfinite      = engine.Error("ERR value cannot be Infinity")
	errApplied       = engine.Error("ERR applied increment would overflow")
	errAppliedInf    = engine.Error("ERR applied increment would be Infinity")
	errThrottleUsage = engine.Error("Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]")
	errThrottleInt   = "Cell error: Store error: Couldn't parse as integer: %s"
	errThrottleZero  = engine.Error("Cell error: Store error: Zero rates are not supported")
)
