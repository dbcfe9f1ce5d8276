package engine

import (
	"slices"
	"strings"
)

// invalidate reports that a session changed a key, to trackers; by is nil for expiry and eviction. A
// script's changes are its caller's.
func (e *Engine) invalidate(key string, by *Session) {
	if by != nil && by.script {
		by = by.caller
	}
	if e.tracking.broadcast > 0 {
		if e.tracking.changes == nil {
			e.tracking.changes = make(map[string]*Session)
		}
		e.tracking.changes[key] = by
	}
	e.invalidateReaders(key, by)
}

// invalidateReaders sends an invalidation to the sessions that read a key, and forgets them.
func (e *Engine) invalidateReaders(key string, by *Session) {
	for _, id := range e.tracking.take(key) {
		s := e.Sessions.ByID[id]
		switch {
		case s == nil || s.tracker == nil || s.tracker.bcast || s.tracker.noloop && s == by:
		case s == by:
			s.tracker.ownKeys = append(s.tracker.ownKeys, key)
		default:
			e.pushInvalidation(s, []string{key})
		}
	}
}

// invalidateAll reports that a session's command removed everything. One invalidation without keys stands
// for all.
func (e *Engine) invalidateAll(by *Session) {
	if e.tracking.sessions == 0 {
		return
	}
	e.tracking.forgetReaders()
	for _, s := range e.Sessions.ByID {
		switch {
		case s.tracker == nil:
		case s == by:
			s.tracker.ownFlush = true
		default:
			e.pushInvalidation(s, nil)
		}
	}
}

// pushOwnInvalidations sends a session the invalidations that its own command caused. It runs after the
// reply.
func (e *Engine) pushOwnInvalidations(s *Session) {
	t := s.tracker
	keys, flush := t.ownKeys, t.ownFlush
	t.ownKeys, t.ownFlush = nil, false
	for _, key := range keys {
		e.pushInvalidation(s, []string{key})
	}
	if flush {
		e.pushInvalidation(s, nil)
	}
}

// broadcastChanges sends the keys that changed since the last broadcast to the sessions in broadcast mode.
// The keys are sorted, so that the same commands give the same messages.
func (e *Engine) broadcastChanges() {
	changes := e.tracking.changes
	e.tracking.changes = nil
	keys := make([]string, 0, len(changes))
	for key := range changes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, s := range e.Sessions.ByID {
		if s.tracker == nil || !s.tracker.bcast {
			continue
		}
		for _, prefix := range s.tracker.prefixes {
			e.broadcastPrefix(s, prefix, keys, changes)
		}
	}
}

func (e *Engine) broadcastPrefix(s *Session, prefix string, keys []string, changes map[string]*Session) {
	var mine []string
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) && !(s.tracker.noloop && changes[key] == s) {
			mine = append(mine, key)
		}
	}
	if mine != nil {
		e.pushInvalidation(s, mine)
	}
}

// pushInvalidation sends an invalidation to the session, or to the session that it redirects to. Nil keys
// stand for all keys.
func (e *Engine) pushInvalidation(s *Session, keys []string) {
	to := s
	if id := s.tracker.redirect; id != 0 {
		if to = e.Sessions.ByID[id]; to == nil {
			e.pushRedirectBroken(s)
			return
		}
	}
	switch w := to.Reply; {
	case w.Proto() == 3:
		w.Push(2)
		w.BulkString("invalidate")
	case to != s && to.subscribed():
		w.Push(3)
		w.BulkString("message")
		w.BulkString("__redis__:invalidate")
	default:
		return // RESP2 has no pushes
	}
	if keys == nil {
		to.Reply.Null()
	} else {
		to.Reply.Array(len(keys))
	}
	for _, key := range keys {
		to.Reply.BulkString(key)
	}
	to.Wake()
}

// pushRedirectBroken informs a session that the session it redirects to has ended.
func (e *Engine) pushRedirectBroken(s *Session) {
	s.tracker.broken = true
	if s.Reply.Proto() == 3 {
		s.Reply.Push(2)
		s.Reply.BulkString("tracking-redir-broken")
		s.Reply.Int(s.tracker.redirect)
		s.Wake()
	}
}

// trimReaders forgets keys over tracking-table-max-keys. It invalidates them, because a later change would
// go unnoticed.
func (e *Engine) trimReaders() {
	for key := range e.tracking.readers {
		if e.tracking.maxKeys == 0 || len(e.tracking.readers) <= e.tracking.maxKeys {
			return
		}
		e.invalidateReaders(key, nil)
	}
}

// trackReads records the keys that a command read, for the session or for the script's caller.
func (e *Engine) trackReads(c *Call) {
	s := c.Session
	if s.script {
		s = s.caller
	}
	if s == nil || s.tracker == nil || c.Cmd.Flags&(ReadOnly|PubSub) != ReadOnly || !s.tracker.tracksReads() {
		return
	}
	keys, _ := c.Cmd.Keys.At(c.Args)
	for _, key := range keys {
		e.tracking.read(string(c.Args[key.At]), s.ID)
	}
}

// endTrackedCommand sends a session the invalidations of its own command, which must follow the reply, and
// ends the effect of CLIENT CACHING, which lasts for one command. Inside MULTI it lasts until EXEC, and
// commands flagged KeepsCaching do not end it.
func (e *Engine) endTrackedCommand(s *Session, cmd *Command) {
	t := s.tracker
	if t.ownKeys != nil || t.ownFlush {
		e.pushOwnInvalidations(s)
	}
	if t.caching && s.tx == nil && (cmd == nil || cmd.Flags&KeepsCaching == 0) {
		t.caching = false
	}
}
