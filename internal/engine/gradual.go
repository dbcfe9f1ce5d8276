package engine

import (
	"bytes"
	"iter"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
)

// gradual runs commands that may take long and change nothing, such as a search, a slice at a time:
// in between others run. Such a command is flagged Gradual, and says with Pause where others may
// run. It has a coroutine beside the loop's stack:
//
//	loop    Do ─▶ runGradually ─switch─▶ FT.SEARCH ... IsDue, Pause
//	                     ◀─switch─────────────────────────────┘
//	loop    commands of others, and now and then a turn: see Soon
//	        turn ─▶ resume ─switch─▶ ... Pause ... the reply is complete
//	        the session is woken
//
// Why a coroutine: nearly all searches are over before their first slice is. They pay two switches,
// which take a fraction of a microsecond, and nothing else.
//
// Invariants:
//  1. At most one command has begun and not ended. Others that are Gradual wait for it, in order,
//     and so does the next of many that together took a slice.
//  2. In a script or a transaction, and for a master, a command does not pause.
//  3. Whoever is about to change what a command relies on that has paused ends it before: see
//     FinishGradual. Keys are nothing that it may rely on.
type gradual struct {
	next    func() (struct{}, bool) // switches to the coroutine; nil if there is none
	stop    func()                  // ends it between two commands
	yield   func(struct{}) bool     // switches back
	now     *step                   // the command that has begun, or is the next to begin
	waiting []*step                 // those that have not
	end     int64                   // when the slice is over, by the machine's clock
	inside  bool                    // the coroutine runs
	whole   bool                    // the command is to end without a pause
	over    bool                    // it has ended
	first   *step                   // room for the command that has not paused
	ended   int64                   // when the last command ended that had not paused
	row     int64                   // how long those ran, in microseconds, that came one after another
}

// step is a command that the coroutine runs, or is to run.
type step struct {
	world   *World
	session *Session
	cmd     *command.Command
	args    [][]byte
	call    *Call // while it pauses; nil before it begins
	start   int   // where its reply begins
	micros  int64 // that it has run
}

// slice is how long a command runs until it pauses, or several that come one after another until
// the next one waits: with less than rowGap between them no others had a chance.
const (
	slice  = 2 * time.Millisecond
	rowGap = 100 * time.Microsecond
)

// mayPause reports whether a command of the session may pause.
func (w *World) mayPause(s *Session) bool {
	e := w.engine
	return e.Slow.enabled && e.Parts.Host.InTurns != nil && !s.master && !s.loader
}

// runGradually runs a command until it ends or pauses, or lets it wait for those before it.
func (w *World) runGradually(s *Session, cmd *command.Command, args [][]byte) {
	e := w.engine
	g, begun := &e.gradual, e.stopwatch.since
	if g.next == nil {
		g.begin()
	}
	if begun-g.ended > rowGap.Microseconds() {
		g.row = 0
	}
	if g.now != nil || g.row >= slice.Microseconds() {
		e.enqueue(&step{world: w, session: s, cmd: cmd, args: copyArgs(args)})
		return
	}
	*g.first = step{world: w, session: s, cmd: cmd, args: args, start: s.settled}
	g.now = g.first
	if g.run(begun + slice.Microseconds()); g.over {
		g.now, g.ended = nil, e.Machine()
		g.row += g.ended - begun
		return
	}
	p := g.now
	g.first = new(step)
	p.args, p.micros = copyArgs(args), e.lap()
	p.call.Args = p.args
	p.detach()
	e.Soon(e.gradually)
}

// enqueue lets a command wait for its turn.
func (e *Engine) enqueue(p *step) {
	g := &e.gradual
	e.stopwatch.n = 0
	p.detach()
	if g.now != nil {
		g.waiting = append(g.waiting, p)
		return
	}
	g.now = p
	e.Soon(e.gradually)
}

