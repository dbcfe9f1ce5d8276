package engine

import (
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Role says where the data of the home world come from: from clients, or from another server.
type Role struct {
	Replica bool // a master writes the data, and deletes what expires
	Down    bool // that master is not connected
}

// replicaRules are the parameters that say what a replica may do.
// The members of a group may do none of it, whatever the parameters say.
type replicaRules struct {
	readOnly      bool // clients may not write
	servesStale   bool // clients may read while the master is not connected
	ignoresMemory bool // maxmemory is the master's concern

	own ownKeys
}

func newReplicaRules() replicaRules {
	return replicaRules{readOnly: true, servesStale: true, ignoresMemory: true, own: ownKeys{}}
}

// ownKeys are keys with deadlines that clients of a replica have written: this server removes them
// when they are due.
type ownKeys map[dbKey]bool

// note notes a key that a client has written.
func (own ownKeys) note(db *keyspace.DB, key []byte) {
	if deadline, ok := db.Deadline(key); ok && deadline != 0 {
		own[dbKey{db.ID(), string(key)}] = true
	}
}

// ownAtOnce is how many keys of its own a replica looks at in one Tick.
const ownAtOnce = 64

// expire removes those that are due.
func (own ownKeys) expire(ks *keyspace.Keyspace) {
	looked := 0
	for k := range own {
		if looked++; looked > ownAtOnce {
			break
		}
		if ks.DB(k.db).Expiry().RemoveDue([]byte(k.key)) {
			delete(own, k)
		}
	}
}

// roleParams are the parameters of what a replica may do.
func (e *Engine) roleParams() []config.Param {
	r := &e.asReplica
	return []config.Param{
		config.Bool("replica-read-only", &r.readOnly, "slave-read-only"),
		config.Bool("replica-serve-stale-data", &r.servesStale, "slave-serve-stale-data"),
		config.Bool("replica-ignore-maxmemory", &r.ignoresMemory, "slave-ignore-maxmemory"),
	}
}

// RoleLetter is what lines of the log have for the role: M for a master, S for a replica. It needs
// no lock.
func (e *Engine) RoleLetter() byte {
	if e.logsReplica.Load() {
		return 'S'
	}
	return 'M'
}

// Role returns the role of the home world. It is called under the lock.
func (e *Engine) Role() Role { return e.home.role }

// isReadOnly reports whether clients of the world may not write, because a master does.
func (w *World) isReadOnly() bool {
	return w.role.Replica && (w.engine.asReplica.readOnly || w.engine.Topology != nil)
}

// isStale reports whether the data of the world may be old, and must not be read.
func (w *World) isStale() bool {
	return w.role.Replica && w.role.Down && (!w.engine.asReplica.servesStale || w.engine.Topology != nil)
}

// leavesMemoryToMaster reports whether the world evicts nothing.
func (w *World) leavesMemoryToMaster() bool {
	return w.role.Replica && (w.engine.asReplica.ignoresMemory || w.engine.Topology != nil)
}

// ScriptRefusal returns the error that refuses a script on a replica, nil for none: one that says
// it may write, unless readOnly, and one that does not read stale data, where they are all there
// is.
func (c *Call) ScriptRefusal(readOnly, readsStale bool) error {
	switch {
	case c.Session.Obeyed():
	case c.World.isStale() && !readsStale:
		return ErrMasterDown
	case c.World.isReadOnly() && !readOnly:
		return ErrReadOnly
	}
	return nil
}
