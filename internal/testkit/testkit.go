// Package testkit is the commands by which a test, in any language, steers a server and looks into
// it. Their names begin with MINI., but for SENTINEL, and a server has them only with test-kit yes:
//
//	a test's client ── MINI.* ──▶ engine ── the same table and gate as for any command
//	                                │
//	                                ▼
//	                               Kit      one value for each engine
//	                                │
//	         clock ◀────────────────┘       which the engine reads instead of the machine's
//
// The files. Each brings the lines of one family of commands:
//
//	testkit.go   the Kit and what it keeps; part.go: what an engine gets, and which commands there
//	             are
//	line.go      what the lines of all commands have; names.go: names of worlds, seeds;
//	             duration.go: durations and times
//	help.go      MINI.HELP
//	clock.go     the clock; cmd_clock.go: MINI.CLOCK
//	seed.go      MINI.SEED
//	world.go     worlds; owner.go: with whom they end; cmd_world.go: MINI.WORLD
//	snapshot.go  copies of worlds
//	fault.go     faults; selector.go: which commands and clients they strike; note.go: what they
//	             missed; cmd_fault.go: MINI.FAULT
//	outage.go    outages; cmd_outage.go: MINI.OUTAGE
//	chaos.go     unpleasant choices; cmd_chaos.go: MINI.CHAOS
//	waitfor.go   MINI.WAITFOR
//	dump.go      MINI.DUMP; diff.go: MINI.DIFF; turns.go: how both take turns with clients
//	leaks.go     MINI.LEAKS
//	commands.go  MINI.COMMANDS
//	sentinel.go  SENTINEL
//
// Invariants:
//  1. A Kit belongs to one engine. The package has no variables, so that engines in one process do
//     not disturb one another.
//  2. Without the kit an engine has none of its commands, and runs as if this package did not
//     exist.
//  3. No command of the kit runs in a transaction or a script: what it does happens between
//     commands.
//  4. What the kit's commands do never goes to the journal or to replicas, but for the changes that
//     other commands make.
//
// Whoever may send these commands can stop the server's time. So they need the rights of an
// operator (@admin), and a server with the kit does not listen beyond the machine without a
// password.
package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Kit is the test kit of one engine. Its methods are called under the engine's lock, unless they
// say otherwise.
type Kit struct {
	Clock *Clock // of the world of new connections

	engine  *engine.Engine
	seed    uint64      // of the engine
	saved   []*snapshot // MINI.WORLD SNAPSHOT, in the order in which they were taken; see keep
	waiters []*waiter   // commands MINI.WAITFOR that have not ended
	masters string      // names that SENTINEL knows: sentinel-masters
	owners  owners
	wiring  wiring
	out     bool            // some world has an outage
	ender   *engine.Session // began an outage DOWN, which ends with it: nobody else can connect to end it; or nil
	usages  []*usage        // of each command and subcommand, ordered by name; nil if it was not called
}

// snapshot is the data of a world at one moment, with its clock. It stays in memory, and all worlds
// may restore it. Cached scripts and clients are not part of it.
type snapshot struct {
	name      string
	of        *engine.World // that has taken it; nil if that has ended
	data      *keyspace.Keyspace
	bytes     int // of all of it, about
	libraries [][]byte
	kept      []engine.Kept
	at        int64 // microseconds
	rate      float64
}

// owners is who owns the marks that names of worlds begin with.
type owners struct {
	of   map[string]*engine.Session
	gone []string // marks whose owners have ended, the oldest first
}

// waiter is a MINI.WAITFOR that has not ended.
type waiter struct {
	blocked  *engine.Blocked
	deadline int64  // by the machine's clock, in microseconds
	quiet    *quiet // nil but for QUIET
	met      bool   // the time of quiet has passed
}

// quiet knows since when no command has ended.
type quiet struct {
	world    *engine.World
	span     int64 // microseconds that are to pass
	executed int64 // commands until since
	since    int64 // by the machine's clock, in microseconds
}

// usage is how often a command and its options were used.
type usage struct {
	name    string
	calls   int64
	words   []string // its options
	counts  []int64  // of each of them
	first   int      // where options may begin among the arguments
	creates bool     // it sets a key only if that is absent, whatever its options
	text    bool     // the command is for strings
}

// whimCount is the number of whims.
const whimCount = 4

// chaos says which of the whims are on in a world.
type chaos [whimCount]bool

// wiring is which whims stand around handlers.
type wiring struct {
	worlds [whimCount]int                      // in how many worlds each whim is on
	plain  map[*command.Command]engine.Handler // the handlers without them
}
