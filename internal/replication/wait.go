package replication

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// acked returns how many replicas have acknowledged the offset.
func (m *Master) acked(w *wait) (n int) {
	for _, r := range m.replicas {
		offset := r.acked
		if w.fsynced {
			offset = r.fsynced
		}
		if r.state == online && offset >= w.offset {
			n++
		}
	}
	return n
}

// met reports whether a wait is over.
func (m *Master) met(w *wait) bool { return m.acked(w) >= w.replicas && !w.local }

// block blocks the client until enough replicas have acknowledged all changes so far, or until the
// deadline, and then replies. It asks the replicas to acknowledge.
func (m *Master) block(c *engine.Call, deadline int64, w *wait) {
	w.offset = m.stream.changed
	if m.met(w) {
		w.reply(c.Session, m.acked(w))
		return
	}
	w.blocked = c.Block(deadline, func(s *engine.Session) { w.reply(s, m.acked(w)) })
	if w.blocked == nil {
		return
	}
	m.endWaits()
	m.waits = append(m.waits, w)
	if m.stream.running && m.link == nil {
		m.askReplicas()
	}
	if w.local {
		m.opts.Journal.Await(func() {
			w.local = false
			m.endWaits()
		})
	}
}

// askReplicas asks the replicas at once to acknowledge what they have.
func (m *Master) askReplicas() {
	m.feedWords("REPLCONF", "GETACK", "*")
	for _, r := range m.replicas {
		r.session.Wake()
	}
}

// endWaits unblocks the clients whose wait is met, and removes those that are not blocked any more.
func (m *Master) endWaits() {
	m.waits = slices.DeleteFunc(m.waits, func(w *wait) bool {
		if w.blocked.Ended() {
			return true
		}
		met := m.met(w)
		if met {
			w.blocked.End()
		}
		return met
	})
}

// lags reports whether a replica does not have all changes, and asks the replicas.
func (m *Master) lags() bool {
	if len(m.behind()) == 0 {
		return false
	}
	if m.link == nil && m.asked != m.stream.changed {
		m.asked = m.stream.changed
		m.askReplicas()
	}
	return true
}

// behind returns the replicas that have not acknowledged all changes. Those that never acknowledge
// anything do not count.
func (m *Master) behind() (list []*replica) {
	for _, r := range m.replicas {
		if !r.sync && !r.request.OnlySnapshot && !r.session.Closing() && r.acked < m.stream.changed {
			list = append(list, r)
		}
	}
	return list
}

// shutdown logs what the replicas have when the server ends.
func (m *Master) shutdown(engine.Shutdown) error {
	behind := m.behind()
	for _, r := range behind {
		m.opts.Log('*', "Lagging replica %s reported offset %d behind master, lag=%d, state=%s.", r.name(),
			m.stream.changed-r.acked, (m.engine.Home().Micros()-r.ackedAt)/1e6, stateNames[r.state])
	}
	if n := len(m.replicas); n > 0 {
		m.opts.Log('*', "%d of %d replicas are in sync when shutting down.", n-len(behind), n)
	}
	return nil
}
