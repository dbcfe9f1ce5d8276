package sentinel

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// known is what subscribers were told last.
type known struct {
	master  *topology.Member // the last leader whose address was known; nil for none
	down    bool             // it is
	members map[uint64]told  // by id
}

// told is what subscribers were told of a member.
type told struct {
	address string
	down    bool
}

// tick publishes what has changed since the last one, on the channels of Redis' Sentinel. Each
// member tells its own subscribers.
func (s *Sentinel) tick() (next int64) {
	g := s.engine.Group()
	s.tellMaster(g)
	s.tellReplicas(g)
	return 0
}

// tellMaster tells that there is another leader, or none.
func (s *Sentinel) tellMaster(g *topology.Group) {
	k := &s.known
	leader := g.LeadingMember()
	switch before := k.master; {
	case leader == nil:
		s.tellDown(g)
		return
	case before == nil:
		s.event("+monitor", "%s quorum %d", masterEvent(g, leader), g.Quorum())
	case before.ID != leader.ID || before.Address() != leader.Address():
		s.event("+switch-master", "%s %s %d %s %d", g.Name, before.Host, before.Port, leader.Host, leader.Port)
		k.members = nil // all are told of again, as replicas of the new one
	case k.down:
		s.event("-odown", "%s", masterEvent(g, leader))
		s.event("-sdown", "%s", masterEvent(g, leader))
	}
	copied := *leader
	k.master, k.down = &copied, false
}

// tellDown tells that the leader is gone.
func (s *Sentinel) tellDown(g *topology.Group) {
	if k := &s.known; k.master != nil && !k.down {
		k.down = true
		s.event("+sdown", "%s", masterEvent(g, k.master))
		s.event("+odown", "%s #quorum %d/%d", masterEvent(g, k.master), g.Quorum(), g.Quorum())
	}
}

// tellReplicas tells of members that came, and of those that do not answer any more or answer
// again.
func (s *Sentinel) tellReplicas(g *topology.Group) {
	leader := g.LeadingMember()
	if leader == nil {
		return
	}
	before := s.known.members
	s.known.members = make(map[uint64]told)
	for _, m := range replicas(g) {
		was, seen := before[m.ID]
		now := told{m.Address(), !m.Up}
		s.known.members[m.ID] = now
		about := fmt.Sprintf("slave %s %s %d @ %s %s %d", m.Address(), m.Host, m.Port, g.Name, leader.Host, leader.Port)
		if !seen || was.address != now.address {
			s.event("+slave", "%s", about)
			was.down = false
		}
		switch {
		case now.down && !was.down:
			s.event("+sdown", "%s", about)
		case was.down && !now.down:
			s.event("-sdown", "%s", about)
		}
	}
}

func masterEvent(g *topology.Group, m *topology.Member) string {
	return fmt.Sprintf("master %s %s %d", g.Name, m.Host, m.Port)
}

func (s *Sentinel) event(channel, format string, args ...any) {
	pubsub.Publish(s.engine.Home(), channel, fmt.Sprintf(format, args...))
}
