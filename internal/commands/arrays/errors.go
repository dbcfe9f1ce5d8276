package arrays

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	errIndex          = command.Error("ERR invalid array index")
	errOverflow       = command.Error("ERR array index overflow")
	errInsertOverflow = command.Error("ERR insert index overflow")
	errSize           = command.Error("ERR invalid size")
	errSizePositive   = command.Error("ERR size must be positive")
	errCount          = command.Error("ERR invalid COUNT")
	errLimit          = command.Error("ERR LIMIT must be positive")
	errOperation      = command.Error("ERR unknown operation")
	errMatch          = command.Error("ERR MATCH requires a value argument")
	errSearch         = command.Error("ERR regular expressions and patterns are too large for this array")
	errEmptyRegex     = command.Error("ERR regular expression is empty")

	errRangeLong  = "ERR range exceeds maximum of %d items"
	errCountLong  = "ERR count exceeds maximum of %d items"
	errPredicates = "ERR too many predicates, maximum is %d"
	errRegexLong  = "ERR regular expression is too long, maximum is %d bytes"
	errRegex      = "ERR invalid regular expression: %v"
	errNoRegex    = "ERR %v"
)
