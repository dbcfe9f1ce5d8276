package lua

// SetHook makes hook run after every interval units of work, about a loop iteration or a call each. An
// error it returns ends the run; no pcall catches it.
func (L *State) SetHook(interval int, hook func() error) {
	L.interval, L.hook, L.ticks = interval, hook, interval
}

// SetMemoryLimit bounds the bytes that the values of the next run may hold.
func (L *State) SetMemoryLimit(bytes int) { L.limit, L.room = bytes, bytes }
