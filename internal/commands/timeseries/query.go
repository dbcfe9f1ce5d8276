package timeseries

import "github.com/miniserver-go/miniserver/internal/command"

// What the commands that read ranges have in common.
const (
	rangeSyntax = "fromTimestamp:string toTimestamp:string [LATEST] [FILTER_BY_TS timestamp:integer...] " +
		"[FILTER_BY_VALUE min:double max:double] "
	bucketSyntax = "[COUNT count] [[ALIGN align] AGGREGATION aggregators:string bucketDuration:integer " +
		"[BUCKETTIMESTAMP bt:string] [EMPTY]]"
	labelSyntax = "[WITHLABELS|SELECTED_LABELS label...] "
	groupSyntax = " FILTER filterExpr... [GROUPBY label REDUCE reducer] [EXCLUDEEMPTY]@8.10.0"

	rangeTime = "O(n/m+k) where n is the number of samples, m the samples of a chunk, and k the samples of the range"
	labelTime = "O(n) where n is the number of time series with the rarest of the labels that the filters ask for"
)

// queries are the commands that read several samples, or find series by their labels.
var queries = []command.Line{
	{Name: "ts.range", Arity: -4, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdRange, Reply: "array",
		Since: since, Syntax: "key " + rangeSyntax + bucketSyntax,
		Summary: "Returns samples of a time series, from the oldest to the latest", Complexity: rangeTime},
	{Name: "ts.revrange", Arity: -4, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdRevRange, Reply: "array",
		Since: since, Syntax: "key " + rangeSyntax + bucketSyntax,
		Summary: "Returns samples of a time series, from the latest to the oldest", Complexity: rangeTime},
	{Name: "ts.mrange", Arity: -4, Flags: reads, Run: cmdMRange, Reply: "array", Since: since,
		Syntax:     rangeSyntax + labelSyntax + bucketSyntax + groupSyntax,
		Summary:    "Returns samples of the time series that have some labels, from the oldest to the latest",
		Complexity: rangeTime},
	{Name: "ts.mrevrange", Arity: -4, Flags: reads, Run: cmdMRevRange, Reply: "array", Since: since,
		Syntax:     rangeSyntax + labelSyntax + bucketSyntax + groupSyntax,
		Summary:    "Returns samples of the time series that have some labels, from the latest to the oldest",
		Complexity: rangeTime},
	{Name: "ts.mget", Arity: -3, Flags: reads, Run: cmdMGet, Reply: "array", Since: since,
		Syntax:  "[LATEST] " + labelSyntax + "FILTER filterExpr...",
		Summary: "Returns the latest samples of the time series that have some labels", Complexity: labelTime},
	{Name: "ts.queryindex", Arity: -2, Flags: reads, Run: cmdQueryIndex, Reply: "list", Since: since,
		Syntax: "filterExpr...", Summary: "Returns the keys of the time series that have some labels",
		Complexity: labelTime},
	{Name: "ts.querylabels", Arity: -2, Flags: reads, Run: cmdQueryLabels, Reply: "list", Since: "8.10.0",
		Syntax:  "subtype=<LABELS|VALUES label> [FILTER filterExpr...]",
		Summary: "Returns the names of labels, or the values of one", Complexity: labelTime, Tips: "dont_cache"},
	{Name: "ts.nrange", Arity: -5, Flags: reads, Keys: command.NumKeys(1, "RO access"), Run: cmdNRange,
		Reply: "array", Since: "8.10.0", Syntax: "numkeys key... " + rangeSyntax + bucketSyntax,
		Summary:    "Returns samples of several time series with a row for each time, from the oldest to the latest",
		Complexity: rangeTime},
	{Name: "ts.nrevrange", Arity: -5, Flags: reads, Keys: command.NumKeys(1, "RO access"), Run: cmdNRevRange,
		Reply: "array", Since: "8.10.0", Syntax: "numkeys key... " + rangeSyntax + bucketSyntax,
		Summary:    "Returns samples of several time series with a row for each time, from the latest to the oldest",
		Complexity: rangeTime},
	{Name: "ts.read", Arity: -3, Flags: reads | command.Blocking, Keys: command.Key(1, "RO access"), Run: cmdRead,
		Reply: "array", Since: "8.10.0", Syntax: "key timestamp:string [BLOCK milliseconds:integer min_count] " +
			"[MAX_COUNT max_count]",
		Summary:    "Returns the samples of a time series from a time on, and waits for them if asked to",
		Complexity: "O(log(n)+k) where n is the number of samples and k those of the reply", Tips: "dont_cache"},
}
