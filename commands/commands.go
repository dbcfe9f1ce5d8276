// Package commands collects the families of data commands, a package each. A family's package has the lines of its
// table and a function cmdX for each command X.
//
//	strings hashes lists sets zsets streams   the data types
//	bitmaps geo sketches                      commands on strings and sorted sets that hold something else
//	ratelimit                                 CL.THROTTLE and INCREX
//	keys                                      what works on keys of all types, and on databases
//	explain                                   MEMORY: what keys cost
//	elements                                  what the families share: deadlines, cursors, random elements
//
// The commands about clients, transactions, messages and the server itself are engine's.
package commands

import (
	"github.com/miniserver-go/miniserver/commands/bitmaps"
	"github.com/miniserver-go/miniserver/commands/explain"
	"github.com/miniserver-go/miniserver/commands/geo"
	"github.com/miniserver-go/miniserver/commands/hashes"
	"github.com/miniserver-go/miniserver/commands/keys"
	"github.com/miniserver-go/miniserver/commands/lists"
	"github.com/miniserver-go/miniserver/commands/ratelimit"
	"github.com/miniserver-go/miniserver/commands/sets"
	"github.com/miniserver-go/miniserver/commands/sketches"
	"github.com/miniserver-go/miniserver/commands/streams"
	"github.com/miniserver-go/miniserver/commands/strings"
	"github.com/miniserver-go/miniserver/commands/zsets"
	"github.com/miniserver-go/miniserver/engine"
)

// Parts returns the parts of all families.
func Parts() []engine.Part {
	return []engine.Part{
		{Families: []engine.Family{
			strings.Family(), hashes.Family(), lists.Family(), sets.Family(), zsets.Family(), streams.Family(),
			bitmaps.Family(), geo.Family(), sketches.HyperLogLog(),
			ratelimit.Throttle(), ratelimit.IncrEx(),
			keys.Family(), keys.Databases(), keys.Selection(),
		}, Debug: []engine.DebugLine{strings.Debug()}},
		sketches.Bloom(),
		explain.Part(),
	}
}
