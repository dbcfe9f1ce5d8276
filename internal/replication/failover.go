package replication

import (
	"github.com/miniserver-go/miniserver/internal/engine"
)

// abortFailover ends a failover, and makes this server the master again.
func (m *Master) abortFailover(reason string) {
	m.opts.Log('*', "Aborting failover: %s", reason)
	if m.failover.state == inProgress {
		m.promote()
	}
	m.clearFailover()
}

// failedOver is called when the new master has accepted this server as its replica, which may still
// need a snapshot.
func (m *Master) failedOver() {
	if m.failover.state == inProgress {
		m.clearFailover()
	}
}

func (m *Master) clearFailover() {
	m.failover = failover{}
	m.engine.Home().Unpause(engine.PausedForFailover)
}
