package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
)

// transaction is what a session queued since MULTI.
//
// WATCH is optimistic: a change of a watched key sets dirtyCAS in each session that watches it, and EXEC
// then replies nil. A command that the gate refuses after MULTI sets dirtyExec, and EXEC then replies
// EXECABORT. The names are Redis' flags CLIENT_DIRTY_CAS and CLIENT_DIRTY_EXEC. A command that fails while
// EXEC runs does not stop those after it, and nothing is rolled back.
type transaction struct {
	commands   []queuedCommand
	dirtyExec  bool
	hasDenyOOM bool // a command in it is refused when memory is short
	bytes      int  // of the queue
}

type queuedCommand struct {
	cmd  *command.Command
	args [][]byte
}

// queue keeps a copy of a command for EXEC.
func (s *Session) queue(cmd *command.Command, args [][]byte) {
	s.tx.commands = append(s.tx.commands, queuedCommand{cmd, copyArgs(args)})
	n := commandBytes(args)
	s.tx.bytes += n
	s.kept.Add(n)
	s.tx.hasDenyOOM = s.tx.hasDenyOOM || s.world.FlagsWith(cmd, args)&command.DenyOOM != 0
}

// argsBytes returns the bytes of the queued arguments and their tables.
func (tx *transaction) argsBytes() int { return tx.bytes - len(tx.commands)*queuedBytes }

// endTx forgets the transaction, if there is one.
func (s *Session) endTx() {
	if s.tx != nil {
		s.kept.Add(-s.tx.bytes)
		s.tx = nil
	}
}

// copyArgs copies arguments out of the connection's buffer.
func copyArgs(args [][]byte) [][]byte {
	n := 0
	for _, a := range args {
		n += len(a)
	}
	flat, out := make([]byte, 0, n), make([][]byte, len(args))
	for i, a := range args {
		at := len(flat)
		flat = append(flat, a...)
		out[i] = flat[at:len(flat):len(flat)]
	}
	return out
}

// writes reports whether a transaction may write, or send something to replicas.
func (tx *transaction) writes(w *World) bool { return tx.has(w, command.Write|command.MayReplicate) }

// has reports whether a command of the transaction has one of the flags.
func (tx *transaction) has(w *World, flags command.Flags) bool {
	return slices.ContainsFunc(tx.commands, func(q queuedCommand) bool { return w.FlagsWith(q.cmd, q.args)&flags != 0 })
}

// lacks reports whether a command of the transaction has none of the flags.
func (tx *transaction) lacks(flags command.Flags) bool {
	return slices.ContainsFunc(tx.commands, func(q queuedCommand) bool { return q.cmd.Flags&flags == 0 })
}

// dbKey identifies a key of a database.
type dbKey struct {
	db  int
	key string
}

// watch adds a key to those that the session's transaction depends on. A key that has already expired is
// removed first: otherwise its removal, a moment later, would count as a change and fail the transaction for
// no reason.
func (w *World) watch(s *Session, k dbKey) {
	for _, x := range s.watches {
		if x == k {
			return
		}
	}
	w.Keyspace.DB(k.db).Exists([]byte(k.key)) // reap it now if due: its expiry is no touch
	s.watches = append(s.watches, k)
	s.kept.Add(len(k.key) + watchBytes)
	w.watched[k] = append(w.watched[k], s)
}

// unwatch removes all watches of a session.
func (w *World) unwatch(s *Session) {
	for _, k := range s.watches {
		s.kept.Add(-len(k.key) - watchBytes)
		left := w.watched[k][:0]
		for _, other := range w.watched[k] {
			if other != s {
				left = append(left, other)
			}
		}
		if len(left) == 0 {
			delete(w.watched, k)
		} else {
			w.watched[k] = left
		}
	}
	s.watches, s.dirtyCAS = nil, false
}

// touchWatched makes the transactions fail that watch a key.
func (w *World) touchWatched(db int, key []byte) {
	for _, s := range w.watched[dbKey{db, string(key)}] {
		s.dirtyCAS = true
	}
}

// touchWatchedInDB makes the transactions fail that watch a key of db which exists there, or which exists in
// other, the database that takes db's place. A nil other is an empty database. A watched key that is absent
// before and after has not changed.
func (w *World) touchWatchedInDB(db, other *keyspace.DB) {
	for k, watchers := range w.watched {
		key := []byte(k.key)
		if k.db != db.ID() || !db.Exists(key) && (other == nil || !other.Exists(key)) {
			continue
		}
		for _, s := range watchers {
			s.dirtyCAS = true
		}
	}
}

// watchedExpired reports whether a watched key has changed, after removing those that have expired by now,
// which no command may have done since WATCH.
func (w *World) watchedExpired(s *Session) bool {
	for _, k := range s.watches {
		w.Keyspace.DB(k.db).Exists([]byte(k.key))
	}
	return s.dirtyCAS
}
