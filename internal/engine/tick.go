package engine

import (
	"math"
	"sync/atomic"
	"time"
)

// reapBudget bounds the keys that one Tick removes in each database, so that a mass expiry does not
// hold the lock for long: 1,000 keys take well under a millisecond.
const reapBudget = 1000

// releaseBudget bounds the memory of flushed databases that one Tick gives back, in regions of 4
// MB.
const releaseBudget = 8

// again is when a Tick continues work that it does bit by bit, in milliseconds.
const again = 100

// pace is how often the host ticks when nothing is due. While there are batches, and for some time
// after, figures are sampled and buffers shrink. Then the engine rests, and costs nothing.
type pace struct {
	active  bool         // there was a batch since the last Tick
	resting bool         // the host waits until something is due; the next batch asks for a Tick
	until   int64        // when the rest begins, by the machine's clock
	longest atomic.Int64 // how long the host may wait though nothing is due, in nanoseconds
}

const (
	whileActive   = 100 * time.Millisecond
	whileSettling = 200 * time.Millisecond
	settleTime    = (recentSeconds + 2) * time.Second // until peaks of buffers are forgotten
)

// begin notes that there is a batch.
func (e *Engine) begin() {
	e.pace.active = true
	if e.pace.resting && e.Parts.Host.Due != nil {
		e.Parts.Host.Due(0)
	}
	e.pace.resting = false
}

// next decides how long the host may wait behind a Tick. active says that there were batches before
// it.
func (p *pace) next(active bool, now int64) {
	longest := whileSettling
	if active {
		p.until = now + settleTime.Microseconds()
		longest = whileActive
	}
	p.active = false
	if p.resting = now >= p.until; p.resting {
		longest = math.MaxInt64
	}
	p.longest.Store(int64(longest))
}

// Tick does what is due without a command. It removes expired keys, ends blocked commands whose
// deadline has passed, continues rehashing and eviction, and calls the parts' Tick. It returns the
// time by the home world's clock, in milliseconds since the epoch, at which something is due again,
// 0 if nothing is. The host calls it then, and when Wait says so at the latest.
func (e *Engine) Tick() (next int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	active := e.pace.active
	e.pace.active, e.pace.resting = true, false // what a Tick does is no batch
	next = e.home.TickNow()
	if len(e.worlds) > 1 {
		e.tickOthers()
	}
	e.pace.next(active, e.stopwatch.since)
	return next
}

// tickOthers does what is due in the other worlds.
func (e *Engine) tickOthers() {
	others := time.Duration(math.MaxInt64)
	for _, w := range e.worlds[1:] {
		others = min(others, w.wait(w.TickNow()))
	}
	e.others.Store(0)
	if others < math.MaxInt64 {
		e.others.Store(e.Machine() + max(0, others.Microseconds()))
	}
}

// TickNow is Tick for one world, for a caller that holds the lock, between commands.
func (w *World) TickNow() (next int64) {
	w.between(func() { next = w.doDue() })
	return next
}

// Pass lets time pass until at, in microseconds since the epoch, for a part that steers the clock
// of some worlds and sets it in set. What is due on the way happens at its time, in order, and is
// over when Pass returns. It is called between commands. The clock stands still but for set.
func Pass(worlds []*World, at int64, set func(micros int64)) {
	for _, w := range worlds {
		w.time.passing = true
	}
	for next := tickAll(worlds); next != 0 && next <= at/1000; next = tickAll(worlds) {
		set(max(worlds[0].time.micros, next*1000))
	}
	set(at)
	tickAll(worlds)
	for _, w := range worlds {
		w.time.passing = false
	}
}

// tickAll is TickNow for some worlds. It returns the earliest time at which something is due.
func tickAll(worlds []*World) (next int64) {
	for _, w := range worlds {
		next = earlier(next, w.TickNow())
	}
	return next
}

// Passing reports whether the time of the world is moved ahead by Pass, so that what is due must
// be over when the Tick is.
func (w *World) Passing() bool { return w.time.passing }

// TickIn returns the time of a Tick in so many milliseconds, for work that goes by the machine's
// clock. It returns 0, for no such Tick, while Pass moves the time ahead.
func (w *World) TickIn(wait int64) int64 {
	if w.Passing() {
		return 0
	}
	return w.Millis() + wait
}

func (w *World) doDue() (next int64) {
	e := w.engine
	if w.isMidScript() {
		return 0 // the clock stands still; the end of the script asks for a Tick
	}
	w.endPauses()
	if w.endDelays(); e.Slow.session != nil {
		return 0
	}
	w.endTimedOut()
	w.closeIdle()
	if w.IsHome() {
		e.stats.rates.sample(e)
		w.tendBuffers()
		w.evictClients()
	}
	more := e.Config.ActiveExpire && w.expireDue()
	unfinished := w.rehash()
	if w.Keyspace.ReleaseFlushed(releaseBudget) {
		more = true
	}
	next = 0
	if w.IsHome() {
		next = e.tickParts()
	}
	if w.continueEviction() {
		more = true
	}
	if unfinished {
		next = earlier(next, w.TickIn(again))
	}
	next = earlier(next, w.tickParts())
	next = earlier(next, w.nextDue())
	if more {
		next = w.Millis()
	}
	w.time.nextTick = next
	return next
}

