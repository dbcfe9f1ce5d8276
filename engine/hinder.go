package engine

import "github.com/miniserver-go/miniserver/internal/command"

// hinder stops a command that the gate has let through, because clients are paused or a fault strikes. It reports whether it
// did: then the session is postponed, or the command is dealt with. One whose delay is over is not judged again.
func (e *Engine) hinder(s *Session, cmd *command.Command, args [][]byte) bool {
	if e.debugged != nil || e.pause.deadline != 0 && e.isPaused(s, cmd, args) {
		e.postponeSession(s)
		return true
	}
	if e.faults.judge == nil || s.delay != nil {
		return false
	}
	fate := e.faults.judge(s, cmd, args)
	if fate == nil {
		return false
	}
	e.blocked.stir()
	switch {
	case fate.Refusal != nil:
		e.reject(s, cmd, fate.Refusal)
	case fate.Delay > 0:
		e.delaySession(s, args, fate)
	case fate.Cut == CutBefore:
		e.disconnect(s)
	default:
		s.cutReply(fate.Cut == CutHalf)
		return false
	}
	return true
}
