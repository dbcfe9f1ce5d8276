package replication

import (
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/replication/psync"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

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

// continueHistory is called when the master goes on with the history that this server has. The
// master may have given it a new id.
func (m *Master) continueHistory(id string) error {
	st := &m.stream
	if id != st.id {
		st.id2, st.until2, st.id = st.id, st.offset+1, id
		m.opts.Log('*', "Master replication ID changed to %s", id)
		m.dropReplicas()
	}
	return nil
}

// promote makes this server a master. Its history goes on under a new id; up to here it has the old
// one as well, so that other replicas of the old master can go on with this server.
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
