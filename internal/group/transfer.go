package group

import (
	"math"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// transferLimit is how long what is under way may take before the seat is handed over.
const transferLimit = 2 * time.Second

// transfer hands the seat to another member, to the one that has most of the log if id is 0.
// Commands that write wait meanwhile, so that this member executes nothing that does not get into
// the log.
func (g *Group) transfer(id uint64) (err error) {
	g.engine.With(func() {
		if id == 0 {
			id = g.successor()
		}
		if err = g.transferable(id); err == nil {
			g.handing = true
			g.engine.Home().Pause(engine.PausedForFailover, math.MaxInt64, false)
		}
	})
	if err != nil {
		return err
	}
	g.quiesce()
	err = g.log.Transfer(id)
	g.engine.With(func() {
		g.handing = false
		g.engine.Home().Unpause(engine.PausedForFailover)
	})
	return err
}

func (g *Group) transferable(id uint64) error {
	switch {
	case !g.leading || g.handing:
		return errNotLeader
	case id == 0 || id == g.params.id:
		return errOnlyMember
	}
	return nil
}

// quiesce waits until nothing is under way.
func (g *Group) quiesce() {
	for begin := g.opts.Nanos(); time.Duration(g.opts.Nanos()-begin) < transferLimit; time.Sleep(time.Millisecond) {
		quiet := false
		g.engine.With(func() {
			quiet = !g.leading || len(g.rounds.list) == 0 && !g.effects.some()
			if !quiet && g.effects.ready() {
				g.begin()
			}
		})
		if quiet {
			return
		}
	}
}

// successor returns the member that has most of the log, apart from this one; 0 for none.
func (g *Group) successor() (id uint64) {
	var most uint64
	for _, m := range g.known.Members {
		if m.ID != g.params.id && !m.Learner && (id == 0 || m.Applied > most) {
			id, most = m.ID, m.Applied
		}
	}
	return id
}
