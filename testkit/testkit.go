// Package testkit is the commands by which a test, in any language, steers a server and looks into it. Their names begin
// with MINI., but for SENTINEL, and a server has them only with test-kit yes:
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
//	testkit.go   what an engine gets, and which commands there are
//	help.go      MINI.HELP
//	clock.go     the clock; cmd_clock.go: MINI.CLOCK
//	seed.go      MINI.SEED
//	world.go     worlds; cmd_world.go: MINI.WORLD
//	snapshot.go  copies of worlds
//	fault.go     faults; cmd_fault.go: MINI.FAULT
//	chaos.go     unpleasant choices; cmd_chaos.go: MINI.CHAOS
//	waitfor.go   MINI.WAITFOR
//	dump.go      MINI.DUMP
//	leaks.go     MINI.LEAKS
//	commands.go  MINI.COMMANDS
//	sentinel.go  SENTINEL
//
// Invariants:
//  1. A Kit belongs to one engine. The package has no variables, so that engines in one process do not disturb one another.
//  2. Without the kit an engine has none of its commands, and runs as if this package did not exist.
//  3. No command of the kit runs in a transaction or a script: what it does happens between commands.
//  4. What the kit's commands do never goes to the journal or to replicas, but for the changes that other commands make.
//
// Whoever may send these commands can stop the server's time. So they need the rights of an operator (@admin), and a server
// with the kit does not listen beyond the machine without a password.
package testkit

import (
	"slices"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
)

// Kit is the test kit of one engine. Its methods are called under the engine's lock, unless they say otherwise.
type Kit struct {
	Clock *Clock // of the world of new connections

	engine  *engine.Engine
	seed    uint64               // of the engine
	saved   map[string]*snapshot // MINI.WORLD SNAPSHOT, by name; see keep
	waiters []*waiter            // commands MINI.WAITFOR that have not ended
	masters string               // names that SENTINEL knows: sentinel-masters
	wiring  wiring
	usages  []*usage // of each command and subcommand, ordered by name
}

// New returns a kit for an engine, whose clock it takes over. Part joins the rest.
func New(e *engine.Engine) *Kit {
	k := &Kit{engine: e, seed: e.Home().Seed(), Clock: NewClock(e), masters: "mymaster"}
	*engine.PerWorld[worldOf](e.Home()) = worldOf{name: defaultWorld, clock: k.Clock}
	return k
}

// Part returns what the kit adds to its engine.
func (k *Kit) Part() engine.Part {
	return engine.Part{Name: "testkit", State: k, Families: []command.Family{family}, Params: []config.Param{k.sentinelParam()}, Tick: k.endWaits,
		Reset: k.reset, Reseed: reseedFaults, Guests: k.guests}
}

// reset forgets what the kit keeps for a world.
func (k *Kit) reset(w *engine.World) {
	k.forgetLeaks(leaksOf(w))
	clearFaults(w)
	k.endChaos(engine.PerWorld[worldOf](w))
}

// Param is the parameter that says whether a server has the kit. Its value counts when the engine is made.
func Param(on *bool) config.Param { return config.Bool("test-kit", on).AtStart() }

// family is the kit's commands.
var family = command.Family{Group: group, Commands: lines()}

// lines returns the kit's commands, one container after the other.
func lines() []command.Line {
	return slices.Concat(
		helpLines(),
		clockLines(),
		seedLines(),
		waitForLines(),
		worldLines(),
		faultLines(),
		chaosLines(),
		diffLines(),
		dumpLines(),
		leaksLines(),
		commandsLines(),
		sentinelLines(),
	)
}

const (
	// Setting is the setting of a server with the kit.
	Setting = "test-kit yes"

	// since is what brought the commands.
	since = "miniserver:0.1.0"

	// group is that of every command of the kit.
	group = "test-kit"

	// flags are those of every command of the kit.
	flags = command.Admin | command.NoScript | command.NoMulti | command.SkipSlowlog
)

// helpFor returns the HELP subcommand of a container.
func helpFor() command.Line {
	cmd := engine.HelpLine(since)
	cmd.Flags |= flags
	return cmd
}
