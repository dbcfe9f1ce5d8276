package group

import (
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/group/consensus"
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

// takeSeat makes this member the leader. All earlier entries have been applied.
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
	g.append()
	g.refresh()
	g.engine.TopologyChanged()
}

// keepProcessor keeps a processor for the log while this member leads. With one for all, entries would wait for the event loop to run out of
// requests. Members that do not lead need no second one.
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

// lose ends this member's time as the leader, if it leads. What it has executed since its last entry will not get into the log.
func (g *Group) lose() {
	if !g.leading {
		return
	}
	g.opts.Log('*', "This member no longer leads the group")
	g.leading = false
	close(g.lost)
	if g.effects.some() {
		g.own.executed++
	}
	g.effects.init()
	g.clock.set(g.clock.Now(), false)
	g.rounds.drop()
	g.engine.DropReplies()
	g.endQuestions()
	g.follow()
	g.refresh()
	g.engine.TopologyChanged()
}

// follow makes the data those of another member.
func (g *Group) follow() {
	g.engine.SetPropagate(partName, nil)
	g.engine.SetPropagate(messagesName, nil)
	g.setRole()
}

// setRole tells the engine whose the data are, and whether they may be read.
func (g *Group) setRole() {
	r := engine.Role{Replica: !g.leading, Down: !g.leading && !g.isReadable()}
	if r != g.engine.Role() {
		g.engine.SetRole(r)
	}
}

// isReadable reports whether the data of a member that does not lead may be shown to clients that accept old ones.
func (g *Group) isReadable() bool {
	switch {
	case g.own.rebuilds || g.own.isAhead() || g.seen.at == 0:
		return false
	case g.params.maxStaleness > 0:
		return g.age() <= g.params.maxStaleness
	}
	return true
}

// age returns how many milliseconds ago the data were those of the leader, at most; -1 if they never were.
func (g *Group) age() int64 {
	switch {
	case g.leading:
		return 0
	case !g.seen.live:
		return -1
	}
	return (g.opts.Nanos() - g.seen.at) / 1e6
}
