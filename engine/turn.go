package engine

import "time"

// A save shares the processors of the event loops. It takes the lock for a short slice, and yields. A loop that finds no request
// yields before it sleeps, so what clients leave of a processor is the save's. But a loop that always finds one would never yield:
//
//	AskTurn   is called by the save at the end of a slice
//	TurnDue   tells a loop that has sent the replies of its round to yield once

// AskTurn asks that a goroutine that is ready to run has a turn after a time at the latest, even if there is always a request to execute.
func (e *Engine) AskTurn(wait time.Duration) { e.turn.Store(e.machine() + wait.Microseconds()) }

// TurnDue reports whether that time has come, once. It may be called from any goroutine.
func (e *Engine) TurnDue() bool {
	at := e.turn.Load()
	return at != 0 && e.machine() >= at && e.turn.CompareAndSwap(at, 0)
}
