package replication

import (
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Good replicas: with min-replicas-to-write the master refuses writes while fewer replicas than
// that are online and have been heard of in the last min-replicas-max-lag seconds. A parameter of 0
// turns this off.

// needsReplicas reports whether writes need replicas.
func (m *Master) needsReplicas() bool {
	return m.params.minReplicas > 0 && m.params.maxLag > 0
}

// goodReplicas returns how many replicas count.
func (m *Master) goodReplicas() (n int64) {
	for _, r := range m.replicas {
		if r.state == online && (m.engine.Home().Micros()-r.ackedAt)/1e6 <= m.params.maxLag {
			n++
		}
	}
	return n
}

// updateDenial refuses writes, or allows them again. Those of a replica come from its master, which
// has decided.
func (m *Master) updateDenial() {
	denied := m.link == nil && m.needsReplicas() && m.goodReplicas() < m.params.minReplicas
	if denied == m.denies {
		return
	}
	m.denies = denied
	var err error
	if denied {
		err = engine.ErrNoReplicas
	}
	m.engine.DenyWrites(partName, err)
}
