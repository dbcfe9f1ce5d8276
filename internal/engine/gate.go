package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// gate decides whether a command may run now. It compares the flags on the command's line with the
// state of session and server, and returns the error that refuses the command, or nil. A new
// condition is a new flag, not a comparison of names.
//
// The order is part of the protocol, since a client sees the first error that applies. It is that
// of Redis' processCommand: commands that the configuration forbids, authentication and permissions
// come before the state of the server, and memory comes before the other states. The check of
// memory also evicts keys, so it must run even for a command that a later condition refuses or that
// takes no memory.
func (w *World) gate(s *Session, cmd *command.Command, args [][]byte) error {
	e := w.engine
	f := cmd.Flags
	s.last = cmd
	switch {
	case f&command.Protected != 0 && !s.AllowedBy(e.Config.debug):
		return ErrNoDebug
	case s.OnlyLooks != nil && !w.FlagsWith(cmd, args).OnlyLook():
		return s.OnlyLooks
	case !s.authed && f&command.NoAuth == 0 && !s.Authenticated():
		return ErrNoAuth
	case s.tx != nil && f&command.NoMulti != 0:
		return e.Commands.Errorf(errNotInTx, cmd.FullName())
	case s.user.Limited():
		if err := w.checkPermission(s, cmd, args, &denied); err != nil {
			return err
		}
	}
	if e.Config.Cluster && f&command.OneSlot != 0 {
		if err := w.checkPlace(s, cmd, args); err != nil {
			return err
		}
	}
	switch {
	case e.Config.MaxMemory > 0 && !w.ensureMemory() && w.mayTakeMemory(s, cmd, args): // evicts first
		return ErrOOM
	case e.persistence.writeError != nil && s.isWriteDenied(cmd, args):
		return e.persistence.writeError
	case w.isReadOnly() && s.mayRun(command.Write, cmd, args):
		return ErrReadOnly
	case s.replica != nil && s.replica.Attached() && f&command.FromReplica == 0:
		s.closing = true // as in Redis: a reply would end up in the stream
		return ErrReplicaReads
	case s.Listens() && s.Reply.Proto() == 2 && f&command.AllowSubscribed == 0:
		return command.Errorf(ErrSubscribed, cmd.FullName())
	case w.isStale() && (f&command.Stale == 0 || f&command.RunsTx != 0 && s.tx != nil && s.tx.lacks(command.Stale)):
		return ErrMasterDown
	case e.persistence.loading > 0 && f&command.Loading == 0:
		return ErrLoading
	case e.Slow.session != nil && f&command.AllowBusy == 0:
		return e.Slow.busy
	case f&command.HomeOnly != 0 && !w.IsHome():
		return ErrNotHome
	// Redis counts monitors as replicas
	case s.Monitors && f&(command.Write|command.ReadOnly|command.MayReplicate) != 0:
		return ErrReplicaReads
	}
	return nil
}

var queueTakesNoMemory = release.From("7.4.0 valkey:8.0.0")

// mayTakeMemory reports whether the command may need more memory. EXEC needs what the queued
// commands need. In older releases every command takes memory inside MULTI, for its place in the
// queue.
func (w *World) mayTakeMemory(s *Session, cmd *command.Command, args [][]byte) bool {
	if denied := w.FlagsWith(cmd, args)&command.DenyOOM != 0; s.tx == nil || denied {
		return denied
	}
	if cmd.Flags&command.RunsTx != 0 {
		return s.tx.hasDenyOOM
	}
	return cmd.Flags&command.DropsTx == 0 && !w.engine.Release.Has(queueTakesNoMemory)
}

// lacksRoom reports whether a command within a script or a transaction may take no more memory. In
// Redis it always may. Here it may not where somebody else pays for it: in a strict engine, such as
// a sandbox, and in a copy of the data in which a script is debugged.
func (w *World) lacksRoom(s *Session) bool {
	inCopy := s.detached && w.debugged == nil
	return (w.engine.eviction.strict || inCopy) && w.Room() == 0
}

// memoryFirst is since when the memory counts before the permissions of the user in a script.
// Before, it was whether the replica is stale.
var memoryFirst = release.From("valkey:9.1.0")

// scriptGate is the gate for a command that a script calls. Most conditions were checked for EVAL
// itself. What remains depends on the called command, or may have changed since the script began,
// such as SCRIPT KILL.
func (w *World) scriptGate(s *Session, cmd *command.Command, args [][]byte) error {
	e := w.engine
	// A script that began to write is let through.
	lacksMemory := cmd.Flags&command.DenyOOM != 0 && (s.startedOOM && !s.wrote || w.lacksRoom(s)) && !s.Obeyed()
	stale := cmd.Flags&command.Stale == 0 && w.isStale() && !s.Obeyed()
	switch f := cmd.Flags; {
	case s.OnlyLooks != nil && !w.FlagsWith(cmd, args).OnlyLook():
		return s.OnlyLooks
	case f&command.NoScript != 0 && !(e.Config.ScriptsMayDebug && f&command.AllowScriptDebug != 0):
		return ErrScriptDenied
	case stale && !e.Release.Has(memoryFirst):
		return ErrStaleScript
	case lacksMemory && e.Release.Has(memoryFirst):
		return ErrOOM
	case s.user.Limited():
		if err := w.checkPermission(s, cmd, args, &deniedScript); err != nil {
			return err
		}
	}
	switch f := cmd.Flags; {
	case s.readOnly && f&(command.Write|command.MayReplicate) != 0:
		return ErrReadOnlyTx
	case e.Slow.Killed() && !s.detached:
		return ErrScriptKilled
	case s.Obeyed():
		return nil
	case lacksMemory:
		return ErrOOM
	case e.persistence.writeError != nil && f&command.Write != 0:
		return e.persistence.writeError
	case w.isReadOnly() && f&command.Write != 0:
		return ErrReadOnly
	case stale:
		return ErrStaleScript
	case e.Config.Cluster && f&command.OneSlot != 0:
		return w.checkScriptSlot(s, cmd, args)
	}
	return nil
}
