package replication

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// checkFailover hands over to a replica that has everything, or ends what takes too long.
func (m *Master) checkFailover() {
	f := &m.failover
	if f.state != waitForSync {
		return
	}
	if f.deadline != 0 && m.engine.Home().Millis() >= f.deadline {
		if !f.force {
			m.abortFailover("Replica never caught up before timeout")
			return
		}
		m.opts.Log('*', "Failover to %s:%d time out exceeded, failing over.", f.host, f.port)
		m.handOver()
		return
	}
	for _, r := range m.replicas {
		if r.state == online && r.acked == m.stream.offset && (f.host == "" || r.host() == f.host && r.port == f.port) {
			f.host, f.port = r.host(), r.port
			m.opts.Log('*', "Failover target %s:%d is synced, failing over.", f.host, f.port)
			m.handOver()
			return
		}
	}
}

// handOver makes this server the replica of the target, which becomes a master when it gets the
// PSYNC.
func (m *Master) handOver() {
	m.failover.state = inProgress
	m.follow(m.failover.host, m.failover.port)
	m.link.failover = true
}

// FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]
func (m *Master) cmdFailover(c *engine.Call) {
	if c.World.Topology != nil && c.World.Node == nil {
		c.Fail(errFailoverGroup)
		return
	}
	if c.Engine.Config.Cluster {
		c.Fail(errFailoverCluster)
		return
	}
	if c.Left() == 1 && c.Word("ABORT") {
		m.cmdAbort(c)
		return
	}
	f := failoverOptions(c)
	switch {
	case m.failover.state != noFailover:
		c.Refuse(errFailoverTwice)
	case m.link != nil:
		c.Refuse(errFailoverReplica)
	case len(m.replicas) == 0:
		c.Refuse(errFailoverNoReplica)
	case f.force && (f.deadline == 0 || f.host == ""):
		c.Refuse(errFailoverForce)
	case f.host != "":
		m.checkTarget(c, &f)
	}
	if !c.OK() {
		return
	}
	if f.deadline != 0 {
		f.deadline += c.World.Millis()
	}
	if f.host == "" {
		m.opts.Log('*', "FAILOVER requested to any replica.")
	} else {
		m.opts.Log('*', "FAILOVER requested to %s:%d.", f.host, f.port)
	}
	f.state = waitForSync
	m.failover = f
	m.engine.Home().Pause(engine.PausedForFailover, math.MaxInt64, false)
	c.Reply.Status("OK")
}

// failoverOptions reads the options. The deadline is relative.
func failoverOptions(c *engine.Call) (f failover) {
	for c.More() {
		switch {
		case c.Left() > 1 && f.deadline == 0 && c.Word("TIMEOUT"):
			if f.deadline = c.Int(); f.deadline <= 0 {
				c.Refuse(errFailoverTimeout)
			}
		case c.Left() > 2 && f.host == "" && c.Word("TO"):
			f.host, f.port = string(c.Arg()), c.Int()
		case !f.force && c.Word("FORCE"):
			f.force = true
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return f
}

// checkTarget refuses a target that is no replica, or whose snapshot is not sent yet.
func (m *Master) checkTarget(c *engine.Call, f *failover) {
	r := m.replicaAt(f.host, f.port)
	switch {
	case r == nil:
		c.Refuse(errFailoverTarget)
	case r.state < waitAck || r.request.OnlySnapshot:
		c.Refuse(errFailoverOffline)
	}
}

// replicaAt returns the replica that listens at an address, nil for none.
func (m *Master) replicaAt(host string, port int64) *replica {
	for _, r := range m.replicas {
		if r.host() == host && r.port == port {
			return r
		}
	}
	return nil
}

// FAILOVER ABORT
func (m *Master) cmdAbort(c *engine.Call) {
	if m.failover.state == noFailover {
		c.Fail(errFailoverNone)
		return
	}
	m.abortFailover("Failover manually aborted")
	c.Reply.Status("OK")
}
