package miniredis

import (
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// hands are the engine.Hands of a server. They are touched under the engine's lock.
type hands struct {
	fixed int64 // the date that SetTime has set, in microseconds since the epoch
	set   bool
	keys  int64 // the time of keys, in microseconds
	runs  bool  // the time of keys follows the date: ClockTTL
	last  int64 // the date that it has followed
}

// newHands gives an engine hands. Its keys live from a whole millisecond on.
func newHands(e *engine.Engine) *hands {
	h := &hands{}
	e.With(func() {
		h.keys = e.Home().Millis() * 1000
		e.Home().SetHands(h)
	})
	return h
}

// At implements engine.Hands. A date that goes back leaves keys as they are.
func (h *hands) At(clock int64) (date, keys int64) {
	if date = clock; h.set {
		date = h.fixed
	}
	if h.runs {
		h.keys += max(0, date-h.last)
		h.last = date
	}
	return date, h.keys
}

// steer runs fn, which moves time, between commands. Then what is due has happened.
func (m *Miniredis) steer(fn func(now int64)) {
	unlocked(func() {
		m.engine.With(func() {
			w := m.engine.Home()
			fn(w.Micros())
			for next := w.TickNow(); next != 0 && next <= w.Millis(); {
				next = w.TickNow()
			}
		})
	})
}

// FastForward lets keys and fields grow older. Those that have no time left are gone when it
// returns, with their keyspace events. Neither TIME nor the patience of blocked clients changes.
func (m *Miniredis) FastForward(duration time.Duration) {
	m.steer(func(int64) { m.hands.keys += max(0, duration.Microseconds()) })
}

// SetTime stops the clock at a time: TIME, the IDs of streams and how long their messages are idle,
// and what dates in EXPIREAT and the like are compared with. Keys do not grow older by it, unless
// ClockTTL says so. The zero Time lets the clock run again.
func (m *Miniredis) SetTime(t time.Time) {
	m.steer(func(int64) { m.hands.fixed, m.hands.set = t.UnixMicro(), !t.IsZero() })
}

// ClockTTL lets keys and fields grow older as the clock runs, or is set by SetTime, and not only by
// FastForward. A clock that is set back leaves them as they are. They are removed when somebody
// looks at them.
func (m *Miniredis) ClockTTL(enabled bool) {
	m.steer(func(now int64) {
		m.hands.At(now)
		if m.hands.last = now; m.hands.set {
			m.hands.last = m.hands.fixed
		}
		m.hands.runs = enabled
	})
}

// Seed starts anew all that is random, so that it repeats: see MINI.SEED.
func (m *Miniredis) Seed(seed int) {
	m.steer(func(int64) { m.engine.Home().Reseed(uint64(seed)) })
}
