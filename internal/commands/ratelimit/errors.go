package ratelimit

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package, in the words of Redis and redis-cell. The untyped ones are formats.
const (
	// INCREX.
	errEnxAlone          = command.Error("ERR ENX flag requires an expiration")
	errInfiniteIncrement = command.Error("ERR BYFLOAT increment cannot be Infinity")
	errBoundInt          = "ERR %s is not an integer or out of range"
	errBoundFloat        = "ERR %s is not a valid float"
	errBoundOrder        = command.Error("ERR LBOUND can't be greater than UBOUND")
	errInfiniteValue     = command.Error("ERR value cannot be Infinity")
	errDeltaOverflow     = command.Error("ERR applied increment would overflow")
	errInfiniteDelta     = command.Error("ERR applied increment would be Infinity")

	// CL.THROTTLE.
	errThrottleUsage = command.Error("Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per " +
		"period> <period> [<quantity>]")
	errThrottleInt  = "Cell error: Store error: Couldn't parse as integer: %s"
	errThrottleZero = command.Error("Cell error: Store error: Zero rates are not supported")
)
