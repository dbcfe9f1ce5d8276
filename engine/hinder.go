package engine

import "github.com/miniserver-go/miniserver/internal/command"

// hinder stops a command that the gate has let through, because clients are paused or a fault
// strikes. It reports whether it did: then the session is postponed, or the command is dealt with.
// One whose delay is over is not judged again.
func (w *World) hinder(s *Session, cmd *command.Command, args [][]byte) bool {
	if w.debugged != nil || w.pause.deadline != 0 && w.isPaused(s, cmd, args) {
		w.pause.postpone(s)
		return true
	}
	if w.faults.judge == nil || s.delay != nil {
		return false
	}
	fate := w.faults.judge(s, cmd, args)
	if fate == nil {
		return false
	}
	w.blocked.stir()
	switch {
	case fate.Refusal != nil:
		w.reject(s, cmd, fate.Refusal)
	case fate.Delay > 0:
		w.delaySession(s, args, fate)
	case fate.Cut == CutBefore:
		w.disconnect(s)
	default:
		s.cutReply(fate.Cut == CutHalf)
		return false
	}
	return true
}
