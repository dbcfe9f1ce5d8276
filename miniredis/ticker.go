package miniredis

import (
	"math"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// ticker calls the engine's Tick when something is due: the end of a blocked command's patience,
// say. While nothing is, it does nothing, and holds nothing that the garbage collector could not
// take.
type ticker struct {
	engine *engine.Engine
	mu     sync.Mutex
	timer  *time.Timer // of the next Tick; nil if none is to come
	at     time.Time   // when it comes
}

// newTicker makes the ticker of an engine, and its host.
func newTicker(e *engine.Engine) *ticker {
	t := &ticker{engine: e}
	e.With(func() {
		host := &e.Parts.Host
		host.Due = func(int64) { t.in(0) }
		host.Exit = nil // SHUTDOWN is an error
	})
	return t
}

// in lets a Tick come after some time, unless one comes earlier anyway. That one asks what is due
// then.
func (t *ticker) in(wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := time.Now().Add(wait)
	if t.timer != nil {
		if !at.Before(t.at) {
			return
		}
		t.timer.Stop()
	}
	t.at, t.timer = at, time.AfterFunc(wait, t.tick)
}

func (t *ticker) tick() {
	t.mu.Lock()
	t.timer = nil // what becomes due from now on needs another one
	t.mu.Unlock()
	if wait := t.engine.Wait(t.engine.Tick()); wait != math.MaxInt64 {
		t.in(max(wait, time.Millisecond))
	}
}
