package main

import (
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/scripting"
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
	e.Add(snapshot.Payloads())
	e.Add(snapshot.Migration(dialer{}))
	e.Add(scripting.New(e).Family())
}
