package engine

import (
	"math"
	"time"
)

// reapBudget bounds the keys that one Tick removes in each database, so that a mass expiry does not hold the
// lock for long: 1,000 keys take well under a millisecond.
const reapBudget = 1000

// releaseBudget bounds the memory of flushed databases that one Tick gives back, in regions of 4 MB.
const releaseBudget = 8

// Tick does what is due without a command. It removes expired keys, ends blocked commands whose deadline has
// passed, continues rehashing, defragmentation and eviction, and calls the parts' Tick. It returns the time by the home world's clock, in
// milliseconds since the epoch, at which it is needed again, 0 if nothing is pending. The host calls it then, and every
// 100 ms at the latest.
func (e *Engine) Tick() (next int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.visit(e.home)
	next = e.TickNow()
	if len(e.worlds) > 1 {
		e.tickOthers()
	}
	return next
}

// tickOthers does what is due in the other worlds.
func (e *Engine) tickOthers() {
	others := time.Duration(math.MaxInt64)
	for _, w := range e.worlds[1:] {
		e.visit(w)
		others = min(others, w.wait(e.TickNow()))
	}
	e.others.Store(0)
	if others < time.Hour { // else the next Tick will see
		e.others.Store(e.machine() + max(0, others.Microseconds()))
	}
}

// TickNow is Tick for the world in which commands run, for a caller that holds the lock, between commands.
func (e *Engine) TickNow() (next int64) {
	e.between(func() { next = e.doDue() })
	return next
}

// PassTo lets time pass until at, in microseconds since the epoch, for a part that steers the clock and sets it in set. What is due on
// the way happens at its time, in order, and is over when PassTo returns. It is called between commands. The clock stands still
// but for set.
func (e *Engine) PassTo(at int64, set func(micros int64)) {
	t := &e.World.time
	t.passing = true
	for next := e.TickNow(); next != 0 && next <= at/1000; next = e.TickNow() {
		set(max(t.micros, next*1000))
	}
	set(at)
	e.TickNow()
	t.passing = false
}

// Passing reports whether the time of the world is moved ahead by PassTo, so that what is due must be over when the Tick is.
func (e *Engine) Passing() bool { return e.time.passing }

// TickIn returns the time of a Tick in so many milliseconds, for work that goes by the machine's clock. It returns 0, for no such Tick,
// while PassTo moves the time ahead.
func (e *Engine) TickIn(wait int64) int64 {
	if e.Passing() {
		return 0
	}
	return e.Keyspace.Now + wait
}

func (e *Engine) doDue() (next int64) {
	if e.isMidScript() {
		return 0 // the clock stands still; the end of the script asks for a Tick
	}
	e.endPauses()
	if e.endDelays(); e.slow.session != nil {
		return 0
	}
	e.endTimedOut()
	e.closeIdle()
	if e.IsHome() {
		e.stats.rates.sample(e)
		e.tendBuffers()
		e.evictClients()
		e.tendShutdown()
	}
	more := e.Config.ActiveExpire && e.expireDue()
	e.rehash()
	if e.Keyspace.ReleaseFlushed(releaseBudget) {
		more = true
	}
	next = 0
	if e.IsHome() {
		next = e.tickParts()
		if wait := e.defragment(); wait > 0 {
			next = earlier(next, e.TickIn(wait))
		}
	}
	if e.continueEviction() {
		more = true
	}
	next = earlier(next, e.nextDue())
	if more {
		next = e.Keyspace.Now
	}
	e.time.nextTick = next
	return next
}

// Wait returns for how long the host may wait before it calls Tick, which has returned next. It may be called from any
// goroutine from which the clock may.
func (e *Engine) Wait(next int64) time.Duration {
	wait := e.home.wait(next)
	if others := e.others.Load(); others != 0 {
		wait = min(wait, time.Duration(others-e.machine())*time.Microsecond)
	}
	return wait
}

// closeIdle closes connections that sent nothing for longer than the parameter timeout. Blocked clients,
// subscribers, replicas and monitors are not idle.
func (e *Engine) closeIdle() {
	if e.Config.IdleTimeout == 0 {
		return
	}
	for _, s := range e.clients {
		if at := s.idleDeadline(); at != 0 && at <= e.Keyspace.Now {
			s.Disconnect()
		}
	}
}

// nextIdle returns the earliest time at which closeIdle closes a connection, 0 for never.
func (e *Engine) nextIdle() (next int64) {
	if e.Config.IdleTimeout == 0 {
		return 0
	}
	for _, s := range e.clients {
		next = earlier(next, s.idleDeadline())
	}
	return next
}

// idleDeadline returns when the session will have been idle for too long, in milliseconds since the epoch; 0 if it is not idle. The
// parameter timeout is set.
func (s *Session) idleDeadline() int64 {
	if s.isStopped() || s.class() != ClassNormal || s.monitor || s.master || s == s.engine.blocked.asked {
		return 0
	}
	return s.lastActive/1000 + s.engine.Config.IdleTimeout*1000 + 1
}

// expireDue removes due keys within the budget and reports whether more are due.
func (e *Engine) expireDue() (more bool) {
	began := e.machine()
	if e.role.Replica && e.pause.deadline == 0 {
		e.expireOwn()
	}
	keys, elements := e.stats.expired, e.stats.expiredElements
	for i := range e.Keyspace.Len() {
		e.Keyspace.Begin()
		if _, left := e.Keyspace.DB(i).Reap(reapBudget); left {
			more = true
		}
	}
	e.stats.reaped += e.stats.expired - keys
	e.stats.reapedElements += e.stats.expiredElements - elements
	if more {
		e.stats.reapsCut++
	}
	took := e.machine() - began
	e.stats.reaping += took
	e.AddLatency("expire-cycle", took)
	return more
}

func (e *Engine) rehash() {
	for i := range e.Keyspace.Len() {
		if e.Keyspace.DB(i).RehashStep(100) {
			return
		}
	}
}

// nextDue returns the earliest deadline of a key, a blocked or delayed command, an idle connection, or a pause.
func (e *Engine) nextDue() int64 {
	next := e.nextTimeout()
	next = earlier(next, e.pause.deadline)
	next = earlier(next, e.nextDelay())
	next = earlier(next, e.nextIdle())
	if !e.Config.ActiveExpire || e.pause.deadline != 0 {
		return next
	}
	for i := range e.Keyspace.Len() {
		next = earlier(next, e.Keyspace.DB(i).NextDeadline())
	}
	return next
}
