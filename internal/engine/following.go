package engine

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/topology"
)

// A world can follow another one of the engine, as a replica follows its master: what changes in
// the leader's world is executed in the follower's when the batch is over, before replies leave.
// So clients that read from a replica see what was confirmed, unless a test wants otherwise: while
// a follower does not listen, it misses changes, and has the leader's data again when it does.
//
//	leader ── propagate ─▶ pending ── end of the batch ─▶ follower: Apply

// following is what a world has to do with others. The zero value is nothing.
type following struct {
	leader    *World // nil for none
	deaf      bool   // it does not listen to the leader
	followers []*World
	session   *Session // of the leader, in this world
	pending   []sentChange
	offset    int64 // bytes of all changes
}

// sentChange is a change that followers have not executed.
type sentChange struct {
	db   int
	args [][]byte
}

// Follow has the world follow another one, or none if leader is nil. It gets the leader's data at
// once, unless it is deaf: then they stay as they are. It is called under the lock, between
// commands of both worlds.
func (w *World) Follow(leader *World, deaf bool) {
	f := &w.following
	if f.leader == leader && f.deaf == deaf {
		return
	}
	if f.leader != nil {
		f.leader.unfollow(w)
	}
	if f.leader, f.deaf = leader, deaf; leader == nil || deaf {
		return
	}
	if f.session == nil {
		f.session = w.NewMaster()
	}
	w.engine.settleFollowers()
	leader.following.followers = append(leader.following.followers, w)
	f.offset = leader.following.offset
	w.copyFrom(leader)
}

// unfollow forgets a follower.
func (w *World) unfollow(follower *World) {
	w.engine.settleFollowers()
	w.following.followers = slices.DeleteFunc(w.following.followers, func(f *World) bool { return f == follower })
}

// copyFrom replaces the data, and what is kept beside them, by those of another world.
func (w *World) copyFrom(leader *World) {
	clone := leader.Keyspace.Clone()
	w.Adopt(clone)
	var sources [][]byte
	for _, source := range w.engine.Parts.Libraries.Sources(leader) {
		sources = append(sources, bytes.Clone(source))
	}
	if err := w.engine.Parts.Libraries.Restore(w, sources, Flush); err != nil {
		w.engine.Log('#', "copying functions: %v", err) // they were loaded before
	}
	if err := w.ReplaceAuxiliary(leader.SaveAuxiliary()); err != nil {
		w.engine.Log('#', "copying what is kept beside keys: %v", err) // it was saved here
	}
}

// Offset returns how many bytes of changes there were so far: the leader's and a follower's are
// equal when that has all.
func (w *World) Offset() int64 { return w.following.offset }

// Followers returns how many worlds follow this one and hear it.
func (w *World) Followers() int { return len(w.following.followers) }

// note keeps a change for the followers. It is a Propagate.
func (w *World) note(db int, args [][]byte) {
	f := &w.following
	f.offset += int64(len(strconv.Itoa(len(args))) + 3)
	for _, arg := range args {
		f.offset += int64(len(strconv.Itoa(len(arg))) + len(arg) + 5)
	}
	if len(f.followers) == 0 {
		return
	}
	kept := sentChange{db: db, args: make([][]byte, len(args))}
	for i, arg := range args {
		kept.args[i] = bytes.Clone(arg)
	}
	if f.pending = append(f.pending, kept); len(f.pending) == 1 {
		w.engine.unsettled = append(w.engine.unsettled, w)
	}
}

// settleFollowers has the followers of all worlds execute what they have not yet, unless a command
// or a script is under way.
func (e *Engine) settleFollowers() {
	if e.stack.depth > 0 || e.Slow.session != nil {
		return
	}
	for len(e.unsettled) > 0 {
		w := e.unsettled[0]
		e.unsettled = e.unsettled[1:]
		changes := w.following.pending
		w.following.pending = nil
		for _, f := range w.following.followers {
			f.between(func() { f.repeat(changes, w.following.offset) })
		}
	}
}

// repeat executes changes of the leader, whose offset is given.
func (w *World) repeat(changes []sentChange, offset int64) {
	f := &w.following
	for _, c := range changes {
		if c.db != AnyDB {
			f.session.db = c.db
		}
		_ = w.Apply(f.session, c.args) // which counts errors
	}
	f.offset = offset
}

// Nested executes a command of another world's command in this one, past the gate, as a command of
// a master is: MIGRATE between nodes, say. It returns its error. Nothing that changes is in one
// unit with what the caller changes.
func (w *World) Nested(s *Session, args [][]byte) error {
	w.readClock()
	err := w.Apply(s, args)
	w.propagation.endUnits()
	w.countData()
	return err
}

// connectFollowers has changes of a node's world noted, beside what the parts want of them.
func (w *World) connectFollowers() {
	if w.Node == nil || w.engine.persistence.loading > 0 && w.IsHome() {
		return
	}
	others := w.propagation.replicas.to
	if !w.IsHome() {
		others = nil
	}
	w.propagation.replicas.to = func(db int, args [][]byte) {
		if others != nil {
			others(db, args)
		}
		w.note(db, args)
	}
	w.nameExpired()
}

// JoinCluster makes the world a node of a cluster. It is called before clients are served.
func (w *World) JoinCluster(n *topology.Node, group topology.Source) {
	w.Node, w.Topology = n, group
	n.Offset = w.Offset
	w.connectFollowers()
}
