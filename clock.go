package miniserver

import "sync"

// clock is the machine's clock plus the sum of all Advances, or a frozen clock.
type clock struct {
	machine func() int64 // microseconds since the epoch

	mu     sync.Mutex
	ahead  int64 // microseconds ahead of the machine's clock
	frozen bool
	at     int64 // the time while it is frozen
}

// now returns the time for engine.Options.
func (c *clock) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read()
}

func (c *clock) read() int64 {
	if c.frozen {
		return c.at
	}
	return c.machine() + c.ahead
}

// reach moves the clock ahead to a time, unless it is later already.
func (c *clock) reach(at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := max(0, at-c.read())
	c.ahead += missing
	c.at += missing
}

// freeze sets the clock to a time and stops it.
func (c *clock) freeze(at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.at = true, at
}