// begin makes the coroutine.
func (g *gradual) begin() {
	g.first = new(step)
	g.next, g.stop = iter.Pull(func(yield func(struct{}) bool) {
		g.yield = yield
		for more := true; more; more = yield(struct{}{}) {
			g.now.world.run(g.now.session, g.now.cmd, g.now.args)
			g.over = true
		}
	})
}

// run runs the command that has begun until it ends or pauses, which it does behind a time.
func (g *gradual) run(end int64) {
	g.end, g.over, g.inside = end, false, true
	g.next()
	g.inside = false
}

// detach takes a command that waits out of its batch: the replies before its own can be sent.
func (p *step) detach() {
	s := p.session
	replies := bytes.Clone(s.Reply.Bytes())
	if p.call == nil {
		p.start = len(replies)
	}
	s.earlyReplies = s.Reply.Swap(nil)[:p.start]
	s.Reply.Raw(replies)
	s.running = true
	s.kept.Add(commandBytes(p.args))
}

// gradually is the turn in which a command goes on that has paused, and those after it.
func (e *Engine) gradually(length time.Duration) (more bool) {
	g := &e.gradual
	end := e.Machine() + max(length, slice).Microseconds()
	for more = g.now != nil; more; more = g.now != nil && e.Machine() < end {
		g.now.world.between(func() { g.resume(e, end) })
	}
	g.row = 0
	return g.now != nil
}

// FinishGradual ends the command that has paused, if there is one, because what it relies on is
// about to change.
func (e *Engine) FinishGradual() {
	g := &e.gradual
	if g.now == nil || g.now.call == nil || g.inside {
		return
	}
	g.whole = true
	g.resume(e, 0)
	g.whole = false
}

// resume has the command that has begun go on, or lets it begin. When it has ended, it is the next
// one's turn.
func (g *gradual) resume(e *Engine, end int64) {
	p, st, began := g.now, &e.stack, e.Machine()
	switch at := st.depth; {
	case p.call != nil:
		if at == len(st.calls) {
			st.calls = append(st.calls, &Call{Engine: e})
		}
		other := st.calls[at]
		st.calls[at] = p.call
		st.depth++
		g.run(end)
		st.calls[at] = other
	case p.session.closing:
		g.over = true
	default:
		p.session.settled = p.start
		g.run(end)
	}
	if p.micros += e.Machine() - began; g.over {
		p.complete()
		if g.now = nil; len(g.waiting) > 0 {
			g.now, g.waiting = g.waiting[0], g.waiting[1:]
		}
	}
}

// complete ends a command that has paused or waited, and wakes its session.
func (p *step) complete() {
	s := p.session
	s.running = false
	if !s.closing { // else nothing is counted for it any more
		s.kept.Add(-commandBytes(p.args))
	}
	p.world.recordDuration(s, p.cmd, p.args, p.micros, 1)
	s.endCommand(p.cmd)
	s.Reply.Raw(s.Reply.Swap(nil)[p.start:])
	s.Wake()
}

// close ends the coroutine. The commands that wait never begin: their clients are gone.
func (g *gradual) close(e *Engine) {
	if e.FinishGradual(); g.next != nil {
		g.stop()
		*g = gradual{}
	}
}

// IsDue reports whether the command has used up its slice, so that it should pause.
func (c *Call) IsDue() bool {
	g := &c.Engine.gradual
	return g.inside && !g.whole && c.Engine.Machine() >= g.end
}

// Pause lets other commands run before this one goes on. When it returns, any key may have changed,
// and what the command got from the keyspace is no longer valid. gone reports that the client has
// left.
func (c *Call) Pause() (gone bool) {
	g, st := &c.Engine.gradual, &c.Engine.stack
	st.depth--
	if g.now.call == nil {
		g.now.call = c
		st.calls[st.depth] = &Call{Engine: c.Engine}
	}
	g.yield(struct{}{})
	return c.Session.closing
}
