package engine

import "time"

// A save shares the processors of the event loops: one of them encodes a slice whenever it finds no request, and now and then if it always finds one.
// So what clients leave of a processor is the save's, and no other goroutine fights for the lock.

// shortTurn is the length of a turn where no requests can wait for its end.
const shortTurn = time.Millisecond

// InTurns calls turn under the lock until there is no more to do, and requests are executed in between. It must not be called by what the host's event loops
// wait for.
func (e *Engine) InTurns(turn Turn) {
	done := make(chan struct{})
	if h := e.Parts.Host; h.InTurns != nil && h.InTurns(e.locked(turn), func() { close(done) }) {
		<-done
		return
	}
	for more := e.locked(turn); more(shortTurn); {
	}
}

// Later is InTurns for a caller that holds the lock, and does not wait: a command that has blocked its session, say. Without event loops all is done when it
// returns.
func (e *Engine) Later(turn Turn) {
	if h := e.Parts.Host; h.InTurns != nil && h.InTurns(e.locked(turn), func() {}) {
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
