package replication

import (
	"cmp"
	"fmt"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/replication/psync"
)

// REPLICAOF <host port | NO ONE>
func (m *Master) cmdReplicaOf(c *engine.Call) {
	switch {
	case c.Engine.Topology() != nil:
		c.Refuse(errGroupReplica)
	case c.Engine.InCluster():
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

// toMaster is REPLICAOF NO ONE.
func (m *Master) toMaster(c *engine.Call) {
	if m.link != nil {
		m.promote()
		m.opts.Log('*', "MASTER MODE enabled (user request from '%s')", c.Session.Info())
	}
	c.Reply.Status("OK")
}

// follow makes this server the replica of another. Its own history, if it has one, is offered to the new master, which may be a
// former replica and know it. Replicas of this server stay: they are disconnected when it turns out to get another history.
func (m *Master) follow(host string, port int64) {
	was := m.link
	m.link = m.newLink(host, port)
	m.setRole()
	if was == nil {
		m.opts.Log('*', "Before turning into a replica, using my own master parameters to synthesize a cached master: "+
			"I may be able to synchronize with the new master with just a partial transfer.")
		m.engine.SetPropagate(partName, nil)
	} else {
		was.end()
	}
	m.endWaits()
	m.updateDenial()
	m.started = true
	if m.opts.Dial != nil {
		m.opts.Spawn(m.link.run)
	}
}

// promote makes this server a master. Its history goes on under a new id; up to here it has the old one as well, so that other
// replicas of the old master can go on with this server.
func (m *Master) promote() {
	m.link.end()
	m.link = nil
	m.setRole()
	if m.stream.running {
		m.shiftID()
		m.engine.SetPropagate(partName, m.feed)
	}
	m.dropReplicas() // which learn the new id when they come back
	m.leftAt, m.pingAt = m.engine.Home().Micros(), m.engine.Home().Micros()
	m.updateDenial()
}

// shiftID gives the stream a new id from here on.
func (m *Master) shiftID() {
	st := &m.stream
	st.id2, st.until2, st.id = st.id, st.offset+1, m.engine.Home().NewID()
	st.db, st.changed = -1, st.offset
	m.opts.Log('*', "Setting secondary replication ID to %s, valid up to offset: %d. New replication ID is %s", st.id2, st.until2, st.id)
}

// setRole tells the engine whose data it has.
func (m *Master) setRole() {
	m.engine.SetRole(engine.Role{Replica: m.link != nil, Down: m.link != nil && m.link.state != connected})
}

// dropReplicas disconnects all replicas.
func (m *Master) dropReplicas() {
	for _, r := range m.replicas {
		r.session.Disconnect()
	}
}

// beginHistory replaces the data by those of the master, and the history by the master's.
func (m *Master) beginHistory(c *snapshot.Copy, a psync.Answer) error {
	if err := c.Replace(); err != nil {
		return err
	}
	m.dropReplicas()
	m.stream.restart(a.ID, a.Offset, c.History().DB, m.backlogBytes())
	m.opts.Journal.Restart()
	return nil
}

// continueHistory is called when the master goes on with the history that this server has. The master may have given it a new id.
func (m *Master) continueHistory(id string) error {
	st := &m.stream
	if id != st.id {
		st.id2, st.until2, st.id = st.id, st.offset+1, id
		m.opts.Log('*', "Master replication ID changed to %s", id)
		m.dropReplicas()
	}
	return nil
}

// announcedPort returns the port on which replicas and clients reach this server.
func (m *Master) announcedPort() int64 {
	own := int64(0)
	name := "port"
	if m.params.tls {
		name = "tls-port"
	}
	if p := m.engine.Param(name); p != nil {
		_, _ = fmt.Sscan(p.Get(), &own)
	}
	return cmp.Or(m.params.announcePort, own)
}
