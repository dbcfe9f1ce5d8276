package bitmaps

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package's commands, in Redis' words; those with a verb are formats.
const (
	errBit          = engine.Error("ERR bit is not an integer or out of range")
	errBitArgument  = engine.Error("ERR The bit argument must be 1 or 0.")
	errBitOffset    = engine.Error("ERR bit offset is not an integer or out of range")
	errBitNot       = engine.Error("ERR BITOP NOT must be called with a single source key.")
	errBitFieldType = engine.Error("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
	errBitOverflow  = engine.Error("ERR Invalid OVERFLOW type specified")
	errBitFieldRO   = engine.Error("ERR BITFIELD_RO only supports the GET subcommand")
)
