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

	// Cuckoo filters.
	errCuckooFull      = command.Error("Filter is full")
	errCuckooRoom      = command.Error("ERR Insufficient memory")
	errCuckooLayers    = command.Error("Maximum expansions reached")
	errCuckooNotFound  = command.Error("Not found")
	errCuckooAbsent    = command.Error("Cuckoo filter was not found")
	errPosition        = command.Error("Invalid position")
	errCuckooHeader    = command.Error("Invalid header")
	errCuckooCreate    = command.Error("Couldn't create filter!")
	errCuckooChunk     = command.Error("Couldn't load chunk!")
	errIterations      = command.Error("Couldn't parse MAXITERATIONS")
	errIterationsRange = command.Error("MAXITERATIONS: value must be in the range [1, 65535]")
	errSlots           = command.Error("Couldn't parse BUCKETSIZE")
	errSlotsRange      = command.Error("BUCKETSIZE: value must be in the range [1, 255]")
	errGrowth          = command.Error("Couldn't parse EXPANSION")
	errGrowthRange     = command.Error("EXPANSION: value must be in the range [0, 32768]")
	errSlotsCapacity   = command.Error("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]")
	errInsertSlots     = command.Error("Capacity must be in the range [cf-bucket-size * 2, 1073741824]")
	errFewSlots        = command.Error("Capacity must be at least (BucketSize * 2)") // before Redis 8, for both

	// Count-min sketches.
	errNoSketch          = command.Error("CMS: key does not exist")
	errSketchExists      = command.Error("CMS: key already exists")
	errWidth             = command.Error("CMS: invalid width")
	errDepth             = command.Error("CMS: invalid depth")
	errOverestimation    = command.Error("CMS: invalid overestimation value")
	errChance            = command.Error("CMS: invalid prob value")
	errDimensions        = command.Error("CMS: invalid init arguments")
	errSketchMemory      = command.Error("CMS: Insufficient memory to create the key")
	errIncrement         = command.Error("CMS: Cannot parse number")
	errNegative          = command.Error("CMS: Number cannot be negative")
	errIncrementOverflow = command.Error("CMS: INCRBY overflow")
	errSketchCount       = command.Error("CMS: invalid numkeys")
	errSketchFew         = command.Error("CMS: Number of keys must be positive")
	errSketchKeys        = command.Error("CMS: wrong number of keys")
	errSketchWeights     = command.Error("CMS: wrong number of keys/weights")
	errWeight            = command.Error("CMS: invalid weight value")
	errSketchShape       = command.Error("CMS: width/depth is not equal")
	errMergeOverflow     = command.Error("CMS: MERGE overflow")
	// TOPK.
	errNoTopK        = command.Error("TopK: key does not exist")
	errTopKExists    = command.Error("TopK: key already exists")
	errTopKSize      = command.Error("TopK: invalid k")
	errTopKWidth     = command.Error("TopK: invalid width")
	errTopKDepth     = command.Error("TopK: invalid depth")
	errTopKDecay     = command.Error("TopK: invalid decay value. must be '<= 1' & '> 0'")
	errTopKMemory    = command.Error("ERR Insufficient memory to create topk data structure")
	errTopKList      = command.Error("WITHCOUNT keyword expected")
	errTopKIncrement = command.Error("TopK: increment must be an integer greater or equal to 0" +
		"                            and smaller or equal to 100,000")

	// TDIGEST.
	errNoTDigest      = command.Error("ERR T-Digest: key does not exist")
	errTDigestExists  = command.Error("ERR T-Digest: key already exists")
	errTDigestWord    = command.Error("ERR T-Digest: wrong keyword")
	errCompression    = command.Error("ERR T-Digest: error parsing compression parameter")
	errLowCompression = command.Error("ERR T-Digest: compression parameter needs to be a positive integer")
	errTDigestMemory  = command.Error("ERR T-Digest: allocation failed")
	errMergeMemory    = command.Error("ERR T-Digest: allocation of destination digest failed")
	errNumKeys        = command.Error("ERR T-Digest: error parsing numkeys")
	errFewKeys        = command.Error("ERR T-Digest: numkeys needs to be a positive integer")
	errObservation    = command.Error("ERR T-Digest: error parsing val parameter")
	errInfinite       = command.Error("ERR T-Digest: val parameter needs to be a finite number")
	errOverflow       = command.Error("ERR T-Digest: overflow detected")
	errQuantile       = command.Error("ERR T-Digest: error parsing quantile")
	errQuantileRange  = command.Error("ERR T-Digest: quantile should be in [0,1]")
	errCDF            = command.Error("ERR T-Digest: error parsing cdf")
	errRankValue      = command.Error("ERR T-Digest: error parsing value")
	errRank           = command.Error("ERR T-Digest: error parsing rank")
	errNegativeRank   = command.Error("ERR T-Digest: rank needs to be non negative")
	errLowCut         = command.Error("ERR T-Digest: error parsing low_cut_percentile")
	errHighCut        = command.Error("ERR T-Digest: error parsing high_cut_percentile")
	errCutRange       = command.Error("ERR T-Digest: low_cut_percentile and high_cut_percentile should be in [0,1]")
	errCutOrder       = command.Error("ERR T-Digest: low_cut_percentile should be lower than high_cut_percentile")
)
