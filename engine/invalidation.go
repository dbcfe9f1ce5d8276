package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// invalidate reports that a session changed a key, to trackers; by is nil for expiry and eviction. A
// script's changes are its caller's. In broadcast mode they are not, as in Redis: there NOLOOP does not apply to them.
func (e *Engine) invalidate(key string, by *Session) {
	if e.tracking.broadcast > 0 {
		if e.tracking.changes == nil {
			e.tracking.changes = make(map[string]*Session)
		}
		e.tracking.changes[key] = by
	}
	if by != nil && by.script {
		by = by.caller
	}
	e.invalidateReaders(key, by)
}

// invalidateReaders sends an invalidation to the sessions that read a key, and forgets them.
func (e *Engine) invalidateReaders(key string, by *Session) {
	for _, id := range e.tracking.take(key) {
		s := e.clients[id]
		if s == nil || s.tracker == nil || s.tracker.bcast || s.tracker.noloop && s == by {
			continue
		}
		e.pushInvalidation(s, []string{key})
	}
}

// invalidateAll reports that everything was removed. One invalidation without keys stands for all.
func (e *Engine) invalidateAll() {
	if e.tracking.sessions == 0 {
		return
	}
	e.tracking.forgetReaders()
	for _, s := range e.clients {
		if s.tracker != nil {
			e.pushInvalidation(s, nil)
		}
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
	for _, s := range e.clients {
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

// pushInvalidation sends an invalidation to the session, or to the session that it redirects to, which may be
// itself. Nil keys stand for all keys.
func (e *Engine) pushInvalidation(s *Session, keys []string) {
	to, redirected := s, s.tracker.redirect != 0
	if redirected {
		if to = e.clients[s.tracker.redirect]; to == nil {
			e.pushRedirectBroken(s)
			return
		}
	}
	proto := to.Reply.Proto()
	if proto == 2 && !(redirected && to.subscribed()) {
		return // RESP2 has no pushes
	}
	var w *resp.Writer
	if to == s {
		w = e.invalidations(s)
	} else {
		w = e.messages(to)
	}
	if proto == 3 {
		w.Push(2)
		w.BulkString("invalidate")
	} else {
		w.Push(3)
		w.BulkString("message")
		w.BulkString("__redis__:invalidate")
	}
	if keys == nil {
		w.SetProto(s.Reply.Proto()) // as in Redis, its null is not of the receiver's protocol
		w.Null()
		w.SetProto(proto)
		return
	}
	w.Array(len(keys))
	for _, key := range keys {
		w.BulkString(key)
	}
}

// pushRedirectBroken informs a session that the session it redirects to has ended.
func (e *Engine) pushRedirectBroken(s *Session) {
	s.tracker.broken = true
	if s.Reply.Proto() == 3 {
		w := e.invalidations(s)
		w.Push(2)
		w.BulkString("tracking-redir-broken")
		w.Int(s.tracker.redirect)
	}
}

// trimReaders forgets keys over tracking-table-max-keys. It invalidates them, because a later change would
// go unnoticed.
func (e *Engine) trimReaders() {
	for key := range e.tracking.readers {
		if e.Config.trackedKeys == 0 || len(e.tracking.readers) <= e.Config.trackedKeys {
			return
		}
		e.invalidateReaders(key, nil)
	}
}

// trackReads records the keys that a command read, for the session or for the script's caller. A script itself reads
// nothing, only the commands that it calls do.
func (e *Engine) trackReads(c *Call) {
	s := c.Session
	if s.script {
		s = s.caller
	}
	if s == nil || s.tracker == nil || c.Cmd.Flags&(command.ReadOnly|command.PubSub|command.MayBeSlow) != command.ReadOnly || !s.tracker.tracksReads() {
		return
	}
	keys, _ := c.Cmd.Keys.At(c.Args)
	for _, key := range keys {
		e.tracking.read(string(c.Args[key.At]), s.ID)
	}
}