// Wait returns for how long the host may wait before it calls Tick, which has returned next. It may
// be called from any goroutine from which the clock may.
func (e *Engine) Wait(next int64) time.Duration {
	wait := min(time.Duration(e.pace.longest.Load()), e.home.wait(next))
	if others := e.others.Load(); others != 0 {
		wait = min(wait, time.Duration(others-e.Machine())*time.Microsecond)
	}
	return wait
}

// closeIdle closes connections that sent nothing for longer than the parameter timeout. Blocked
// clients, subscribers, replicas and monitors are not idle.
func (w *World) closeIdle() {
	if w.engine.Config.IdleTimeout == 0 {
		return
	}
	for _, s := range w.clients {
		if at := s.idleDeadline(); at != 0 && at <= w.Millis() {
			s.Disconnect()
		}
	}
}

// nextIdle returns the earliest time at which closeIdle closes a connection, 0 for never.
func (w *World) nextIdle() (next int64) {
	if w.engine.Config.IdleTimeout == 0 {
		return 0
	}
	for _, s := range w.clients {
		next = earlier(next, s.idleDeadline())
	}
	return next
}

// idleDeadline returns when the session will have been idle for too long, in milliseconds since the
// epoch; 0 if it is not idle. The parameter timeout is set.
func (s *Session) idleDeadline() int64 {
	if s.isStopped() || s.Class() != ClassNormal || s.Monitors || s.master || s == s.world.blocked.asked {
		return 0
	}
	return s.lastActive/1000 + s.engine.Config.IdleTimeout*1000 + 1
}

// expireDue removes due keys within the budget and reports whether more are due.
func (w *World) expireDue() (more bool) {
	e := w.engine
	began := e.Machine()
	if w.removesOwn() {
		w.engine.asReplica.own.expire(w.Keyspace)
	}
	keys, elements := e.stats.expired, e.stats.expiredElements
	for i := range w.Keyspace.Len() {
		w.Keyspace.Begin()
		if _, left := w.Keyspace.DB(i).Expiry().Reap(reapBudget); left {
			more = true
		}
	}
	e.stats.reaped += e.stats.expired - keys
	e.stats.reapedElements += e.stats.expiredElements - elements
	if more {
		e.stats.reapsCut++
	}
	took := e.Machine() - began
	e.stats.reaping += took
	w.AddLatency("expire-cycle", took)
	return more
}

// rehash moves on the rehash of a table that is due to grow or to shrink. It reports whether there
// is more to do.
func (w *World) rehash() (more bool) {
	for i := range w.Keyspace.Len() {
		if w.Keyspace.DB(i).Keys().RehashStep(100) {
			return true
		}
	}
	return false
}

// nextDue returns the earliest deadline of a key, a blocked or delayed command, an idle connection,
// or a pause.
func (w *World) nextDue() int64 {
	next := w.nextTimeout()
	next = earlier(next, w.pause.deadline)
	next = earlier(next, w.nextDelay())
	next = earlier(next, w.nextIdle())
	if !w.engine.Config.ActiveExpire || w.pause.deadline != 0 || w.time.hands != nil {
		return next
	}
	if w.removesOwn() {
		next = earlier(next, w.TickIn(again))
	}
	for i := range w.Keyspace.Len() {
		next = earlier(next, w.Keyspace.DB(i).Expiry().Next())
	}
	return next
}

// A save shares the processors of the event loops: one of them encodes a slice whenever it finds no
// request, and now and then if it always finds one. So what clients leave of a processor is the
// save's, and no other goroutine fights for the lock.

// shortTurn is the length of a turn where no requests can wait for its end.
const shortTurn = time.Millisecond

// InTurns calls turn under the lock until there is no more to do, and requests are executed in
// between. It must not be called by what the host's event loops wait for.
func (e *Engine) InTurns(turn Turn) {
	done := make(chan struct{})
	if h := e.Parts.Host; h.InTurns != nil && h.InTurns(Work{Turn: e.locked(turn), Done: func() { close(done) }}) {
		<-done
		return
	}
	for more := e.locked(turn); more(shortTurn); {
	}
}

// Later is InTurns for a caller that holds the lock, and does not wait: a command that has blocked
// its session, say. Without event loops all is done when it returns.
func (e *Engine) Later(turn Turn) { e.later(turn, false) }

// Soon is Later for what a client waits for.
func (e *Engine) Soon(turn Turn) { e.later(turn, true) }

func (e *Engine) later(turn Turn, awaited bool) {
	w := Work{Turn: e.locked(turn), Awaited: awaited, Done: func() {}}
	if h := e.Parts.Host; h.InTurns != nil && h.InTurns(w) {
		return
	}
	for turn(shortTurn) {
	}
}

// locked returns a turn that takes the lock.
func (e *Engine) locked(turn Turn) Turn {
	return func(length time.Duration) (more bool) {
		e.With(func() { more = turn(length) })
		return more
	}
}
