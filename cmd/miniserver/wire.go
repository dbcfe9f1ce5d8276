package main

import (
	"io"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// wire adds every command family to an engine.
func wire(e *engine.Engine) {
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
	e.Add(scripting.New(e).Family())
}

// keep adds what keeps an engine's data on disk, with its commands.
func keep(e *engine.Engine, log io.Writer) *journal.Journal {
	return journal.New(e, journal.Options{Log: func(mark byte, format string, args ...any) {
		server.Log(log, mark, format, args...)
	}})
}
