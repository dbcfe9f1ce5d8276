package sketches

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package's commands, in Redis' words; those with a verb are formats.
const (
	errNoSketch            = engine.Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errSketch              = engine.Error("INVALIDOBJ Corrupted HLL object detected")
	errNoSketchKey         = engine.Error("ERR The specified key does not exist")
	errNotSparse           = engine.Error("ERR HLL encoding is not sparse")
	errSketchDebug         = "ERR Unknown PFDEBUG subcommand '%s'"
	errSelfTest            = "TESTFAILED %s"
	errFilterRate          = engine.Error("ERR bad error rate")
	errFilterRateRange     = engine.Error("ERR error rate must be in the range (0.000000, 1.000000)")
	errFilterCapacity      = engine.Error("ERR bad capacity")
	errFilterCapacityRange = engine.Error("ERR capacity must be in the range [1, 1073741824]")
	errFilterNoGrowth      = engine.Error("ERR no expansion")
	errFilterGrowth        = engine.Error("ERR bad expansion")
	errFilterGrowthRange   = engine.Error("ERR expansion must be in the range [0, 32768]")
	errFilterFixed         = engine.Error("Nonscaling filters cannot expand")
	errFilterExists        = engine.Error("ERR item exists")
	errFilterMemory        = engine.Error("ERR Insufficient memory to create filter")
	errFilterCreate        = engine.Error("ERR could not create filter")
	errFilterFull          = engine.Error("ERR non scaling filter is full")
	errFilterStuck         = engine.Error("ERR problem inserting into filter")
	errNoFilter            = engine.Error("ERR not found")
	errFilterFact          = engine.Error("Invalid information value")
	errInsertRate          = engine.Error("Bad error rate")
	errInsertCapacity      = engine.Error("Bad capacity")
	errInsertGrowth        = engine.Error("Bad expansion")
	errInsertOption        = engine.Error("Unknown argument received")
	errDumpIterator        = engine.Error("Second argument must be numeric")
	errLoadIterator        = engine.Error("ERR Second argument must be numeric")
	errBadData             = engine.Error("ERR received bad data")
	errNoLayer             = engine.Error("ERR invalid offset - no link found")
	errLongChunk           = engine.Error("ERR invalid chunk - Too big for current filter")
)
