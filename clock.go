package miniserver

import "sync"

// clock is the machine's clock with a distance that Advance makes, or one that stands still.
type clock struct {
	machine func() int64 // microseconds since the epoch

	mu     sync.Mutex
	ahead  int64 // of the machine's clock, microseconds
	frozen bool
	at     int64 // what it shows while it is frozen
}

// now implements the clock of engine.Options.
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

// reach moves the clock ahead to a time, if it is not there yet.
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
