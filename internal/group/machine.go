package group

import (
	"fmt"
	"time"

	"github.com/miniserver-go/miniserver/internal/group/consensus"
)

// machine is the member as the log sees it.
type machine struct{ *Group }

// applyAgain is the pause after which an entry is tried again that must wait for a slow script.
const applyAgain = time.Millisecond

// Apply implements consensus.Machine. It must not skip an entry, so it waits as long as a slow
// script keeps the data: the member lags behind meanwhile, and does not lose its place.
func (g machine) Apply(entries []consensus.Entry) {
	for _, e := range entries {
		for !g.apply(e) {
			time.Sleep(applyAgain)
		}
	}
}

// apply applies an entry. It returns false if that must wait, or must be tried again after the data
// were made anew. The leader's own entries are in its data already: it executed before it appended.
func (g machine) apply(e consensus.Entry) (done bool) {
	var ahead, known bool
	g.engine.With(func() {
		if ahead = g.isOvertaken(e); !ahead {
			known = g.knows(e)
		}
	})
	switch {
	case ahead:
		g.rebuild(func() error { return g.log.Rebuild(e.Index - 1) })
		return false
	case known:
		return true
	}
	g.engine.With(func() { // which reads the clock, that the entry has set
		if done = g.engine.Home().IsFree(); done {
			g.execute(e.Data[entryHead:])
			g.note(e)
		}
	})
	return done
}

// isOvertaken ends this member's own entries if another member leads now, and reports whether the
// data have changes that will never be in the log: an entry of a later seat is committed, and so
// nothing more of the own seat can follow.
func (g *Group) isOvertaken(e consensus.Entry) bool {
	if g.own.seat == 0 || e.Seat == g.own.seat {
		return false
	}
	g.lose()
	if g.own.isAhead() {
		return true
	}
	g.own = own{}
	return false
}

// knows reports whether the data have an entry's effects already, and notes it. Otherwise it sets
// the clock to the entry's time.
func (g *Group) knows(e consensus.Entry) bool {
	micros, ok := entryTime(e.Data)
	switch {
	case !ok:
		g.opts.Log('#', "Entry %d of the group's log is damaged", e.Index)
	case e.Seat == g.own.seat:
		g.own.applied++
	case g.seen.skip.has(e.Seat):
		g.clock.set(max(micros, g.clock.base.Load().micros), false)
	default:
		g.clock.set(micros, false)
		return false
	}
	g.note(e)
	return true
}

// rebuild makes the data those of the log again, after this member executed what did not get into
// it.
func (g *Group) rebuild(from func() error) {
	g.opts.Log('#', "This member executed changes that are not in the group's log. It rebuilds its data.")
	g.engine.With(func() { g.own = own{rebuilds: true} })
	if err := from(); err != nil {
		panic(fmt.Sprintf("group: the data cannot be rebuilt: %v", err)) // nothing that is left is certain
	}
	g.engine.With(func() {
		g.own = own{}
		g.setRole()
	})
}

// note notes that an entry has been applied.
func (g *Group) note(e consensus.Entry) {
	g.seen.index, g.seen.at = e.Index, g.opts.Nanos()
	if e.Index > g.seen.replays && !g.own.rebuilds {
		g.seen.live = true
	}
	if !g.leading {
		g.setRole()
	}
}

// has counts an entry whose effects are in the data already, because a snapshot of a leader has
// those of entries behind its index.
func (s *skip) has(seat uint64) bool {
	if s.Seat != seat || s.Entries == 0 {
		return false
	}
	s.Entries--
	return true
}

// execute applies effects to the data. An entry holds whole units and selects its databases, so it
// depends on none before it. What cannot be parsed or executed is logged and left.
func (g *Group) execute(effects []byte) {
	if len(effects) == 0 {
		return
	}
	s := g.scanner
	s.source.Write(effects)
	for end := s.end + int64(len(effects)); s.end < end; {
		list, err := s.commands.Next()
		if err != nil {
			g.opts.Log('#', "An entry of the group's log is no sequence of commands: %v", err)
			g.scanner = newScanner()
			return
		}
		for _, c := range list {
			g.executeCommand(c.Args)
			s.end = c.End
		}
	}
}

func (g *Group) executeCommand(args [][]byte) {
	if err := g.engine.Home().Apply(g.session, args); err != nil {
		g.opts.Log('#', "A command of the group's log failed: %v (%q)", err, args[0])
	}
}
