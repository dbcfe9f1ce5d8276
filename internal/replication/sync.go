package replication

import (
	"github.com/miniserver-go/miniserver/internal/engine"
)

// SYNC. The reply is a snapshot and then the stream.
func (m *Master) cmdSync(c *engine.Call) {
	r := m.replica(c.Session)
	if r.maySync(c) && m.isLinked(c) {
		r.sync = true
		m.fullSync(r)
	}
}

// PSYNC replicationid offset [FAILOVER]. The reply is the stream from the offset on if the backlog
// holds it, otherwise that of SYNC.
func (m *Master) cmdPSync(c *engine.Call) {
	r := m.replica(c.Session)
	if !r.maySync(c) {
		return
	}
	id, offset := c.Arg(), c.Int()
	if c.Left() > 0 && c.Word("FAILOVER") {
		m.takeOver(c, string(id))
	}
	switch {
	case !c.OK() || !m.isLinked(c):
	case m.stream.continues(id, offset):
		m.syncs.partial++
		r.resume(offset)
		m.opts.Log('*', "Partial resynchronization request from %s accepted from offset %d.", r.name(), offset)
	default:
		if string(id) != "?" {
			m.syncs.partialFailed++
			m.opts.Log('*', "%s", m.stream.whyNot(id, offset, r.name()))
		}
		r.sync = false
		m.fullSync(r)
	}
}

// isLinked refuses a synchronization while this server waits for its own master.
func (m *Master) isLinked(c *engine.Call) bool {
	if m.link != nil && m.link.state != connected {
		c.Refuse(errNoMasterLink)
	}
	return c.OK()
}

// takeOver makes this server the master, because its master asks for it with PSYNC ... FAILOVER.
func (m *Master) takeOver(c *engine.Call, id string) {
	m.opts.Log('*', "Failover request received for replid %s.", id)
	switch {
	case m.link == nil:
		c.Refuse(errFailover)
	case id != m.stream.id:
		c.Refuse(errFailoverID)
	default:
		m.promote()
		m.opts.Log('*', "MASTER MODE enabled (failover request from '%s')", c.Session.Info())
	}
}

// maySync reports whether a session may start a synchronization. It refuses the call, or ignores it
// if the replica is attached already.
func (r *replica) maySync(c *engine.Call) bool {
	switch {
	case r.Attached():
		return false
	case c.World.Topology != nil:
		c.Refuse(errGroupSync)
	case c.Reply.Len() > 0:
		c.Refuse(errPending)
	case (r.request.NoData || r.request.NoFunctions) && !r.request.EOF:
		c.Refuse(errNeedsEOF)
	}
	return c.OK()
}

// fullSync attaches a replica that waits for the next snapshot. That begins at once unless a
// snapshot is being taken.
func (m *Master) fullSync(r *replica) {
	m.opts.Log('*', "Replica %s asks for synchronization", r.name())
	m.warn(r)
	m.syncs.full++
	r.attach(waitBgsaveStart)
	m.startTransfer()
}

// startTransfer starts the transfer of a snapshot to the replicas that wait for one. Replicas whose
// request differs from that of the first wait for another transfer.
func (m *Master) startTransfer() {
	if m.engine.Home().Snapshotting() {
		return
	}
	var t *transfer
	for _, r := range m.replicas {
		switch {
		case r.state != waitBgsaveStart || r.gone():
			continue
		case t == nil:
			if !r.request.OnlySnapshot {
				m.startStream()
			}
			t = m.newTransfer(r.request)
		}
		if r.request == t.request {
			t.replicas = append(t.replicas, r)
			r.beginBulk()
		}
	}
	if t != nil {
		m.opts.Log('*', "Starting a snapshot for the full synchronization of %d replicas", len(t.replicas))
		m.opts.Spawn(t.run)
	}
}
