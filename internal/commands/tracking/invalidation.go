package tracking

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/resp"
)

// invalidate reports that a session changed a key, to trackers; by is nil for expiry and eviction.
// A script's changes are its caller's. In broadcast mode they are not, as in Redis: there NOLOOP
// does not apply to them.
func (t *table) invalidate(_ int, key []byte, _ event.Event, by *engine.Session) {
	if t.broadcast > 0 {
		if t.changes == nil {
			t.changes = make(map[string]*engine.Session)
		}
		t.changes[string(key)] = by
	}
	if by != nil {
		by = by.Client()
	}
	if len(t.readers) > 0 {
		t.invalidateReaders(string(key), by)
	}
}

// invalidateReaders sends an invalidation to the sessions that read a key, and forgets them.
func (t *table) invalidateReaders(key string, by *engine.Session) {
	for _, id := range t.take(key) {
		s := t.world.Client(id)
		if own := t.trackers[s]; own != nil && !own.bcast && !(own.noloop && s == by) {
			t.pushInvalidation(s, own, []string{key})
		}
	}
}

// invalidateAll reports that everything was removed. One invalidation without keys stands for all.
func (t *table) invalidateAll() {
	t.forgetReaders()
	for s, own := range t.trackers {
		t.pushInvalidation(s, own, nil)
	}
}

// broadcastChanges sends the keys that changed since the last broadcast to the sessions in
// broadcast mode. The keys are sorted, so that the same commands give the same messages.
func (t *table) broadcastChanges() {
	changes := t.changes
	t.changes = nil
	keys := make([]string, 0, len(changes))
	for key := range changes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for s, own := range t.trackers {
		if !own.bcast {
			continue
		}
		for _, prefix := range own.prefixes {
			t.broadcastPrefix(s, own, prefix, keys, changes)
		}
	}
}

func (t *table) broadcastPrefix(s *engine.Session, own *tracker, prefix string, keys []string,
	changes map[string]*engine.Session) {
	var mine []string
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) && !(own.noloop && changes[key] == s) {
			mine = append(mine, key)
		}
	}
	if mine != nil {
		t.pushInvalidation(s, own, mine)
	}
}

// pushInvalidation sends an invalidation to the session, or to the session that it redirects to,
// which may be itself. Nil keys stand for all keys.
func (t *table) pushInvalidation(s *engine.Session, own *tracker, keys []string) {
	to, redirected := s, own.redirect != 0
	if redirected {
		if to = t.world.Client(own.redirect); to == nil {
			pushRedirectBroken(s, own)
			return
		}
	}
	proto := to.Reply.Proto()
	if proto == 2 && !(redirected && to.Listens()) {
		return // RESP2 has no pushes
	}
	var out *resp.Writer
	if to == s {
		out = s.LastMessages()
	} else {
		out = to.Messages()
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
func pushRedirectBroken(s *engine.Session, own *tracker) {
	own.broken = true
	if s.Reply.Proto() == 3 {
		w := s.LastMessages()
		w.Push(2)
		w.BulkString("tracking-redir-broken")
		w.Int(own.redirect)
	}
}

// trimReaders forgets keys over tracking-table-max-keys. It invalidates them, because a later
// change would go unnoticed.
func (t *table) trimReaders() {
	for key := range t.readers {
		if t.settings.maxKeys == 0 || len(t.readers) <= t.settings.maxKeys {
			return
		}
		t.invalidateReaders(key, nil)
	}
}

// endBatch sends the invalidations that wait for the end of a batch.
func (t *table) endBatch() {
	if t.changes != nil {
		t.broadcastChanges()
	}
	if t.readers != nil {
		t.trimReaders()
	}
}
