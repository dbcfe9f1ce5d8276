// Package assembly puts the parts together: the families of commands, and what keeps the data on disk.
//
//	engine ◀─ Wire ─ string, hash, zset ... EVAL
//	       ◀─ Keep ─ snapshots, journal: SAVE, BGREWRITEAOF ...
//
// It decides nothing else. How the process is set up is the matter of cmd/miniserver, how a program
// embeds a server that of the module's own package; both take their engine from here, and so do the
// tests that run all commands.
package assembly

import (
	"io"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// logMarks are the marks of the levels of redis.log in a log's lines: debug, verbose, notice, warning.
const logMarks = ".-*#"

// Wire adds every family of commands to an engine, but for what Keep adds, and returns what runs its scripts. What
// they log goes to log, nowhere if it is nil.
func Wire(e *engine.Engine, log io.Writer) *scripting.Scripts {
	e.Add(engine.Strings())
	e.Add(engine.Bitmaps())
	e.Add(engine.HyperLogLogs())
	e.Add(engine.Throttling())
	e.Add(engine.Generic())
	e.Add(engine.Databases())
	e.Add(engine.Selection())
	e.Add(engine.Hashes())
	e.Add(engine.Lists())
	e.Add(engine.Sets())
	e.Add(engine.SortedSets())
	e.Add(engine.Geo())
	e.Add(engine.Streams())
	e.Add(engine.BloomFilters())
	e.Add(engine.Transactions())
	e.Add(engine.Channels())
	e.Add(engine.Connection())
	e.Add(engine.Server())
	e.Add(engine.Replicas())
	e.Add(engine.AccessControl())
	e.Add(engine.Cluster())
	e.Add(engine.Modules())
	e.Add(snapshot.Payloads())
	e.Add(snapshot.Migration(dialer{}))
	scripts := scripting.New(e)
	if log != nil {
		scripts.Log = func(level int, text string) { server.Log(log, logMarks[level], "%s", text) }
	}
	e.Add(scripts.Family())
	return scripts
}
