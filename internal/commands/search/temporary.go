package search

import (
	"github.com/miniserver-go/miniserver/internal/engine"
)

// due closes idle cursors, drops temporary indexes that have lapsed, and has indexes that were
// loaded begin to read the keys. It returns when something is due again; 0 for never.
func due(w *engine.World) (next int64) {
	next = cursorsDue(w)
	if cat := of(w); cat.stale() != nil && !w.Engine().IsLoading() {
		cat.update()
	}
	if lapses := of(w).lapse(); lapses != 0 && (next == 0 || lapses < next) {
		next = lapses
	}
	return next
}

// lapse drops the temporary indexes that no command has named for so long, with their documents,
// and returns when the next one lapses; 0 if there is none.
func (cat *catalogue) lapse() (next int64) {
	now := cat.world.Keyspace.Now
	for _, e := range cat.indexes {
		if e.Temporary == 0 {
			continue
		}
		at := e.used + e.Temporary
		switch {
		case at <= now:
			cat.expire(e)
		case next == 0 || at < next:
			next = at
		}
	}
	return next
}

// expire drops an index. Its documents are due at once: so the keyspace removes them as it does
// others, and tells replicas. Where what is due stays, as in a replica, they stay.
func (cat *catalogue) expire(e *entry) {
	cat.update()
	keys := e.Keys()
	cat.remove(e)
	if cat.world.Keyspace.KeepExpired {
		return
	}
	for _, key := range keys {
		cat.db().SetDeadline([]byte(key), cat.world.Keyspace.Now)
	}
}
