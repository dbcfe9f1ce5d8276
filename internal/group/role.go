package group

import "github.com/miniserver-go/miniserver/internal/engine"

// lose ends this member's time as the leader, if it leads. What it has executed since its last
// entry will not get into the log.
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
	g.tellClients()
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

// isReadable reports whether the data of a member that does not lead may be shown to clients that
// accept old ones.
func (g *Group) isReadable() bool {
	switch {
	case g.own.rebuilds || g.own.isAhead() || g.seen.at == 0:
		return false
	case g.params.maxStaleness > 0:
		return g.age() <= g.params.maxStaleness
	}
	return true
}
