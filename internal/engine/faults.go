package engine

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
)

// faults are a world's: a part decides which commands they strike, and the engine does to them what
// a bad network or a troubled server would. A fault strikes a client's own command that the gate
// lets through, once, before it runs or is queued by MULTI. What a script calls, and what EXEC
// runs, is not struck again.
type faults struct {
	judge  Judge    // nil for none
	outage Outage   // nil for none
	delays []*delay // by due, then in the order of their beginning
}

// Outage decides whether a session's next command arrives. It is asked before anything else, also
// about commands that there are not, of which cmd is nil. If not, it has called Hang or Disconnect.
// It is called under the lock.
type Outage func(s *Session, cmd *command.Command, args [][]byte) (arrives bool)

// Judge decides what becomes of a command; nil if it runs. It is called under the lock, and may
// only count.
type Judge func(s *Session, cmd *command.Command, args [][]byte) *Fate

// Fate is what becomes of a command: the first of these that is set.
type Fate struct {
	Refusal error // it is refused with this error
	Delay   int64 // it runs after so many milliseconds by the world's clock; later if clients are paused then
	Cut     Cut   // the connection breaks off
}

// Cut is when a connection breaks off.
type Cut uint8

// The moments at which a connection breaks off. The replies before it are sent.
const (
	CutBefore Cut = iota // the command does not run
	// It runs, and the reply is lost, also one that comes later since the command blocks or is
	// slow.
	CutReply
	CutHalf // only the first half of the reply's bytes is sent
)

// delay is a command that waits, like a blocked one, but unseen: it has not arrived yet.
type delay struct {
	session *Session
	args    [][]byte
	due     int64 // milliseconds since the epoch
	fate    *Fate
}

// SetJudge sets what decides about the commands in the world; nil for nothing.
func (w *World) SetJudge(judge Judge) {
	w.faults.judge = judge
	w.noteHindrance()
}

// SetOutage sets what decides whether commands arrive in the world; nil for nothing.
func (w *World) SetOutage(outage Outage) {
	w.faults.outage = outage
	w.noteHindrance()
}

// Hang holds up what a session sends and what it is to get, while it is on. What it has sent before
// goes on, and the connection keeps what it sends meanwhile.
func (s *Session) Hang(on bool) {
	if s.hung = on; !on {
		s.Wake()
	}
}

// arrives reports whether a command arrives. One that was delayed has done so before.
func (w *World) arrives(s *Session, cmd *command.Command, args [][]byte) bool {
	return w.faults.outage == nil || s.delay != nil || w.faults.outage(s, cmd, args)
}

// Stir has blocked commands look again that wait for what clients do: see Call.WakeOnClients.
func (w *World) Stir() {
	w.blocked.stir()
	w.TickBy(w.Millis())
}

// noteHindrance is called when clients are paused, slots are held, a judge or an outage comes or a
// script is debugged, and when that ends.
func (w *World) noteHindrance() {
	f := &w.faults
	w.hinders = w.pause.deadline != 0 || w.pause.held != nil || f.judge != nil || f.outage != nil || w.debugged != nil
}

// delaySession holds a session's command back.
func (w *World) delaySession(s *Session, args [][]byte, fate *Fate) {
	d := &delay{session: s, args: copyArgs(args), due: w.Millis() + fate.Delay, fate: fate}
	s.postponed, s.delay = true, d
	w.faults.add(d)
	w.TickBy(d.due)
}

func (f *faults) add(d *delay) {
	at, _ := slices.BinarySearchFunc(f.delays, d.due,
		func(other *delay, due int64) int { return cmp.Compare(other.due, due+1) })
	f.delays = slices.Insert(f.delays, at, d)
	d.session.kept.Add(commandBytes(d.args))
}

// remove takes a delay off the list if it is there.
func (f *faults) remove(d *delay) {
	if at := slices.Index(f.delays, d); at >= 0 {
		f.delays = slices.Delete(f.delays, at, at+1)
		d.session.kept.Add(-commandBytes(d.args))
	}
}

// EndFate ends what a fate does in the world: the commands that it holds back are due, and run at
// the next Tick.
func (w *World) EndFate(fate *Fate) {
	w.blocked.stir()
	var ended []*delay
	for _, d := range w.faults.delays {
		if d.fate == fate {
			ended = append(ended, d)
		}
	}
	for _, d := range ended {
		w.faults.remove(d)
		d.due = 1 // long ago, also if the clock is set back
		w.faults.add(d)
	}
	if len(ended) > 0 {
		w.TickBy(w.Millis())
	}
}

// nextDelay returns when the next delayed command is due; 0 for never.
func (w *World) nextDelay() int64 {
	if len(w.faults.delays) == 0 || w.pause.deadline != 0 {
		return 0
	}
	return w.faults.delays[0].due
}

// cutReply makes the reply to the session's command be lost, and the connection with it.
func (s *Session) cutReply(half bool) {
	mode := replyLost
	if half && !s.Muted() {
		mode = replyHalf
	}
	s.reply = mode
}

// isCut reports whether the connection breaks off at the session's command.
func (s *Session) isCut() bool { return s.reply >= replyLost }

// hinder stops a command that the gate has let through, because clients are paused or a fault
// strikes. It reports whether it did: then the session is postponed, or the command is dealt with.
// One whose delay is over is not judged again.
func (w *World) hinder(s *Session, cmd *command.Command, args [][]byte) bool {
	if w.debugged != nil || w.pause.deadline != 0 && w.isPaused(s, cmd, args) {
		w.pause.postpone(s)
		return true
	}
	if w.faults.judge == nil || s.delay != nil || s.operator {
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

// endDelays runs the commands whose delay is over, in the order of their times. While clients are
// paused, or a slow script runs, they go on waiting.
func (w *World) endDelays() {
	for next := w.nextDelay(); next != 0 && next <= w.Millis() && !w.isMidScript(); next = w.nextDelay() {
		w.endDelay(w.faults.delays[0])
	}
}

// endDelay runs a delayed command as if it arrived now. Its connection offers what follows once it
// is awake.
func (w *World) endDelay(d *delay) {
	s := d.session
	w.faults.remove(d)
	s.postponed, s.lastActive = false, w.time.micros
	s.limitReplies()
	w.execute(s, d.args)
	s.delay = nil
	w.stopTimer()
	if w.blocked.ready != nil {
		w.serveBlocked()
	}
	s.Wake()
}
