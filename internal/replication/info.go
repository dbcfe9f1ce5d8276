package replication

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// fillStats writes the fields of INFO stats.
func (m *Master) fillStats(_ *engine.World, b *bytes.Buffer) {
	engine.Fields(b, "sync_full", m.syncs.full, "sync_partial_ok", m.syncs.partial, "sync_partial_err",
		m.syncs.partialFailed, "total_net_repl_input_bytes", m.traffic.in, "total_net_repl_output_bytes", m.traffic.out,
		"instantaneous_input_repl_kbps", m.traffic.inRate.Kilobytes(), "instantaneous_output_repl_kbps",
		m.traffic.outRate.Kilobytes())
}

// resetStats is CONFIG RESETSTAT.
func (m *Master) resetStats(*engine.World) { m.syncs, m.traffic = syncs{}, traffic{} }

// fillPersistence writes the field of INFO persistence. A snapshot from the master is always loaded
// beside the data.
func (m *Master) fillPersistence(_ *engine.World, b *bytes.Buffer) {
	engine.Fields(b, "async_loading", bit(m.link != nil && m.link.state == transfers))
}

// fillMemory writes the fields of INFO memory.
func (m *Master) fillMemory(_ *engine.World, b *bytes.Buffer) {
	total, backlog := m.bufferBytes()
	engine.Fields(b, "mem_replication_backlog", backlog, "mem_total_replication_buffers", total,
		"mem_replicas_repl_buffer", 0)
}

// fillReplication writes the fields of INFO replication.
func (m *Master) fillReplication(w *engine.World, b *bytes.Buffer) {
	if g := w.Group(); g != nil {
		fillGroup(b, g, &m.stream, m.params.backlogSize)
		return
	}
	if m.link == nil {
		engine.Fields(b, "role", "master")
	} else {
		m.link.fill(b)
	}
	engine.Fields(b, "connected_slaves", len(m.replicas))
	if m.needsReplicas() {
		engine.Fields(b, "min_slaves_good_slaves", m.goodReplicas())
	}
	engine.Fields(b, "replicas_waiting_psync", 0)
	for i, r := range m.replicas {
		lag := int64(0)
		if r.state >= waitAck {
			lag = (m.engine.Home().Micros() - r.ackedAt) / 1e6
		}
		engine.Fields(b, fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=%d",
			r.host(), r.port, stateNames[r.state], r.acked, lag))
	}
	m.stream.fill(b, failoverStates[m.failover.state], m.params.backlogSize)
}

// fill writes the fields about the master.
func (l *link) fill(b *bytes.Buffer) {
	m := l.master
	now, status, silent := m.engine.Home().Micros()/1e6, "down", int64(-1)
	if l.state == connected {
		status, silent = "up", now-l.lastInput/1e6
	}
	syncing := 0
	if l.state == transfers {
		syncing = 1
	}
	engine.Fields(b, "role", "slave", "master_host", l.host, "master_port", l.port, "master_link_status", status,
		"master_last_io_seconds_ago", silent, "master_sync_in_progress", syncing,
		"slave_read_repl_offset", m.stream.offset+int64(len(l.pending)), "slave_repl_offset", m.stream.offset,
		"replica_full_sync_buffer_size", 0, "replica_full_sync_buffer_peak", 0,
		"replicas_repl_buffer_size", 0, "replicas_repl_buffer_peak", 0,
		"master_current_sync_attempts", l.attempts.since, "master_total_sync_attempts", l.attempts.all)
	if l.state == transfers {
		l.transfer.fill(b, now)
	}
	downFor := m.downFor
	if l.state == connected {
		engine.Fields(b, "master_link_up_since_seconds", now-l.upSince, "master_client_io_thread", 0)
	} else {
		down := int64(-1)
		if l.downSince != 0 {
			down = now - l.downSince
			downFor += down
		}
		engine.Fields(b, "master_link_down_since_seconds", down)
	}
	engine.Fields(b, "total_disconnect_time_sec", downFor)
	readOnly := m.engine.Params.Named("replica-read-only").Get() == config.YesNo(true)
	engine.Fields(b, "slave_priority", m.params.priority, "slave_read_only", bit(readOnly), "replica_announced",
		bit(m.params.announced))
}

// fill writes the fields about the transfer of a snapshot.
func (t *transferred) fill(b *bytes.Buffer, now int64) {
	left, percent := t.total-t.read, 0.0
	if t.total > 0 {
		percent = float64(t.read) / float64(t.total) * 100
	}
	engine.Fields(b, "master_sync_total_bytes", t.total, "master_sync_read_bytes", t.read, "master_sync_left_bytes",
		left, "master_sync_perc", fmt.Sprintf("%.2f", percent), "master_sync_last_io_seconds_ago", now-t.at)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ROLE
func (m *Master) cmdRole(c *engine.Call) {
	if g := c.World.Group().For(c.Session.Client().TLS); g != nil {
		replyGroupRole(c, g)
		return
	}
	if m.link != nil {
		m.link.reportRole(c)
		return
	}
	c.Reply.Array(3)
	c.Reply.BulkString("master")
	c.Reply.Int(m.stream.offset)
	at, n := c.Reply.Defer(), 0
	for _, r := range m.replicas {
		if r.state < waitAck {
			continue
		}
		n++
		replyReplica(c, r.host(), r.port, r.acked)
	}
	c.Reply.SetArray(at, n)
}

// reportRole is ROLE on a replica.
func (l *link) reportRole(c *engine.Call) {
	offset := int64(-1)
	if l.state == connected {
		offset = l.master.stream.offset
	}
	replySlave(c, l.host, l.port, linkStates[l.state], offset)
}

// DEBUG CHANGE-REPL-ID
func (m *Master) debugChangeID(c *engine.Call) {
	m.stream.newHistory(m.engine.Home().NewID())
	c.Reply.Status("OK")
}

// DEBUG REPLICATE command [argument ...]
func (m *Master) debugReplicate(c *engine.Call) {
	if command := c.Rest(); m.stream.running && m.link == nil {
		m.feed(engine.AnyDB, command)
	}
	c.Reply.Status("OK")
}
