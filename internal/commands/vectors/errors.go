package vectors

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of this package, in Redis' words. The untyped ones are formats.
const (
	errVector     = command.Error("ERR invalid vector specification")
	errAfter      = command.Error("ERR invalid option after element")
	errEF         = command.Error("ERR invalid EF")
	errM          = command.Error("ERR invalid M")
	errKind       = command.Error("ERR asked quantization mismatch with existing vector set")
	errOtherM     = command.Error("ERR asked M value mismatch with existing vector set")
	errReduce     = command.Error("ERR cannot add projection to existing set without projection")
	errNoKey      = command.Error("ERR key does not exist")
	errOption     = command.Error("ERR invalid option")
	errNoElement  = command.Error("ERR element not found in set")
	errSearch     = command.Error("ERR syntax error in VSIM command")
	errCount      = command.Error("ERR invalid COUNT")
	errEpsilon    = command.Error("ERR invalid EPSILON")
	errFilterSize = command.Error("ERR FILTER expression is too large for this vector set")
	errFilterEF   = command.Error("ERR invalid FILTER-EF")
	errDraw       = command.Error("ERR COUNT value is not an integer")
	errRangeCount = command.Error("ERR invalid COUNT value")
	errStart      = command.Error("ERR invalid start range format")
	errEnd        = command.Error("ERR invalid end range format")
	errEnds       = command.Error("ERR '-' can only be used as first argument, '+' only as second")

	errDim    = "ERR Vector dimension mismatch - got %d but set has %d"
	errInput  = "ERR Input dimension mismatch for projection - got %d but projection expects %d"
	errFilter = "ERR syntax error in FILTER expression near: %s"
)
