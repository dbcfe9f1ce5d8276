package hashes

import "github.com/miniserver-go/miniserver/engine"

// Errors in Redis' words; untyped ones are formats.

// Numbers in fields.
const (
	errHashNotInt   = engine.Error("ERR hash value is not an integer")
	errHashNotFloat = engine.Error("ERR hash value is not a float")
	errNotFinite    = engine.Error("ERR value is NaN or Infinity")
)

// HGETEX and HSETEX.
const (
	errFieldsOne     = engine.Error("ERR Only one of FXX or FNX arguments can be specified")
	errFieldsTime    = engine.Error("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified")
	errFieldsPersist = engine.Error("ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified")
	errFieldsUnknown = engine.Error("ERR unknown argument")
	errFieldsNoTime  = engine.Error("ERR missing expire time")
	errFieldsNumber  = engine.Error("ERR invalid number of fields")
	errFieldsOption  = "ERR unknown argument: %s"
)
