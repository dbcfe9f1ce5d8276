package replication

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/engine"
)

// fillStats writes the fields of INFO stats.
func (m *Master) fillStats(b *bytes.Buffer) {
	engine.Fields(b, "sync_full", m.syncs.full, "sync_partial_ok", m.syncs.partial, "sync_partial_err", m.syncs.partialFailed)
}

// fillMemory writes the fields of INFO memory.
func (m *Master) fillMemory(b *bytes.Buffer) {
	backlog, output := m.stream.backlog.size(), 0
	for _, r := range m.replicas {
		output += r.session.Output()
	}
	engine.Fields(b, "mem_replication_backlog", backlog, "mem_total_replication_buffers", backlog+output)
}

// fillReplication writes the fields of INFO replication.
func (m *Master) fillReplication(b *bytes.Buffer) {
	st := &m.stream
	engine.Fields(b, "role", "master", "connected_slaves", len(m.replicas))
	if m.needsReplicas() {
		engine.Fields(b, "min_slaves_good_slaves", m.goodReplicas())
	}
	engine.Fields(b, "replicas_waiting_psync", 0)
	for i, r := range m.replicas {
		lag := int64(0)
		if r.state >= waitAck {
			lag = (m.engine.Micros() - r.ackedAt) / 1e6
		}
		engine.Fields(b, fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=%d",
			r.host(), r.port, stateNames[r.state], r.acked, lag))
	}
	active, first := 0, int64(0)
	if st.running {
		active, first = 1, st.first()
	}
	engine.Fields(b, "master_failover_state", "no-failover", "master_replid", st.id, "master_replid2", fmt.Sprintf("%040d", 0),
		"master_repl_offset", st.offset, "second_repl_offset", -1, "repl_backlog_active", active,
		"repl_backlog_size", m.params.backlogSize, "repl_backlog_first_byte_offset", first, "repl_backlog_histlen", st.backlog.held)
}

// ROLE
func (m *Master) cmdRole(c *engine.Call) {
	c.Reply.Array(3)
	c.Reply.BulkString("master")
	c.Reply.Int(m.stream.offset)
	at, n := c.Reply.Defer(), 0
	for _, r := range m.replicas {
		if r.state < waitAck {
			continue
		}
		n++
		c.Reply.Array(3)
		c.Reply.BulkString(r.host())
		c.Reply.BulkString(fmt.Sprint(r.port))
		c.Reply.BulkString(fmt.Sprint(r.acked))
	}
	c.Reply.SetArray(at, n)
}

// DEBUG CHANGE-REPL-ID
func (m *Master) debugChangeID(c *engine.Call) {
	m.stream.id = m.engine.NewID()
	c.Reply.Status("OK")
}

// DEBUG REPLICATE command [argument ...]
func (m *Master) debugReplicate(c *engine.Call) {
	if command := c.Rest(); m.stream.running {
		m.feed(engine.AnyDB, command)
	}
	c.Reply.Status("OK")
}
