package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
)

// transaction is what a session queued since MULTI.
//
// A command that the gate refuses after MULTI sets dirtyExec, and EXEC then replies EXECABORT. The
// name is Redis' flag CLIENT_DIRTY_EXEC.
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

// BeginQueue has the session queue its commands. It returns false if it does so already.
func (s *Session) BeginQueue() bool {
	if s.tx != nil {
		return false
	}
	s.tx = &transaction{}
	return true
}

// DropQueue forgets the queue. It returns false if there is none.
func (s *Session) DropQueue() bool {
	open := s.tx != nil
	s.endTx()
	return open
}

// Queued returns the number of commands in the queue, if the session queues its commands.
func (s *Session) Queued() (n int, open bool) {
	if s.tx == nil {
		return 0, false
	}
	return len(s.tx.commands), true
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
