package engine

import "github.com/miniserver-go/miniserver/keyspace"

// Changed reports that key was changed, once for each event. It settles the value, removes the key
// if it is empty, and tells whoever watches, waits or listens. The event is its class letter and
// its name, "zzadd", "$set", "gdel"; "" where Redis tells of none.
func (c *Call) Changed(key []byte, event string) {
	c.ChangedIn(c.DB, key, event)
}

// ChangedIn is Changed for a key of another database.
func (c *Call) ChangedIn(db *keyspace.DB, key []byte, event string) {
	c.dirty++
	c.Engine.changed(db, key, event)
	if c.Engine.tracking.sessions > 0 {
		c.Engine.invalidate(string(key), c.Session)
	}
}

// changed is the one place where a change of a key takes effect beyond its value.
func (e *Engine) changed(db *keyspace.DB, key []byte, event string) {
	removed := db.Commit(key)
	if len(e.watched) > 0 {
		e.touchWatched(db.ID(), key)
	}
	if e.Config.notify != 0 && event != "" {
		e.notify(db, key, event)
		if removed {
			e.notify(db, key, "gdel")
		}
	}
	if len(e.blocked.keys) > 0 && !removed {
		e.blocked.signal(db.ID(), key)
	}
}

// ChangedUnwatched reports a change at key that is none to those who watch it or wait for it: of what a stream's
// groups know. It settles the value like Changed, and tells of the event.
func (c *Call) ChangedUnwatched(key []byte, event string) {
	c.DB.Commit(key)
	c.CountChange(key, event)
}

// note is Noted without settling, where more will come.
func (c *Call) CountChange(key []byte, event string) {
	c.dirty++
	if c.Engine.Config.notify != 0 && event != "" {
		c.Engine.notify(c.DB, key, event)
	}
}

// ChangedAll reports that n keys of whole databases were changed, which only the journal and the
// count of changes need to know. It reports even if n is 0.
func (c *Call) ChangedAll(n int) { c.dirty += max(int64(n), 1) }

// MarkDirty counts a change that no key's value shows, so that the command is journaled.
func (c *Call) MarkDirty() { c.dirty++ }

// Dirty reports whether the call has reported a change.
func (c *Call) Dirty() bool { return c.dirty > 0 }

// Store puts v at dst in place of what is there, or removes that if v is empty, and replies with the
// number of members.
func (c *Call) Store(dst []byte, v keyspace.Value, event string) {
	n := v.Len()
	switch {
	case n > 0:
		c.DB.Set(dst, v, false)
		c.Changed(dst, event)
	case c.DB.Delete(dst):
		c.Changed(dst, "gdel")
	}
	c.Reply.Int(int64(n))
}

// Propagates reports whether changes are handed to a journal or to replicas; if not, Log does nothing.
func (c *Call) Propagates() bool { return c.Engine.propagation.to != nil }

// Propagate says what the journal is to hold in place of the command's own arguments: a form whose
// replay gives the same data at any time. It may be called several times, for several commands.
func (c *Call) Propagate(args ...[]byte) {
	c.logged = true
	c.Engine.propagate(c.DB.ID(), args)
}

// PropagateNothing says that the change needs no line of its own in the journal.
func (c *Call) PropagateNothing() { c.logged = true }

// keyExpired is called by the keyspace when it removes a due key.
func (e *Engine) keyExpired(db *keyspace.DB, key string) {
	e.stats.expired++
	e.keyRemoved(db, key, "xexpired")
}

// keyRemoved tells everyone that a key went without a command.
func (e *Engine) keyRemoved(db *keyspace.DB, key, event string) {
	if e.propagation.to != nil {
		e.propagate(db.ID(), [][]byte{[]byte("DEL"), []byte(key)})
	}
	e.invalidateExpired(db, key)
	if len(e.blocked.keys) > 0 {
		e.blocked.signal(db.ID(), []byte(key))
	}
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), event)
	}
}

// invalidateExpired tells those who track or watch a key that time has changed it.
func (e *Engine) invalidateExpired(db *keyspace.DB, key string) {
	if e.tracking.sessions > 0 {
		e.invalidate(key, nil)
	}
	if len(e.watched) > 0 {
		e.touchWatched(db.ID(), []byte(key))
	}
}

// keyCreated is called by the keyspace when it adds a key.
func (e *Engine) keyCreated(db *keyspace.DB, key string) {
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), "nnew")
	}
}
