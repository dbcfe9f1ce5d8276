package engine

import (
	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Role says where the data of a world come from: from clients, or from another server.
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

// removesOwn reports whether Tick is to remove keys of a replica's own when they are due.
func (w *World) removesOwn() bool {
	return w.role.Replica && w.pause.deadline == 0 && len(w.engine.asReplica.own) > 0
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
	return w.role.Replica && (w.engine.asReplica.readOnly || w.Topology != nil)
}

// isStale reports whether the data of the world may be old, and must not be read.
func (w *World) isStale() bool {
	return w.role.Replica && w.role.Down && (!w.engine.asReplica.servesStale || w.Topology != nil)
}

// leavesMemoryToMaster reports whether the world evicts nothing.
func (w *World) leavesMemoryToMaster() bool {
	return w.role.Replica && (w.engine.asReplica.ignoresMemory || w.Topology != nil)
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

// What a server does as the replica of another. Package replication receives the stream of the
// master; here its commands run.

// SetRole changes the role of the home world. It is called under the lock.
func (e *Engine) SetRole(r Role) {
	e.logsReplica.Store(r.Replica)
	e.home.SetRole(r)
	if !r.Replica {
		clear(e.asReplica.own)
	}
}

// SetRole changes the role of the world. When it becomes a replica, blocked clients get an error: a
// replica's clients may not take what they wait for. It is called under the lock.
func (w *World) SetRole(r Role) {
	was := w.role
	w.role = r
	w.keepExpired()
	if r.Replica && !was.Replica {
		w.unblockAll()
		if w.Topology != nil && w.Node == nil {
			w.sendAway()
		}
	}
}

// sendAway closes the connections of clients of a group's leader that leads no more, so that they
// look for the new one: some do so only when they have to connect. Redis' Sentinel has a master do
// the same, which the nodes of a cluster do not. Subscribers stay, since all members pass messages
// on.
func (w *World) sendAway() {
	for _, s := range w.clients {
		if s.Peer != nil && !s.master && !s.Monitors && s.Class() == ClassNormal {
			s.CloseAfterReply()
			s.Wake()
		}
	}
}

// unblockAll ends all blocked commands of the world with an error, and then their connections.
func (w *World) unblockAll() {
	for len(w.blocked.all) > 0 {
		b := w.blocked.all[0]
		w.endBlock(b, ErrRoleChanged)
		b.session.CloseAfterReply()
	}
}

// ConnectMaster registers the session of this server's master, whose commands Apply executes. They
// pass no gate, and nothing is replied. Peer is woken when the session is to be closed. The caller
// must Close it.
func (e *Engine) ConnectMaster(peer Peer, from Endpoint) *Session {
	s := e.Connect(peer, from)
	e.With(func() {
		s.master, s.authed, s.everAuthed, s.user = true, true, true, acl.Default(nil)
		s.regroup()
	})
	return s
}

// NewMaster returns a session like that of ConnectMaster that is no client: for the log of a group,
// which has no connection.
func (e *Engine) NewMaster() *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.home.NewMaster()
}

// NewMaster is that of an engine for another world. It is called under the lock.
func (w *World) NewMaster() *Session {
	s := w.engine.bareSession()
	s.master, s.authed, s.everAuthed, s.user, s.world = true, true, true, acl.Default(nil), w
	return s
}

// IsMaster reports whether the session is that of this server's master.
func (s *Session) IsMaster() bool { return s.master }

// MayApply reports whether commands of the master may run now. They wait while clients are paused
// and while a slow script of a client runs or is debugged. It is called under the lock.
func (w *World) MayApply() bool { return w.IsFree() && w.pause.deadline == 0 }

// IsFree reports whether no script of a client is under way whose commands other ones must not
// interrupt. It is called under the lock.
func (w *World) IsFree() bool {
	return !w.isMidScript() && w.engine.Slow.session == nil && w.debugged == nil
}

// Apply executes a command of the master. Nothing is due for it: the master sends the removal of
// what expires, and may change a key before it. It returns the first error of the command, or of a
// transaction that it ends. It is called in the home world under the lock, while MayApply.
func (w *World) Apply(s *Session, args [][]byte) error {
	e := w.engine
	s.lastActive = w.time.micros
	s.failure = nil
	s.Reply.Restart(leastReplyRoom) // the reply is dropped
	cmd, err := e.Commands.Resolve(args)
	if err != nil {
		e.stats.unexpected++
		if s.tx != nil {
			s.tx.dirtyExec = true
		}
		return err
	}
	was := w.Keyspace.Replaying
	w.Keyspace.Replaying = true
	s.last = cmd
	w.runOrQueue(s, cmd, args)
	w.Keyspace.Replaying = was
	w.stopTimer()
	s.endCommand(cmd)
	s.Reply.Reset()
	if w.blocked.ready != nil {
		w.serveBlocked()
	}
	if s.failure != nil {
		e.stats.unexpected++
	}
	return s.failure
}

// runOrQueue runs a command past the gate, or queues it after MULTI.
func (w *World) runOrQueue(s *Session, cmd *command.Command, args [][]byte) {
	if s.tx != nil && cmd.Flags&command.AllowTx == 0 {
		s.queue(cmd, args)
		return
	}
	if !s.loader {
		w.startTimer(s, cmd, args)
	}
	w.run(s, cmd, args)
}

// DropReplies ends the connections whose sessions have replies or messages that were not taken for
// sending, without them: they tell of changes that did not get into the group's log. It is called
// under the lock, between commands of the home world.
func (e *Engine) DropReplies() {
	for _, s := range e.home.clients {
		if s.Reply.Len() == 0 && !s.running {
			continue
		}
		if s.running {
			s.reply = replyLost
		} else {
			s.Reply.Reset()
		}
		s.Disconnect()
	}
}
