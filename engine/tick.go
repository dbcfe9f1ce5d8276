package engine

import (
	"math"
	"time"
)

// reapBudget bounds the keys that one Tick removes in each database, so that a mass expiry does not hold the
// lock for long: 1,000 keys take well under a millisecond.
const reapBudget = 1000

// Tick does what is due without a command. It removes expired keys, ends blocked commands whose deadline has
// passed, continues rehashing and eviction, and calls the parts' Tick. It returns the time in milliseconds
// since the epoch at which it is needed again, 0 if nothing is pending. The host calls it then, and every
// 100 ms at the latest.
func (e *Engine) Tick() (next int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.TickNow()
}

// TickNow is Tick for a caller that holds the lock, between commands.
func (e *Engine) TickNow() (next int64) {
	e.between(func() { next = e.doDue() })
	return next
}

func (e *Engine) doDue() (next int64) {
	if e.slow.session != nil {
		return 0 // the clock stands still; resume asks for a Tick
	}
	if d := e.pause.deadline; d != 0 && d <= e.Keyspace.Now {
		e.Unpause()
	}
	e.endTimedOut()
	e.stats.rates.sample(e)
	e.closeIdle()
	e.tendBuffers()
	e.evictClients()
	more := e.Config.ActiveExpire && e.expireDue()
	e.rehash()
	e.tickParts()
	if e.continueEviction() {
		more = true
	}
	next = e.nextDue()
	if more {
		next = e.Keyspace.Now
	}
	e.time.nextTick = next
	return next
}

// Wait returns for how long the host may wait before it calls Tick, which has returned next. It may be called from any
// goroutine from which the clock may.
func (e *Engine) Wait(next int64) time.Duration {
	switch {
	case e.time.steered != nil:
		return e.time.steered.Wait(next)
	case next == 0:
		return math.MaxInt64
	}
	return time.Duration(next*1000-e.time.clock()) * time.Microsecond
}

// closeIdle closes connections that sent nothing for longer than the parameter timeout. Blocked clients,
// subscribers, replicas and monitors are not idle.
func (e *Engine) closeIdle() {
	if e.Config.IdleTimeout == 0 {
		return
	}
	oldest := e.time.micros - e.Config.IdleTimeout*1e6
	for _, s := range e.Sessions.ByID {
		if s.lastActive < oldest && !s.isStopped() && s.class() == ClassNormal && !s.monitor {
			s.Disconnect()
		}
	}
}

// expireDue removes due keys within the budget and reports whether more are due.
func (e *Engine) expireDue() (more bool) {
	for i := range e.Keyspace.Len() {
		e.Keyspace.Begin()
		if _, left := e.Keyspace.DB(i).Reap(reapBudget); left {
			more = true
		}
	}
	return more
}

func (e *Engine) rehash() {
	for i := range e.Keyspace.Len() {
		if e.Keyspace.DB(i).RehashStep(100) {
			return
		}
	}
}

// nextDue returns the earliest deadline of a key, a blocked command or a pause.
func (e *Engine) nextDue() int64 {
	next := e.nextTimeout()
	if d := e.pause.deadline; d != 0 && (next == 0 || d < next) {
		next = d
	}
	if !e.Config.ActiveExpire || e.pause.deadline != 0 {
		return next
	}
	for i := range e.Keyspace.Len() {
		if d := e.Keyspace.DB(i).NextDeadline(); d != 0 && (next == 0 || d < next) {
			next = d
		}
	}
	return next
}
