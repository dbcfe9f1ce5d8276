package sketches

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package, in the words of Redis and RedisBloom. The untyped ones are formats.
const (
	// HyperLogLog.
	errNotSketch  = engine.Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errCorrupted  = engine.Error("INVALIDOBJ Corrupted HLL object detected")
	errNoKey      = engine.Error("ERR The specified key does not exist")
	errNotSparse  = engine.Error("ERR HLL encoding is not sparse")
	errDebugWord  = "ERR Unknown PFDEBUG subcommand '%s'"
	errDebugArity = "ERR Wrong number of arguments for the '%s' subcommand" // since 7.0 the line says it
	errSelfTest   = "TESTFAILED %s"

	// Bloom filters.
	errNoFilter     = engine.Error("ERR not found")
	errFilterExists = engine.Error("ERR item exists")
	errFilterMemory = engine.Error("ERR Insufficient memory to create filter")
	errFilterCreate = engine.Error("ERR could not create filter")
	errFilterFull   = engine.Error("ERR non scaling filter is full")
	errFilterStuck  = engine.Error("ERR problem inserting into filter")
	errInfoField    = engine.Error("Invalid information value")

	// BF.RESERVE.
	errRate           = engine.Error("ERR bad error rate")
	errRateRange      = engine.Error("ERR error rate must be in the range (0.000000, 1.000000)")
	errCapacity       = engine.Error("ERR bad capacity")
	errCapacityRange  = engine.Error("ERR capacity must be in the range [1, 1073741824]")
	errNoExpansion    = engine.Error("ERR no expansion")
	errExpansion      = engine.Error("ERR bad expansion")
	errExpansionRange = engine.Error("ERR expansion must be in the range [0, 32768]")
	errFixedExpansion = engine.Error("Nonscaling filters cannot expand")

	// BF.INSERT.
	errInsertRate      = engine.Error("Bad error rate")
	errInsertCapacity  = engine.Error("Bad capacity")
	errInsertExpansion = engine.Error("Bad expansion")
	errInsertOption    = engine.Error("Unknown argument received")

	// BF.SCANDUMP and BF.LOADCHUNK.
	errDumpIterator = engine.Error("Second argument must be numeric")
	errLoadIterator = engine.Error("ERR Second argument must be numeric")
	errBadData      = engine.Error("ERR received bad data")
	errNoLayer      = engine.Error("ERR invalid offset - no link found")
	errLongChunk    = engine.Error("ERR invalid chunk - Too big for current filter")
)
