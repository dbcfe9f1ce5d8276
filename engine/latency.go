package engine

// AddLatency tells parts with Sampled what held clients up, and for how many microseconds. It is
// called under the lock.
func (w *World) AddLatency(event string, micros int64) {
	for _, sampled := range w.engine.Parts.hooks.sampled {
		sampled(w, event, micros)
	}
}

// expiring is the removal of a key that is due, between keyExpiring and keyExpired.
type expiring struct {
	start  int64 // as startLatency returned it
	lazily bool  // what Keyspace.Lazily was before
}

// startLatency returns when something begins that sampleLatency will measure, by the machine's
// clock; 0 if no part wants to know.
func (e *Engine) startLatency() int64 {
	if len(e.Parts.hooks.sampled) == 0 {
		return 0
	}
	return e.Machine()
}

// sampleLatency is AddLatency for what has begun at start.
func (w *World) sampleLatency(event string, start int64) {
	if start != 0 {
		w.AddLatency(event, w.engine.Machine()-start)
	}
}
