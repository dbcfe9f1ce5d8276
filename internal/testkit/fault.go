package testkit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// Faults play a bad network or a troubled server, so that a client's code for such days really
// runs. They are a world's, and strike commands of its clients; see engine.Fate for what happens
// then. A fault looks at the commands that its selectors match: it lets the first of these commands
// pass, strikes some of the others by chance, and ends after so many times. The first fault in the
// order of MINI.FAULT ADD that strikes a command decides.
//
// The commands of the kit are never struck, since they steer the faults, nor those that a client
// may send before it is logged in: it is not yet in its world then.

// faults are those of a world, in the order of MINI.FAULT ADD.
type faults struct {
	list []*fault
	sent map[*command.Command]int64 // what clients sent while there were faults
}

// fault is a rule.
type fault struct {
	id string
	on []selector
	do effect
	probability
	after      int64                      // commands that pass first
	times      int64                      // that it strikes; 0 for always
	seen, hits int64                      // commands that the selectors matched; those of them that were struck
	before     map[*command.Command]int64 // what clients had sent when it was added
}

// effect is what a fault does, to commands that have some flags and lack others: an error is given
// only to commands for which a server has it.
type effect struct {
	word, value  string
	takes        func(c *engine.Call, do *effect) // reads the value; nil if there is none
	fate         engine.Fate
	redirection  string // the format of an error with the slot of a key and the value; "" for none
	needs, lacks command.Flags
}

// probability is how often a fault strikes.
type probability struct {
	share  float64 // of the commands
	seed   uint64
	seeded bool // by SEED, not by the world
	source *rand.Rand
}

// faultsOf returns the faults of a world.
func faultsOf(w *engine.World) *faults { return engine.PerWorld[faults](w) }

// judge is an engine.Judge.
func (fs *faults) judge(s *engine.Session, cmd *command.Command, args [][]byte) *engine.Fate {
	if isImmune(cmd) {
		return nil
	}
	fs.count(s, cmd)
	for _, f := range fs.list {
		if fate := f.fateOf(s, cmd, args); fate != nil {
			return fate
		}
	}
	return nil
}

// fateOf returns what the fault does to a command; nil for nothing.
func (f *fault) fateOf(s *engine.Session, cmd *command.Command, args [][]byte) *engine.Fate {
	if f.isOver() || !f.do.applies(cmd) || f.do.needs&^s.World().FlagsWith(cmd, args) != 0 {
		return nil
	}
	for _, sel := range f.on {
		if !sel.matches(s, cmd, args) {
			return nil
		}
	}
	fate := f.do.fateFor(s, cmd, args)
	if fate == nil {
		return nil
	}
	if f.seen++; f.seen <= f.after || !f.draw() {
		return nil
	}
	f.hits++
	return fate
}

// isOver reports whether the fault has struck as often as it should.
func (f *fault) isOver() bool { return f.times > 0 && f.hits == f.times }

// draw reports whether chance has it that a fault strikes.
func (p *probability) draw() bool { return p.share == 1 || p.source.Float64() < p.share }

// reseed starts the random numbers anew. Without a seed of its own, a fault has the world's and its
// id.
func (f *fault) reseed(seed uint64) {
	if !f.seeded {
		f.seed = seedOf(seed, f.id)
	}
	f.source = rand.New(rand.NewPCG(f.seed, f.seed))
}

// applies reports whether a server ever does this to the command.
func (e *effect) applies(cmd *command.Command) bool {
	return cmd.Flags&(e.needs|e.lacks) == e.needs && (e.redirection == "" || cmd.HasKeys())
}

// fateFor returns what becomes of a command. A redirection needs a key. That a script is missing
// shows when EVALSHA runs, and not when it is queued.
func (e *effect) fateFor(s *engine.Session, cmd *command.Command, args [][]byte) *engine.Fate {
	if _, queues := s.Queued(); queues && e.needs&command.ByDigest != 0 {
		return nil
	}
	if e.redirection == "" {
		return &e.fate
	}
	keys, _ := cmd.Keys.At(args)
	if len(keys) == 0 {
		return nil
	}
	return &engine.Fate{Refusal: command.Errorf(e.redirection, slot.Of(args[keys[0].At]), e.value)}
}

// text returns the rule as it was written, without its id.
func (f *fault) text() string {
	words := append(append([]string{"ON"}, texts(f.on)...), "DO", f.do.word)
	if f.do.value != "" {
		words = append(words, quotedWord(f.do.value))
	}
	if f.share < 1 {
		words = append(words, fmt.Sprintf("PROB %v", f.share))
	}
	for _, option := range []struct {
		word string
		n    int64
	}{{"TIMES", f.times}, {"AFTER", f.after}} {
		if option.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", option.word, option.n))
		}
	}
	if f.seeded {
		words = append(words, fmt.Sprintf("SEED %d", f.seed))
	}
	return strings.Join(words, " ")
}

// clearFaults removes all faults of a world. Delayed commands run.
func clearFaults(w *engine.World) {
	for _, f := range slices.Clone(faultsOf(w).list) {
		clearFault(w, f)
	}
}

func clearFault(w *engine.World, f *fault) {
	fs := faultsOf(w)
	fs.list = slices.DeleteFunc(fs.list, func(other *fault) bool { return other == f })
	if w.EndFate(&f.do.fate); len(fs.list) == 0 {
		fs.sent = nil
		w.SetJudge(nil)
	}
}

// reseedFaults starts the random numbers of faults anew with those of a world.
func reseedFaults(w *engine.World, seed uint64) {
	for _, f := range faultsOf(w).list {
		f.reseed(seed)
	}
}
