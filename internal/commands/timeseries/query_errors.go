package timeseries

import "github.com/miniserver-go/miniserver/internal/command"

// The errors of commands that query, in the words of RedisTimeSeries 1.12. Those of TS.NRANGE,
// TS.READ and TS.QUERYLABELS, and of several aggregators, are ours.
const (
	errFrom         = command.Error("ERR TSDB: wrong fromTimestamp")
	errTo           = command.Error("ERR TSDB: wrong toTimestamp")
	errCountMissing = command.Error("ERR TSDB: COUNT argument is missing")
	errCountNumber  = command.Error("ERR TSDB: Couldn't parse COUNT")
	errCount        = command.Error("ERR TSDB: Invalid COUNT value")
	errEmptyPlace   = command.Error("ERR TSDB: EMPTY flag should be the 3rd or 5th flag after AGGREGATION flag")
	errStampPlace   = command.Error("ERR TSDB: BUCKETTIMESTAMP flag should be the 3rd or 4th flag after " +
		"AGGREGATION flag")
	errStamp         = command.Error("ERR TSDB: unknown BUCKETTIMESTAMP parameter")
	errAlignWord     = command.Error("ERR TSDB: unknown ALIGN parameter")
	errAlignAlone    = command.Error("ERR TSDB: ALIGN parameter can only be used with AGGREGATION")
	errAlignStart    = command.Error("ERR TSDB: start alignment can only be used with explicit start timestamp")
	errAlignEnd      = command.Error("ERR TSDB: end alignment can only be used with explicit end timestamp")
	errValueMissing  = command.Error("ERR TSDB: FILTER_BY_VALUE one or more arguments are missing")
	errMin           = command.Error("ERR TSDB: Couldn't parse MIN")
	errMax           = command.Error("ERR TSDB: Couldn't parse MAX")
	errTimesMissing  = command.Error("ERR TSDB: FILTER_BY_TS one or more arguments are missing")
	errFilter        = command.Error("ERR TSDB: failed parsing labels")
	errNoMatcher     = command.Error("ERR TSDB: please provide at least one matcher")
	errFilterMissing = command.Error("ERR TSDB: missing FILTER argument")
	errFilterLabels  = command.Error("ERR TSDB: missing labels for filter argument")
	errBothLabels    = command.Error("ERR TSDB: cannot accept WITHLABELS and SELECT_LABELS together")
	errNoLabels      = command.Error("ERR TSDB: SELECT_LABELS should have at least 1 parameter")
	errGroupPlace    = command.Error("ERR TSDB: GROUPBY should always come after filter")
	errReducer       = command.Error("ERR TSDB: Invalid reducer type")
	errDenied        = command.Error("NOPERM TSDB: current user doesn't have read permission to one or more keys " +
		"that match the specified filter")
	errGaps         = command.Error("ERR TSDB: EMPTY would report too many empty buckets")
	errGroupSeveral = command.Error("ERR TSDB: GROUPBY is not permitted when multiple aggregators are specified")
	errGroupExclude = command.Error("ERR TSDB: EXCLUDEEMPTY cannot be used with GROUPBY")
	errNumKeys      = command.Error("ERR TSDB: Couldn't parse numkeys")
	errAggregators  = command.Error("ERR TSDB: the number of aggregators must equal numkeys")
	errReadFrom     = command.Error("ERR TSDB: invalid timestamp")
	errReadTimeout  = command.Error("ERR TSDB: invalid BLOCK milliseconds")
	errReadMin      = command.Error("ERR TSDB: invalid BLOCK min_count")
	errReadMax      = command.Error("ERR TSDB: invalid MAX_COUNT")
	errReadCounts   = command.Error("ERR TSDB: min_count must not be greater than max_count")
	errReadBlock    = command.Error("ERR TSDB: BLOCK is not allowed in this context")
	errSubtype      = command.Error("ERR TSDB: expected LABELS or VALUES")
)
