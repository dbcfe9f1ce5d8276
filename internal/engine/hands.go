package engine

import "math"

// A world's clock shows one time: that of all that waits, of keys, and of TIME. For tests whose
// keys are to live until the test says otherwise it has hands that show two more.
//
//	clock   timeouts of blocked clients, pauses, delays; stamps of the logs
//	date    TIME, IDs of streams, how long their messages are idle, dates in EXPIREAT and
//	        EXPIRETIME
//	keys    deadlines, as they are stored, and what is left until then
//
// A deadline is stored by the time of keys. The command that sets it by a date, or shows one, adds
// the lag between both.

// Hands show the date and the time of keys.
type Hands interface {
	// At returns both at a time of the clock. All are microseconds since the epoch. It is called
	// under the lock whenever the clock is read. The time of keys must not go back.
	At(clock int64) (date, keys int64)
}

// SetHands gives the world's clock hands. It is called between commands. The keys that are there
// keep their deadlines. From then on the engine cannot tell when a key will be due, and asks for no
// Tick then: keys expire when a command looks at them, and at the next Tick.
func (w *World) SetHands(hands Hands) { w.time.hands = hands }

// readHands returns the time of keys, in microseconds since the epoch.
func (w *World) readHands() int64 {
	t := &w.time
	if t.keys = t.micros; t.hands != nil {
		var date int64
		date, t.keys = t.hands.At(t.micros)
		t.ahead, t.lag = date-t.micros, (date-t.keys)/1000
	}
	return t.keys
}

// Millis returns the time of the batch in milliseconds since the epoch, by which timeouts go.
func (w *World) Millis() int64 { return w.time.micros / 1000 }

// DateMicros returns the date of the batch in microseconds since the epoch.
func (w *World) DateMicros() int64 { return w.DateAt(w.time.micros) }

// DateAt returns the date at a time of the clock, both in microseconds since the epoch.
func (w *World) DateAt(clock int64) int64 { return clock + w.time.ahead }

// KeyMicros returns the time of keys of the batch in microseconds since the epoch.
func (w *World) KeyMicros() int64 { return w.time.keys }

// Lag returns by how many milliseconds the time of keys is behind the date; negative if it is
// ahead.
func (w *World) Lag() int64 { return w.time.lag }

// DeadlineAt returns the deadline for a date in milliseconds since the epoch. That of a date since
// then is never 0, which means none.
func (w *World) DeadlineAt(date int64) int64 {
	switch lag := w.time.lag; {
	case lag < 0 && date > math.MaxInt64+lag:
		return math.MaxInt64
	case lag > 0 && date < math.MinInt64+lag:
		return math.MinInt64
	case date > 0:
		return max(date-lag, 1)
	default:
		return date - lag
	}
}
