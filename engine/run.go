package engine

import (
	"fmt"
	"strings"
)

// run executes a command that passed the gate. Calls nest: EXEC and scripts run others.
func (e *Engine) run(s *Session, cmd *Command, args [][]byte) *Call {
	c := e.enter(s, cmd, args)
	start := s.Reply.Len()
	cmd.Run(c)
	e.leave(c, start)
	return c
}

// enter takes the call for the next depth. Calls are reused, so that running one costs no memory.
func (e *Engine) enter(s *Session, cmd *Command, args [][]byte) *Call {
	if e.stack.depth == len(e.stack.calls) {
		e.stack.calls = append(e.stack.calls, &Call{Engine: e})
	}
	c := e.stack.calls[e.stack.depth]
	e.stack.depth++
	e.Keyspace.Begin()
	e.Keyspace.Access.NoTouch = s.noTouch
	c.Session, c.DB, c.Cmd, c.Args, c.Reply = s, e.Keyspace.DB(s.db), cmd, args, s.Reply
	c.at, c.err, c.dirty = 1, nil, 0
	if cmd.parent != nil {
		c.at = 2
	}
	c.logged, c.woken, c.blocked, c.redacted = false, false, false, nil
	return c
}

// leave counts the call and journals what it changed. A call that parked its session is counted when
// it has its reply.
func (e *Engine) leave(c *Call, start int) {
	e.stack.depth--
	switch {
	case c.blocked:
		return
	case c.Session.loader:
		c.Session.recordFailure(c.Reply.Bytes()[start:])
		return
	}
	c.Cmd.stats.calls++
	e.stats.commands++
	if c.redacted != nil && e.stack.depth == 0 {
		e.stopwatch.args = c.redacted
	}
	if len(e.Sessions.monitors) > 0 && c.Cmd.Flags&(SkipMonitor|Admin) == 0 {
		e.feedMonitors(c)
	}
	if e.tracking.sessions > 0 {
		e.trackReads(c)
	}
	if out := c.Reply.Bytes(); len(out) > start && out[start] == '-' {
		c.Cmd.stats.failed++
		e.countError(string(out[start+1:]))
	}
	if c.dirty > 0 {
		e.persistence.dirty += c.dirty
		if !c.logged {
			e.propagate(c.DB.ID(), c.Args)
		}
	}
}

// RunNested takes a command that was resolved for a script's session through the gate for scripts and
// executes it; its reply is then in the session's Reply. It returns the gate's error, if there is one.
// A script past the threshold takes the lock for it.
func (e *Engine) RunNested(s *Session, cmd *Command, args [][]byte) error {
	if e.slow.detached {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if err := e.scriptGate(s, cmd, args); err != nil {
		return err
	}
	s.wrote = s.wrote || cmd.Flags&Write != 0
	s.Reply.Reset()
	e.run(s, cmd, args)
	return nil
}

// reject sends the gate's error and spoils an open transaction; EXEC ends it.
func (e *Engine) reject(s *Session, cmd *Command, err error) {
	if cmd != nil {
		cmd.stats.rejected++
	}
	if s.tx != nil {
		s.tx.dirtyExec = true
	}
	if cmd != nil && cmd.Flags&RunsTx != 0 {
		err = fmt.Errorf(ErrExecRefused, strings.TrimPrefix(err.Error(), "ERR "))
		s.tx = nil
		e.unwatch(s)
	}
	e.countError(err.Error())
	s.Reply.Error(err)
}
