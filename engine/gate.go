package engine

import "fmt"

// gate decides whether a command may run now, from the flags on its line and the state of session
// and server, and returns the error that refuses it, or nil. This is the one place for such
// conditions; a new one is a new flag.
func (e *Engine) gate(s *Session, cmd *Command, args [][]byte) error {
	f := cmd.Flags
	s.last = cmd
	switch {
	case !s.authed && f&NoAuth == 0 && !e.isAuthenticated(s):
		return ErrNoAuth
	case s.tx != nil && f&NoMulti != 0:
		return ErrNotInTx
	case s.user.Limited():
		if err := e.checkPermission(s, s.user, cmd, args, &denied); err != nil {
			return err
		}
	}
	switch {
	case e.Config.MaxMemory > 0 && !e.ensureMemory() && s.mayTakeMemory(cmd, args):
		return ErrOOM
	case e.persistence.writeError != nil && s.isWriteDenied(cmd, args):
		return e.persistence.writeError
	case s.replica != nil && s.replica.Attached() && f&FromReplica == 0:
		s.closing = true // as in Redis: a reply would end up in the stream
		return ErrReplicaReads
	case s.subscribed() && s.Reply.Proto() == 2 && f&AllowSubscribed == 0:
		return fmt.Errorf(ErrSubscribed, cmd.full)
	case e.persistence.loading > 0 && f&Loading == 0:
		return ErrLoading
	case e.slow.session != nil && f&AllowBusy == 0:
		return e.slow.busy
	case s.monitor && f&(Write|ReadOnly|MayReplicate) != 0: // Redis counts monitors as replicas
		return ErrReplicaReads
	}
	return nil
}

// mayTakeMemory reports whether the command may take memory: by itself, by being queued, or by what is
// queued.
func (s *Session) mayTakeMemory(cmd *Command, args [][]byte) bool {
	if denied := cmd.flagsWith(args)&DenyOOM != 0; s.tx == nil || denied {
		return denied
	}
	if cmd.Flags&RunsTx != 0 {
		return s.tx.hasDenyOOM
	}
	return cmd.Flags&DropsTx == 0
}

// scriptGate is the gate for a command called by a script: it returns the error, or nil.
func (e *Engine) scriptGate(s *Session, cmd *Command, args [][]byte) error {
	switch f := cmd.Flags; {
	case f&NoScript != 0 && !(e.Config.scriptsMayDebug && f&AllowScriptDebug != 0):
		return ErrScriptDenied
	case s.user.Limited():
		if err := e.checkPermission(s, s.user, cmd, args, &deniedScript); err != nil {
			return err
		}
	}
	switch f := cmd.Flags; {
	case s.readOnly && f&(Write|MayReplicate) != 0:
		return ErrReadOnlyTx
	case f&DenyOOM != 0 && s.startedOOM && !s.wrote: // a script that began to write is let through
		return ErrOOM
	case e.persistence.writeError != nil && f&Write != 0:
		return e.persistence.writeError
	case e.ScriptKilled():
		return ErrScriptKilled
	}
	return nil
}
