package sketches

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package, in the words of Redis and RedisBloom. The untyped ones are formats.
const (
	// HyperLogLog.
	errNotSketch  = command.Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errCorrupted  = command.Error("INVALIDOBJ Corrupted HLL object detected")
	errNoKey      = command.Error("ERR The specified key does not exist")
	errNotSparse  = command.Error("ERR HLL encoding is not sparse")
	errDebugWord  = "ERR Unknown PFDEBUG subcommand '%s'"
	errDebugArity = "ERR Wrong number of arguments for the '%s' subcommand" // since 7.0 the line says it
	errSelfTest   = "TESTFAILED %s"

	// Bloom filters.
	errNoFilter     = command.Error("ERR not found")
	errFilterExists = command.Error("ERR item exists")
	errFilterMemory = command.Error("ERR Insufficient memory to create filter")
	errFilterCreate = command.Error("ERR could not create filter")
	errFilterFull   = command.Error("ERR non scaling filter is full")
	errFilterStuck  = command.Error("ERR problem inserting into filter")
	errInfoField    = command.Error("Invalid information value")

	// BF.RESERVE.
	errRate           = command.Error("ERR bad error rate")
	errRateRange      = command.Error("ERR error rate must be in the range (0.000000, 1.000000)")
	errCapacity       = command.Error("ERR bad capacity")
	errCapacityRange  = command.Error("ERR capacity must be in the range [1, 1073741824]")
	errCapacityLow    = command.Error("ERR (capacity should be larger than 0)") // before Redis 8, as errExpansionLow
	errNoExpansion    = command.Error("ERR no expansion")
	errExpansion      = command.Error("ERR bad expansion")
	errExpansionRange = command.Error("ERR expansion must be in the range [0, 32768]")
	errExpansionLow   = command.Error("ERR expansion should be greater or equal to 1")
	errFixedExpansion = command.Error("Nonscaling filters cannot expand")

	// BF.INSERT.
	errInsertRate      = command.Error("Bad error rate")
	errInsertCapacity  = command.Error("Bad capacity")
	errInsertExpansion = command.Error("Bad expansion")
	errInsertRange     = command.Error("Bad argument received") // before Redis 8
	errInsertOption    = command.Error("Unknown argument received")

	// BF.SCANDUMP and BF.LOADCHUNK.
	errDumpIterator = command.Error("Second argument must be numeric")
	errLoadIterator = command.Error("ERR Second argument must be numeric")
	errBadData      = command.Error("ERR received bad data")
	errNoLayer      = command.Error("ERR invalid offset - no link found")
	errLongChunk    = command.Error("ERR invalid chunk - Too big for current filter")
)
