package timeseries

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of this package, in the words of RedisTimeSeries 1.12. Some have no code in front, as
// there.
const (
	errWrongType   = command.Error("ERR WRONGTYPE Operation against a key holding the wrong kind of value")
	errNotSeries   = command.Error("ERR TSDB: the key is not a TSDB key")
	errKey         = command.Error("ERR TSDB: the key does not exist")
	errExists      = command.Error("ERR TSDB: key already exists")
	errRetention   = command.Error("ERR TSDB: Couldn't parse RETENTION")
	errNegative    = command.Error("TSDB: Couldn't parse RETENTION")
	errChunk       = command.Error("ERR TSDB: Couldn't parse CHUNK_SIZE")
	errChunkRange  = command.Error("ERR TSDB: CHUNK_SIZE value must be a multiple of 8 in the range [48 .. 1048576]")
	errEncoding    = command.Error("ERR TSDB: unknown ENCODING parameter")
	errPolicy      = command.Error("ERR TSDB: Couldn't parse DUPLICATE_POLICY")
	errNoPolicy    = command.Error("ERR TSDB: Unknown DUPLICATE_POLICY")
	errIgnore      = command.Error("ERR TSDB: Couldn't parse IGNORE")
	errIgnoreRange = command.Error("ERR TSDB: IGNORE arguments cannot be negative")
	errLabels      = command.Error("ERR TSDB: Couldn't parse LABELS")
	errValue       = command.Error("ERR TSDB: invalid value")
	errTime        = command.Error("ERR TSDB: invalid timestamp")
	errTimeRange   = command.Error("ERR TSDB: invalid timestamp, must be a nonnegative integer")
	errOld         = command.Error("ERR TSDB: Timestamp is older than retention")
	errBlocked     = command.Error("ERR TSDB: Error at upsert, update is not supported when DUPLICATE_POLICY is " +
		"set to BLOCK mode")
	// Redis 8.6 has these in words of its own.
	errMissing     = command.Error("ERR TSDB: Error at upsert, only one of the two values is NaN")
	errMissingStep = command.Error("ERR TSDB: the last value is NaN")
	errStep        = command.Error("ERR TSDB: invalid increase/decrease value")
	errBefore      = command.Error("TSDB: timestamp must be equal to or higher than the maximum existing timestamp")
	errCompacted   = command.Error("ERR TSDB: When a series has compactions, deleting samples or compaction buckets " +
		"beyond the series retention period is not possible")
	errThird       = command.Error("ERR TSDB: wrong 3rd argument")
	errAggregation = command.Error("ERR TSDB: Couldn't parse AGGREGATION")
	errAggregator  = command.Error("ERR TSDB: Unknown aggregation type")
	errBucket      = command.Error("ERR TSDB: bucketDuration must be greater than zero")
	errRuleAlign   = command.Error("ERR TSDB: Couldn't parse alignTimestamp")
	errSameKey     = command.Error("ERR TSDB: the source key and destination key should be different")
	errHasSource   = command.Error("ERR TSDB: the source key already has a source rule")
	errIsDest      = command.Error("ERR TSDB: the destination key already has a src rule")
	errIsSource    = command.Error("ERR TSDB: the destination key already has a dst rule")
	errNoRule      = command.Error("ERR TSDB: compaction rule does not exist")
)
