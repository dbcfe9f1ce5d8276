// Package timeseries is the time series: the commands of RedisTimeSeries, which Redis has by itself
// since 8.0.
//
//	family.go type.go       the commands, and the data type
//	settings.go options.go  the parameters, and the options of commands
//	series.go               the series at a key
//	create.go               TS.CREATE, TS.ALTER
//	add.go increase.go      TS.ADD, TS.MADD, TS.INCRBY, TS.DECRBY
//	delete.go               TS.DEL
//	rules.go compact.go     TS.CREATERULE, TS.DELETERULE, and what rules do when samples change
//	info.go                 TS.GET, TS.INFO
//	query.go                what finds samples and series
//
// A rule has two ends: the source, which knows the destination and gathers the bucket that is still
// open, and the destination, which knows the source. Both know the other by its key. It is in force
// as long as both keys have series that say so. So no key that is deleted, replaced or moved takes
// care of its rules: what is left of them at the other end is passed over, and goes with the next
// change there. Only RENAME takes rules along.
//
// What a rule does is not propagated: the journal and the replicas get the samples, and have the
// rules.
package timeseries

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// How a line says what a command does.
const (
	reads  = command.ReadOnly
	writes = command.Write
	grows  = command.Write | command.DenyOOM
)

// since is the releases that have the commands.
const since = "8.0.0 redis-stack:7.4.0"

const (
	optionsSyntax = "[RETENTION retention:integer] [ENCODING <UNCOMPRESSED|COMPRESSED>] [CHUNK_SIZE size:integer] " +
		"[DUPLICATE_POLICY <BLOCK|FIRST|LAST|MIN|MAX|SUM>] [IGNORE max-time-diff:integer max-value-diff:double]"
	labelsSyntax = " [LABELS <label value>...]"
)

// changes is the commands that change series, and those that look at a single one.
var changes = []command.Line{
	{Name: "ts.create", Arity: -2, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: engine.On(cmdTSCreate), Reply: "status", Since: since, Syntax: "key " + optionsSyntax + labelsSyntax,
		Summary: "Creates a time series", Complexity: "O(1)"},
	{Name: "ts.alter", Arity: -2, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: engine.On(cmdTSAlter), Reply: "status", Since: since,
		Syntax: "key [RETENTION retention:integer] [CHUNK_SIZE size:integer] " +
			"[DUPLICATE_POLICY <BLOCK|FIRST|LAST|MIN|MAX|SUM>] " +
			"[IGNORE max-time-diff:integer max-value-diff:double]" + labelsSyntax,
		Summary: "Changes the properties of a time series", Complexity: "O(N) where N is the number of labels"},
	{Name: "ts.add", Arity: -4, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: engine.On(cmdTSAdd), Reply: "integer", Since: since,
		Syntax: "key timestamp value:double " + optionsSyntax +
			" [ON_DUPLICATE <BLOCK|FIRST|LAST|MIN|MAX|SUM>]" + labelsSyntax,
		Summary: "Adds a sample to a time series", Complexity: "O(M) where M is the number of rules"},
	{Name: "ts.madd", Arity: -4, Flags: grows, Keys: command.KeyRange(1, -1, 3, "RW access update"),
		Run: engine.On(cmdTSMAdd), Reply: "array", Since: since, Syntax: "<key timestamp value:double>...",
		Summary:    "Adds samples to one or more time series",
		Complexity: "O(N*M) where N is the number of samples and M that of rules"},
	{Name: "ts.incrby", Arity: -3, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: engine.On(cmdTSIncrBy), Reply: "integer", Since: since,
		Syntax:     "key addend:double [TIMESTAMP timestamp] " + optionsSyntax + labelsSyntax,
		Summary:    "Adds a sample to a time series that is the last one increased by a number",
		Complexity: "O(M) where M is the number of rules"},
	{Name: "ts.decrby", Arity: -3, Flags: grows, Keys: command.Key(1, "RW access update"),
		Run: engine.On(cmdTSDecrBy), Reply: "integer", Since: since,
		Syntax:     "key subtrahend:double [TIMESTAMP timestamp] " + optionsSyntax + labelsSyntax,
		Summary:    "Adds a sample to a time series that is the last one decreased by a number",
		Complexity: "O(M) where M is the number of rules"},
	{Name: "ts.del", Arity: 4, Flags: writes, Keys: command.Key(1, "RW access update"),
		Run: cmdTSDel, Reply: "integer", Since: since, Syntax: "key from-timestamp to-timestamp",
		Summary: "Deletes the samples between two times", Complexity: "O(N) where N is the number of samples deleted"},
	{Name: "ts.createrule", Arity: -6, Flags: grows, Keys: command.KeyRange(1, 2, 1, "RW access update"),
		Run: cmdTSCreateRule, Reply: "status", Since: since,
		Syntax:  "source destination <AGGREGATION aggregator bucket-duration:integer> [align-timestamp:integer]",
		Summary: "Creates a rule that fills a time series with aggregates of another one", Complexity: "O(1)"},
	{Name: "ts.deleterule", Arity: 3, Flags: writes, Keys: command.KeyRange(1, 2, 1, "RW access update"),
		Run: cmdTSDeleteRule, Reply: "status", Since: since, Syntax: "source destination",
		Summary: "Deletes a rule", Complexity: "O(N) where N is the number of rules"},
	{Name: "ts.get", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdTSGet,
		Reply: "array", Since: since, Syntax: "key [LATEST]",
		Summary: "Returns the last sample of a time series", Complexity: "O(1)"},
	{Name: "ts.info", Arity: -2, Flags: reads, Keys: command.Key(1, "RO access"), Run: cmdTSInfo,
		Reply: "array", Since: since, Syntax: "key [DEBUG]",
		Summary: "Returns what a time series is like", Complexity: "O(N) where N is the number of chunks"},
}

// module is the module that has the commands in Redis.
const module = "timeseries"

var family = command.Family{Group: "timeseries", Module: module, Category: "timeseries",
	Commands: slices.Concat(changes, queries),
	Absent: []command.Absence{
		{Since: since, Names: "timeseries.clusterset timeseries.refreshcluster",
			Why: "nodes of a cluster send them to one another"},
		{Since: "redis-stack:7.4.0", Names: "timeseries.clustersetfromshard timeseries.forceshardsconnection " +
			"timeseries.hello timeseries.infocluster timeseries.innercommunication timeseries.networktest",
			Why: "nodes of a cluster send them to one another"},
	}}

// Part returns the commands. Its parameters are the properties of new series. The versions are
// those of the module in Redis Stack and in Redis.
func Part() engine.Part {
	s := newSettings()
	return engine.Part{State: s, Params: s.params(), Families: []command.Family{family}, Modules: []engine.Module{
		{Name: module, Since: "redis-stack:7.4.0", Version: 11202, Options: "handle-io-errors"},
		{Name: module, Since: "8.0.0", Version: 80001, Options: "handle-io-errors"},
		{Name: module, Since: "8.6.0", Version: 80600, Options: "handle-io-errors"},
	}}
}
