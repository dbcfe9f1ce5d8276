package transactions

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// key identifies a key of a database.
type key struct {
	db   int
	name string
}

// watchers are the sessions of a world that watch keys.
type watchers struct {
	of       map[key][]*engine.Session
	sessions int
	observer engine.Observer
}

func watchersOf(w *engine.World) *watchers { return engine.PerWorld[watchers](w) }

// watching is what one session watches.
type watching struct {
	keys  []key
	dirty bool // one has changed: EXEC fails. Redis' flag is CLIENT_DIRTY_CAS
}

// watchingOf returns what a session watches; nil if it never did.
func watchingOf(s *engine.Session) *watching { return engine.KeptBy[watching](s) }

// Watched returns the number of keys that a session watches.
func Watched(s *engine.Session) int {
	if own := watchingOf(s); own != nil {
		return len(own.keys)
	}
	return 0
}

// IsDirty reports whether a key that a session watches has changed.
func IsDirty(s *engine.Session) bool {
	own := watchingOf(s)
	return own != nil && own.dirty
}

// keyBytes is about what the tables take for a watched key beside its text, in bytes: in the
// session's list and in the table of all.
const keyBytes = 160

// watch adds a key to those that the session's transaction depends on. A key that has already
// expired is removed first: otherwise its removal, a moment later, would count as a change and fail
// the transaction for no reason.
func watch(s *engine.Session, k key) {
	own, all := engine.PerSession[watching](s), watchersOf(s.World())
	if slices.Contains(own.keys, k) {
		return
	}
	reap(s.World(), k)
	if len(own.keys) == 0 {
		all.add(s.World())
	}
	own.keys = append(own.keys, k)
	s.Keep(len(k.name) + keyBytes)
	all.of[k] = append(all.of[k], s)
}

// reap removes a key that is due.
func reap(w *engine.World, k key) { w.Keyspace.DB(k.db).Exists([]byte(k.name)) }

// add counts a session more that watches.
func (all *watchers) add(w *engine.World) {
	if all.sessions++; all.sessions > 1 {
		return
	}
	if all.of == nil {
		all.of = make(map[key][]*engine.Session)
		all.observer = engine.Observer{Changed: all.touch, Replaced: all.touchAll, Aborted: unwatch}
	}
	w.Observe(&all.observer)
}

// unwatch ends all that a session watches.
func unwatch(s *engine.Session) {
	if Watched(s) == 0 {
		return
	}
	own, all := watchingOf(s), watchersOf(s.World())
	for _, k := range own.keys {
		s.Keep(-len(k.name) - keyBytes)
		if left := slices.DeleteFunc(all.of[k],
			func(other *engine.Session) bool { return other == s }); len(left) == 0 {
			delete(all.of, k)
		} else {
			all.of[k] = left
		}
	}
	*own = watching{}
	if all.sessions--; all.sessions == 0 {
		s.World().Unobserve(&all.observer)
	}
}

// touch marks the sessions that watch a key.
func (all *watchers) touch(db int, name []byte, _ event.Event, _ *engine.Session) {
	for _, s := range all.of[key{db, string(name)}] {
		watchingOf(s).dirty = true
	}
}

// touchAll marks the sessions that watch a key of db which exists there, or which exists in other,
// the database that takes db's place. A nil other is an empty database. A watched key that is
// absent before and after has not changed.
func (all *watchers) touchAll(db, other *keyspace.DB) {
	for k := range all.of {
		name := []byte(k.name)
		if k.db == db.ID() && (db.Exists(name) || other != nil && other.Exists(name)) {
			all.touch(k.db, name, event.Event{}, nil)
		}
	}
}

// hasChanged reports whether a watched key has changed, after removing those that have expired by
// now, which no command may have done since WATCH.
func hasChanged(s *engine.Session) bool {
	if own := watchingOf(s); own != nil {
		for _, k := range own.keys {
			reap(s.World(), k)
		}
	}
	return IsDirty(s)
}
