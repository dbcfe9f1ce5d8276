package server

import (
	"math"
	"net"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// tendRelays closes the relays to a leader that has been replaced. It is called under the engine's
// lock.
func (s *Server) tendRelays() (next int64) {
	if !s.forwards.Load() {
		return 0
	}
	if g := s.engine.Group(); g != nil && g.LeadingMember() != nil {
		leader := g.LeadingMember().Address()
		s.relays.close(false, func(r *relay) bool { return r.address != "" && r.address != leader })
	}
	return 0
}

// forward waits for the first command of a connection. It passes the connection on to the leader
// until it ends, or gives it to an event loop.
func (s *Server) forward(nc net.Conn) {
	r := &relay{client: nc}
	if !s.relays.add(r) {
		_ = nc.Close()
		s.counts.clients.Add(-1)
		return
	}
	first := make([]byte, relayFirst)
	n, err := nc.Read(first)
	first = first[:n]
	leader, stays := "", err != nil
	if !stays {
		leader, stays = s.destination(r, first)
	}
	if stays && s.relays.remove(r) {
		c := s.newConn(endpoint(nc))
		c.first = first
		s.enroll(nc, c)
		return
	}
	if leader != "" {
		s.pass(r, leader, first)
	} else {
		_, _ = nc.Write([]byte("-" + errNoLeader + "\r\n"))
	}
	s.relays.close(false, func(other *relay) bool { return other == r })
	s.counts.clients.Add(-1)
}

// destination returns the address of the leader to which a connection is to be passed on, or that
// it stays; neither if no leader is found in time.
func (s *Server) destination(r *relay, first []byte) (leader string, stays bool) {
	words := firstCommand(first)
	for end := time.Now().Add(s.relays.patience); time.Now().Before(end) && s.relays.has(r); time.Sleep(relayPause) {
		s.engine.With(func() {
			g := s.engine.Group()
			if stays = g == nil || g.Seated || !passes(s.engine, words); stays {
				return
			}
			if m := g.LeadingMember(); m != nil && m.ID != g.Self {
				leader = m.Address()
			}
		})
		if stays || leader != "" {
			break
		}
	}
	return leader, stays
}

// passes reports whether a client whose first command this is may be connected to the leader
// instead of this member: unless the command is an operator's, or one about the group or the
// cluster, by which clients also read from this member. The command may be incomplete. It is called
// under the lock. A probe passes only if there is a leader: it tells whether the server is there.
func passes(e *engine.Engine, first [][]byte) bool {
	if len(first) == 0 {
		return true
	}
	cmd, _ := e.Commands.Resolve(first)
	return cmd == nil || cmd.Flags&command.Admin == 0 && !slices.Contains(ownFamilies, cmd.Group()) &&
		(cmd.Flags&command.HealthCheck == 0 || e.Group().LeadingMember() != nil)
}

// ownFamilies are the groups of commands that concern the server to which they are sent.
var ownFamilies = []string{"cluster", "group", "sentinel"}

// pass relays a connection, of which the first bytes have arrived.
func (s *Server) pass(r *relay, leader string, first []byte) {
	out, err := net.DialTimeout("tcp", leader, relayDial)
	if err != nil {
		s.log('#', "Forwarding a client to the leader at %s: %v", leader, err)
		_, _ = r.client.Write([]byte("-" + errNoLeader + "\r\n"))
		return
	}
	if s.relays.connected(r, out, leader) {
		r.run(first)
	}
}

// firstCommand returns the first command among the first bytes of a connection, or what is there of
// it.
func firstCommand(first []byte) [][]byte {
	var b batch
	b.parse(first, limits{bulk: math.MaxInt64, authed: true})
	if len(b.commands) > 0 {
		return b.commands[0]
	}
	return b.args
}
