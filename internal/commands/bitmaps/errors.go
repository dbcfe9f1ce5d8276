package bitmaps

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package, in Redis' words.
const (
	errBit        = command.Error("ERR bit is not an integer or out of range")
	errSoughtBit  = command.Error("ERR The bit argument must be 1 or 0.")
	errOffset     = command.Error("ERR bit offset is not an integer or out of range")
	errNotSources = command.Error("ERR BITOP NOT must be called with a single source key.")
	errFewSources = "ERR BITOP %s must be called with at least two source keys." // the operation
	errFieldType  = command.Error("ERR Invalid bitfield type. Use something like i16 u8. " +
		"Note that u64 is not supported but i64 is.")
	errOverflow = command.Error("ERR Invalid OVERFLOW type specified")
	errReadOnly = command.Error("ERR BITFIELD_RO only supports the GET subcommand")
)
