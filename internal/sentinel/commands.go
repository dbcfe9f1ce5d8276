package sentinel

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/resp"
)

// named reads the name of a master, and returns the group. Any name but the group's latches an
// error.
func (s *Sentinel) named(c *engine.Call) *topology.Group {
	g := s.engine.Group().For(c.Session.Client().TLS)
	if string(c.Arg()) != g.Name {
		c.Refuse(errNoMaster)
	}
	return g
}

// SENTINEL GET-MASTER-ADDR-BY-NAME master-name
//
// Replies: host and port; null for another name, and while no leader is known.
func (s *Sentinel) cmdAddress(c *engine.Call) {
	g := s.engine.Group().For(c.Session.Client().TLS)
	leader := g.LeadingMember()
	if string(c.Arg()) != g.Name || leader == nil {
		c.Reply.NullArray()
		return
	}
	c.Reply.Array(2)
	c.Reply.BulkString(leader.Host)
	c.Reply.BulkString(fmt.Sprint(leader.Port))
}

// SENTINEL MASTER master-name
func (s *Sentinel) cmdMaster(c *engine.Call) {
	if g := s.named(c); c.OK() {
		masterOf(g).reply(c.Reply)
	}
}

// SENTINEL MASTERS
func (s *Sentinel) cmdMasters(c *engine.Call) {
	c.Reply.Array(1)
	masterOf(s.engine.Group().For(c.Session.Client().TLS)).reply(c.Reply)
}

// SENTINEL REPLICAS master-name, SENTINEL SLAVES master-name
func (s *Sentinel) cmdReplicas(c *engine.Call) {
	if g := s.named(c); c.OK() {
		replyAll(c.Reply, g, replicas(g), replicaOf)
	}
}

// SENTINEL SENTINELS master-name
func (s *Sentinel) cmdSentinels(c *engine.Call) {
	if g := s.named(c); c.OK() {
		replyAll(c.Reply, g, others(g), sentinelOf)
	}
}

// replyAll replies with the fields of some members.
func replyAll(w *resp.Writer, g *topology.Group, members []topology.Member,
	fields func(*topology.Group, *topology.Member) instance) {
	w.Array(len(members))
	for i := range members {
		fields(g, &members[i]).reply(w)
	}
}

// SENTINEL MYID
func (s *Sentinel) cmdMyID(c *engine.Call) {
	g := s.engine.Group()
	c.Reply.BulkString(g.NodeID(g.Self))
}

// SENTINEL CKQUORUM master-name
func (s *Sentinel) cmdQuorum(c *engine.Call) {
	g := s.named(c)
	n := g.Reachable()
	if g.Leader == 0 || n < g.Quorum() {
		c.Refusef(errNoQuorum, n)
	}
	if c.OK() {
		c.Reply.Status(fmt.Sprintf("OK %d usable Sentinels. Quorum and failover authorization can be reached", n))
	}
}

// SENTINEL IS-MASTER-DOWN-BY-ADDR ip port current-epoch runid
//
// Replies: whether it is down; and a vote, which no member gives: the group has elections of its
// own.
func (s *Sentinel) cmdIsDown(c *engine.Call) {
	ip, port := string(c.Arg()), c.Int()
	c.Int()
	c.Arg()
	if !c.OK() {
		return
	}
	g := s.engine.Group().For(c.Session.Client().TLS)
	last := g.LastLeader()
	down := last != nil && g.Leader == 0 && last.Host == ip && int64(last.Port) == port
	c.Reply.Array(3)
	c.Reply.Int(bit(down))
	c.Reply.BulkString("*")
	c.Reply.Int(0)
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// SENTINEL FAILOVER master-name. The leader hands its seat to the member that has the most of the
// log.
func (s *Sentinel) cmdFailover(c *engine.Call) {
	g := s.named(c)
	switch leader := g.LeadingMember(); {
	case c.Failed():
	case leader == nil:
		c.Refuse(errUnderWay)
	case !g.Seated:
		c.Refusef(errNotLeader, leader.Address())
	case g.Reachable() < 2:
		c.Refuse(errNoReplica)
	}
	if c.OK() {
		s.engine.Home().Topology.Transfer(0, s.handedOver)
		c.Reply.Status("OK")
	}
}

// handedOver logs a failover that failed; one that succeeded shows.
func (s *Sentinel) handedOver(err error) {
	if err != nil {
		s.engine.With(func() { s.engine.Log('#', "SENTINEL FAILOVER failed: %v", err) })
	}
}

// SENTINEL PENDING-SCRIPTS. There are none.
func (s *Sentinel) cmdScripts(c *engine.Call) { c.Reply.Array(0) }

// SENTINEL REMOVE master-name, SENTINEL SET master-name option value [option value ...]
func (s *Sentinel) cmdRefused(c *engine.Call) {
	s.named(c)
	c.Refuse(errFixed)
	c.OK()
}

// SENTINEL RESET pattern. Nothing but the group could be reset.
func (s *Sentinel) cmdReset(c *engine.Call) {
	if glob.Match(string(c.Arg()), []byte(s.engine.Group().Name)) {
		c.Fail(errFixed)
		return
	}
	c.Reply.Int(0)
}

// SENTINEL MONITOR name ip port quorum
func (s *Sentinel) cmdMonitor(c *engine.Call) {
	name := string(c.Next(2)[0])
	c.IntOr(errPort)
	if quorum := c.IntOr(errInvalid); !c.Failed() && quorum < 1 {
		c.Refuse(errQuorum)
	}
	if name == s.engine.Group().Name {
		c.Refuse(errDuplicate)
	}
	c.Refuse(errFixed)
	c.OK()
}
