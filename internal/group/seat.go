package group

import (
	"github.com/miniserver-go/miniserver/internal/group/consensus"
)

// watchSeats follows what the log says about the leader's seat.
func (g *Group) watchSeats() {
	for {
		select {
		case s := <-g.log.Seats():
			if s.Leader {
				g.takeSeat(s)
			} else {
				g.loseSeat(s)
			}
		case <-g.ended:
			return
		}
	}
}

// takeSeat makes this member the leader. All earlier entries have been applied. What this member
// executed under an earlier seat, and what did not get into the log, is not among them: then the
// data are made anew before anybody may read them.
func (g *Group) takeSeat(s consensus.Seat) {
	ahead := false
	g.engine.With(func() {
		g.lose() // an earlier seat
		ahead = g.own.isAhead()
	})
	if ahead {
		g.rebuild(g.log.RebuildAll)
	}
	g.engine.With(func() { g.lead(s) })
}

// loseSeat ends a seat, unless that is known already.
func (g *Group) loseSeat(s consensus.Seat) {
	g.engine.With(func() {
		if g.own.seat == s.ID {
			g.lose()
		}
	})
}

// lead makes the data writable. The first entry tells the others where clients reach this member.
// Replies wait until it is committed, as with any later entry.
func (g *Group) lead(s consensus.Seat) {
	g.opts.Log('*', "This member leads the group, in term %d", s.Term)
	g.own = own{seat: s.ID, term: s.Term}
	g.leading, g.seen.skip = true, skip{}
	g.settled.begin()
	g.keepProcessor()
	g.clock.lead(!g.seen.live)
	g.seen.live = true
	g.engine.SetPropagate(partName, g.collect)
	g.engine.SetPropagate(messagesName, g.collectMessage)
	g.setRole()
	g.announce()
	g.name()
	clear(g.incoming)
	g.keepDue()
	g.wakeMoves()
	g.append()
	g.refresh()
	g.tellClients()
}

// keepProcessor keeps a processor for the log while this member leads. With one for all, entries
// would wait for the event loop to run out of requests. Members that do not lead need no second
// one.
func (g *Group) keepProcessor() {
	g.lost = make(chan struct{})
	lost := g.lost
	g.opts.Spawn(func() {
		select {
		case <-lost:
		case <-g.ended:
		}
	})
}
