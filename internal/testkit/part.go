package testkit

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// New returns a kit for an engine, whose clock it takes over. Part joins the rest.
func New(e *engine.Engine) *Kit {
	k := &Kit{engine: e, seed: e.Home().Seed(), Clock: NewClock(e), masters: "mymaster"}
	*engine.PerWorld[worldOf](e.Home()) = worldOf{name: defaultWorld, clock: k.Clock}
	return k
}

// Part returns what the kit adds to its engine.
func (k *Kit) Part() engine.Part {
	return engine.Part{Name: "testkit", State: k, Families: []command.Family{family},
		Params: []config.Param{k.sentinelParam()}, Tick: k.tick,
		Due: k.endOutages, Detach: k.detach, Reset: k.reset, Reseed: reseedFaults, Guests: k.guests}
}

// tick does what is due between commands.
func (k *Kit) tick() (next int64) {
	k.endWithEnder()
	k.removeOrphans()
	return k.endWaits()
}

// detach ends what commands set up in a session.
func (k *Kit) detach(s *engine.Session) {
	k.forgetHung(s)
	k.disown(s)
}

// reset forgets what the kit keeps for a world.
func (k *Kit) reset(w *engine.World) {
	k.forgetLeaks(leaksOf(w))
	clearFaults(w)
	k.endChaos(engine.PerWorld[worldOf](w))
	k.endOrLog(w)
}

// Param is the parameter that says whether a server has the kit. Its value counts when the engine
// is made.
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
		outageLines(),
		chaosLines(),
		diffLines(),
		dumpLines(),
		leaksLines(),
		commandsLines(),
		sentinelLines(),
	)
}
