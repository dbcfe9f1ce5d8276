package replication

import "github.com/miniserver-go/miniserver/internal/engine"

// follow makes this server the replica of another. Its own history, if it has one, is offered to
// the new master, which may be a former replica and know it. Replicas of this server stay: they are
// disconnected when it turns out to get another history.
func (m *Master) follow(host string, port int64) {
	was := m.link
	m.link = m.newLink(host, port)
	m.setRole()
	if was == nil {
		m.opts.Log('*', "Before turning into a replica, using my own master parameters to synthesize a cached master: "+
			"I may be able to synchronize with the new master with just a partial transfer.")
		m.engine.SetPropagate(partName, nil)
	} else {
		if m.link.downSince = was.downSince; was.state == connected {
			m.link.downSince = m.engine.Home().Micros() / 1e6
		}
		was.end()
	}
	m.endWaits()
	m.updateDenial()
	m.started = true
	if m.opts.Dial != nil {
		m.opts.Spawn(m.link.run)
	}
}

// toMaster is REPLICAOF NO ONE.
func (m *Master) toMaster(c *engine.Call) {
	if m.link != nil {
		m.promote()
		m.opts.Log('*', "MASTER MODE enabled (user request from '%s')", c.Session.Info())
	}
	c.Reply.Status("OK")
}

// REPLICAOF <host port | NO ONE>
func (m *Master) cmdReplicaOf(c *engine.Call) {
	switch {
	case c.World.Topology != nil && c.World.Node == nil:
		c.Refuse(errGroupReplica)
	case c.Engine.Config.Cluster:
		c.Refuse(errClusterReplica)
	case m.failover.state != noFailover:
		c.Refuse(errReplicaOfInFailover)
	case c.Left() == 2 && c.Word("NO"):
		if c.Word("ONE") {
			m.toMaster(c)
			return
		}
		c.Skip(-1)
	}
	host, port := string(c.Arg()), c.IntIn(0, 65535, errMasterPort)
	if !c.OK() {
		return
	}
	if l := m.link; l != nil && l.host == host && l.port == port {
		m.opts.Log('*', "REPLICAOF would result into synchronization with the master we are already connected with. "+
			"No operation performed.")
		c.Reply.Status("OK Already connected to specified master")
		return
	}
	m.follow(host, port)
	m.opts.Log('*', "REPLICAOF %s:%d enabled (user request from '%s')", host, port, c.Session.Info())
	c.Reply.Status("OK")
}
