package engine

import "math"

// AwaitShutdown makes a SHUTDOWN wait if a part lags, and reports whether it does. The host's Exit ends the wait. It is called under
// the lock.
func (e *Engine) AwaitShutdown(how Shutdown) bool {
	s := &e.shutdown
	if how.Now || s.timeout == 0 || !e.lags() {
		return false
	}
	if s.how = how; s.deadline == 0 {
		s.deadline = e.home.Keyspace.Now + s.timeout*1000
		e.home.Pause(PausedForShutdown, math.MaxInt64, false)
		e.Log('*', "Waiting for replicas before shutting down.")
	}
	return true
}

// lags reports whether a part lags.
func (e *Engine) lags() bool {
	for _, p := range e.Parts.List {
		if p.Lags != nil && p.Lags() {
			return true
		}
	}
	return false
}

// Terminate asks for the end of the process as SIGTERM does: like SHUTDOWN, but no script is cut off. If the data cannot be
// saved the process goes on. It is called under the lock.
func (e *Engine) Terminate(how Shutdown) {
	e.shutdown.requested = &how
	if e.Parts.Host.Due != nil {
		e.Parts.Host.Due(e.home.Keyspace.Now)
	}
}

// tendShutdown begins what Terminate asked for, and ends the process if a shutdown has waited long enough.
func (e *Engine) tendShutdown() {
	s := &e.shutdown
	if how := s.requested; how != nil {
		s.requested = nil
		if _, err := e.beginShutdown(*how); err != nil {
			e.Log('#', "Errors trying to shut down the server. Check the logs for more information.")
		}
	}
	if s.deadline == 0 || e.home.Keyspace.Now < s.deadline && e.lags() {
		return
	}
	if e.exit(s.how) != nil {
		e.AbortShutdown()
	}
	s.deadline = 0
}

// beginShutdown ends the process, or makes it wait for that. An error says that it goes on.
func (e *Engine) beginShutdown(how Shutdown) (waits bool, err error) {
	e.Log('*', "User requested shutdown...")
	if waits = e.AwaitShutdown(how); !waits {
		err = e.exit(how)
	}
	return waits, err
}

// exit ends the process, unless a part returns an error.
func (e *Engine) exit(how Shutdown) error {
	err := e.prepareShutdown(how)
	if err == nil {
		e.Parts.Host.Exit()
	}
	return err
}

// AbortShutdown lets the server go on. Who asked for its end gets an error.
func (e *Engine) AbortShutdown() {
	for _, b := range e.shutdown.waiting {
		if !b.Ended() {
			b.session.world.endBlock(b, ErrShutdown)
		}
	}
	e.shutdown.deadline, e.shutdown.waiting = 0, nil
	e.home.Unpause(PausedForShutdown)
}

// Crash ends the process at once, without saving. There must be a host with Exit.
func (e *Engine) Crash() {
	_ = e.prepareShutdown(Shutdown{NoSave: true, Now: true, Force: true})
	e.Parts.Host.Exit()
}

// EndServer ends the server, now or when the replicas have everything. The call is over then.
func (c *Call) EndServer(how Shutdown) {
	e := c.Engine
	switch waits, err := e.beginShutdown(how); {
	case err != nil:
		c.Fail(err)
	case waits:
		if w := c.Block(0, func(*Session) {}); w != nil {
			e.shutdown.waiting = append(e.shutdown.waiting, w)
		}
	default:
		c.Session.CloseAfterReply() // there is no reply: the connection ends with the server
	}
}
