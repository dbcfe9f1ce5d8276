package hashes

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors in Redis' words; untyped ones are formats.

// Numbers in fields.
const (
	errHashNotInt   = command.Error("ERR hash value is not an integer")
	errHashNotFloat = command.Error("ERR hash value is not a float")
	errNotFinite    = command.Error("ERR value is NaN or Infinity")
)

// HGETEX and HSETEX.
const (
	errFieldsOne     = command.Error("ERR Only one of FXX or FNX arguments can be specified")
	errFieldsTime    = command.Error("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified")
	errFieldsPersist = command.Error("ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified")
	errFieldsUnknown = command.Error("ERR unknown argument")
	errFieldsNoTime  = command.Error("ERR missing expire time")
	errFieldsNumber  = command.Error("ERR invalid number of fields")
	errFieldsOption  = "ERR unknown argument: %s"
)

// HIMPORT.
const (
	errNoFieldset = command.Error("ERR no such fieldset")
	errFieldTwice = command.Error("ERR duplicate field name in fieldset")
	errValueCount = command.Error("ERR value count does not match fieldset field count")
)
