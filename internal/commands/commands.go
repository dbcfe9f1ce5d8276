// Package commands collects the families of commands. Each has its own package, with the lines of
// the command table and a function cmdX for each command X.
//
//	strings hashes lists sets zsets streams   the data types
//	arrays                                    arrays
//	bitmaps geo                               other uses of strings and of sorted sets
//	sketches                                  HyperLogLog, Bloom and cuckoo filters, count-min,
//	                                          Top-K, t-digests
//	json                                      JSON documents
//	timeseries                                time series
//	vectors                                   vector sets
//	ratelimit                                 CL.THROTTLE and INCREX
//	keys                                      commands on keys of any type, and on databases
//	explain                                   MEMORY: the memory of keys and of the process
//	elements                                  shared code: deadlines of elements, cursors, random
//	                                          elements
//
//	introspection                             COMMAND
//	server                                    INFO, TIME
//	shutdown                                  SHUTDOWN, and the end that others ask for
//	defrag                                    active defragmentation
//	cluster                                   CLUSTER
//	config                                    CONFIG
//	debug                                     DEBUG
//	clients                                   PING, AUTH, CLIENT ... : connections
//	tracking                                  CLIENT TRACKING: client-side caching
//	acl                                       ACL: users, and what was refused to them
//	monitor                                   MONITOR
//	transactions                              MULTI, EXEC, WATCH
//	pubsub                                    SUBSCRIBE, PUBLISH, and keyspace events
//	slowlog latency                           SLOWLOG, COMMANDLOG, LATENCY: how long commands take
package commands

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/acl"
	"github.com/miniserver-go/miniserver/internal/commands/arrays"
	"github.com/miniserver-go/miniserver/internal/commands/bitmaps"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	"github.com/miniserver-go/miniserver/internal/commands/cluster"
	"github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/defrag"
	"github.com/miniserver-go/miniserver/internal/commands/explain"
	"github.com/miniserver-go/miniserver/internal/commands/geo"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/hotkeys"
	"github.com/miniserver-go/miniserver/internal/commands/introspection"
	"github.com/miniserver-go/miniserver/internal/commands/json"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/latency"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/monitor"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/commands/ratelimit"
	"github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/commands/sketches"
	"github.com/miniserver-go/miniserver/internal/commands/slowlog"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/timeseries"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/vectors"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Types are the data types. A part that adds another names it in the same way: see engine.Part.
var Types = []engine.Type{strings.Type, lists.Type, sets.Type, zsets.Type, hashes.Type, streams.Type, sketches.Filter,
	sketches.CuckooFilter, sketches.CountMinSketch, sketches.TopKType, sketches.TDigestType, json.Type, arrays.Type,
	timeseries.Type, vectors.Type}

// brought are the parts that the program brings beside those of all servers.
var brought []func() engine.Part

// Bring adds a part to all servers of the program, with its types of data. It is called when the
// program starts, by a package that is imported for that: a program without the import links none
// of the part's code.
func Bring(types []engine.Type, part func() engine.Part) {
	Types = append(Types, types...)
	brought = append(brought, part)
}

// Auxiliary returns what the parts that the program brings keep beside the keys.
func Auxiliary() (all []engine.Auxiliary) {
	for _, part := range brought {
		all = append(all, part().Auxiliary...)
	}
	return all
}

// Parts returns the parts of all families, for an engine.
func Parts(e *engine.Engine) (parts []engine.Part) {
	for _, part := range brought {
		parts = append(parts, part())
	}
	return append(append(parts, clients.Parts(e)...), []engine.Part{
		{Types: Types, Families: []command.Family{
			strings.Family, hashes.Family, lists.Family, sets.Family, zsets.Family, streams.Family,
			arrays.Family, bitmaps.Family, geo.Family, sketches.HyperLogLog, sketches.CountMin, sketches.TopK,
			sketches.TDigest,
			ratelimit.Throttle, ratelimit.IncrEx,
			keys.Family, keys.Databases, keys.Selection, keys.ClusterScan,
			introspection.Family, debug.Family,
		}, Debug: []engine.DebugLine{strings.Debug()}},
		hashes.Import(),
		sketches.Bloom(),
		sketches.Cuckoo(),
		json.Part(),
		timeseries.Part(),
		vectors.Part(),
		explain.Part(),
		server.Part(),
		shutdown.Part(e),
		defrag.Part(e),
		cluster.Part(e),
		config.Part(e.Release),
		pubsub.Part(),
		slowlog.New(e).Part(),
		latency.New(e).Part(),
		hotkeys.New(e).Part(),
		monitor.Part(),
		acl.Part(e),
		transactions.Part(),
	}...)
}
