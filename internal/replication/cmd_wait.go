package replication

import "github.com/miniserver-go/miniserver/internal/engine"

// WAIT numreplicas timeout
func (m *Master) cmdWait(c *engine.Call) {
	replicas, deadline := c.Int(), c.DeadlineAfter(c.Arg())
	m.refuseOnReplica(c, errWait)
	switch g := c.World.Group(); {
	case !c.OK():
	case g != nil:
		waitInGroup(c, g, int(replicas), deadline)
	default:
		m.block(c, deadline,
			&wait{replicas: int(replicas), reply: func(s *engine.Session, n int) { s.Reply.Int(int64(n)) }})
	}
}

// WAITAOF numlocal numreplicas timeout
func (m *Master) cmdWaitAOF(c *engine.Call) {
	local := c.Int()
	if local < 0 || local > 1 {
		c.Refusef(engine.ErrRange, 0, 1)
	}
	replicas := c.IntIn(0, 1<<63-1, engine.ErrNotPositive)
	deadline := c.DeadlineAfter(c.Arg())
	enabled, synced := m.opts.Journal.Synced()
	if local != 0 && !enabled {
		c.Refuse(errWaitAOF)
	}
	m.refuseOnReplica(c, errWaitAOFReplica)
	if !c.OK() {
		return
	}
	w := &wait{replicas: int(replicas), fsynced: true, local: local != 0 && !synced}
	w.reply = func(s *engine.Session, n int) {
		here := int64(0)
		if _, synced := m.opts.Journal.Synced(); synced || local != 0 && !w.local {
			here = 1
		}
		s.Reply.Array(2)
		s.Reply.Int(here)
		s.Reply.Int(int64(n))
	}
	m.block(c, deadline, w)
}

// refuseOnReplica refuses the call if this server is a replica, or a member of a group that does
// not lead.
func (m *Master) refuseOnReplica(c *engine.Call, err error) {
	if g := c.World.Group(); m.link != nil || g != nil && !g.Seated {
		c.Refuse(err)
	}
}
