package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// invalidate reports that a session changed a key, to trackers; by is nil for expiry and eviction. A
// script's changes are its caller's. In broadcast mode they are not, as in Redis: there NOLOOP does not apply to them.
func (w *World) invalidate(key string, by *Session) {
	if w.tracking.broadcast > 0 {
		if w.tracking.changes == nil {
			w.tracking.changes = make(map[string]*Session)
		}
		w.tracking.changes[key] = by
	}
	if by != nil && by.script {
		by = by.caller
	}
	w.invalidateReaders(key, by)
}

// invalidateReaders sends an invalidation to the sessions that read a key, and forgets them.
func (w *World) invalidateReaders(key string, by *Session) {
	for _, id := range w.tracking.take(key) {
		s := w.clients[id]
		if s == nil || s.tracker == nil || s.tracker.bcast || s.tracker.noloop && s == by {
			continue
		}
		w.pushInvalidation(s, []string{key})
	}
}

// invalidateAll reports that everything was removed. One invalidation without keys stands for all.
func (w *World) invalidateAll() {
	if w.tracking.sessions == 0 {
		return
	}
	w.tracking.forgetReaders()
	for _, s := range w.clients {
		if s.tracker != nil {
			w.pushInvalidation(s, nil)
		}
	}
}

// broadcastChanges sends the keys that changed since the last broadcast to the sessions in broadcast mode.
// The keys are sorted, so that the same commands give the same messages.
func (w *World) broadcastChanges() {
	changes := w.tracking.changes
	w.tracking.changes = nil
	keys := make([]string, 0, len(changes))
	for key := range changes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, s := range w.clients {
		if s.tracker == nil || !s.tracker.bcast {
			continue
		}
		for _, prefix := range s.tracker.prefixes {
			w.broadcastPrefix(s, prefix, keys, changes)
		}
	}
}

func (w *World) broadcastPrefix(s *Session, prefix string, keys []string, changes map[string]*Session) {
	var mine []string
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) && !(s.tracker.noloop && changes[key] == s) {
			mine = append(mine, key)
		}
	}
	if mine != nil {
		w.pushInvalidation(s, mine)
	}
}

// pushInvalidation sends an invalidation to the session, or to the session that it redirects to, which may be
// itself. Nil keys stand for all keys.
func (w *World) pushInvalidation(s *Session, keys []string) {
	e := w.engine
	to, redirected := s, s.tracker.redirect != 0
	if redirected {
		if to = w.clients[s.tracker.redirect]; to == nil {
			e.pushRedirectBroken(s)
			return
		}
	}
	proto := to.Reply.Proto()
	if proto == 2 && !(redirected && to.Listens()) {
		return // RESP2 has no pushes
	}
	var out *resp.Writer
	if to == s {
		out = e.invalidations(s)
	} else {
		out = e.messages(to)
	}
	if proto == 3 {
		out.Push(2)
		out.BulkString("invalidate")
	} else {
		out.Push(3)
		out.BulkString("message")
		out.BulkString("__redis__:invalidate")
	}
	if keys == nil {
		out.SetProto(s.Reply.Proto()) // as in Redis, its null is not of the receiver's protocol
		out.Null()
		out.SetProto(proto)
		return
	}
	out.Array(len(keys))
	for _, key := range keys {
		out.BulkString(key)
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
func (w *World) trimReaders() {
	for key := range w.tracking.readers {
		if w.engine.Config.trackedKeys == 0 || len(w.tracking.readers) <= w.engine.Config.trackedKeys {
			return
		}
		w.invalidateReaders(key, nil)
	}
}

// trackReads records the keys that a command read, for the session or for the script's caller. A script itself reads
// nothing, only the commands that it calls do.
func (w *World) trackReads(c *Call) {
	s := c.Session
	if s.script {
		s = s.caller
	}
	if s == nil || s.tracker == nil || c.Cmd.Flags&(command.ReadOnly|command.PubSub|command.MayBeSlow) != command.ReadOnly || !s.tracker.tracksReads() {
		return
	}
	keys, _ := c.Cmd.Keys.At(c.Args)
	for _, key := range keys {
		w.tracking.read(string(c.Args[key.At]), s.ID)
	}
}
