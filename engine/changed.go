package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Changed reports a change of key, once for each event. It stores the new size of the value, removes the key
// if the value is empty, and informs observers, blocked clients and subscribers. The event is
// the zero one where Redis has none. That of a hash may name the fields that it is about, and must if TellsFields.
//
// Each handler calls it instead of doing these things by hand: a forgotten step would show only in a rare
// combination, such as a stale WATCH.
func (c *Call) Changed(key []byte, ev event.Event, fields ...[]byte) {
	c.ChangedIn(c.DB, key, ev, fields...)
}

// TellsFields reports whether subscribers are told which fields of hashes have changed. If not, Changed needs no fields.
func (c *Call) TellsFields() bool { return c.Engine.Config.Events.TellFields() }

// ChangedIn is Changed for a key of another database.
func (c *Call) ChangedIn(db *keyspace.DB, key []byte, ev event.Event, fields ...[]byte) {
	c.dirty++
	c.World.changed(db, key, ev, fields...)
	if c.World.role.Replica && !c.Session.master {
		c.World.noteOwn(db, key)
	}
	if len(c.World.observers) > 0 {
		c.World.reportChange(db.ID(), key, c.Session)
	}
}

// changed is the one place where a change of a key takes effect beyond its value. A blocked client is only
// signalled here and served after the command, because the rest of the command, or of its transaction, may
// change the key again.
func (w *World) changed(db *keyspace.DB, key []byte, ev event.Event, fields ...[]byte) {
	removed := db.Commit(key)
	if w.engine.Config.Events != 0 && !ev.None() {
		w.notify(db, key, ev, fields...)
		if removed {
			w.notify(db, key, event.Del)
		}
	}
	if len(w.blocked.keys) > 0 && (!removed || w.blocked.onDelete > 0) {
		w.blocked.signal(db.ID(), key)
	}
}

// notify tells the parts of a keyspace event, if notify-keyspace-events has its class. fields are those of a hash
// that it is about; they may be left out if the configuration does not ask for them.
func (w *World) notify(db *keyspace.DB, key []byte, ev event.Event, fields ...[]byte) {
	asked := w.engine.Config.Events
	if !asked.Want(ev) {
		return
	}
	var told [][]byte
	if ev.OfHash() && asked.TellFields() {
		told = slices.Clone(fields) // the clone escapes, so the caller's fields can stay on its stack
	}
	for _, tell := range w.engine.Parts.hooks.event {
		tell(w, db.ID(), key, ev, told)
	}
}

// ChangedUnwatched reports a change that neither WATCH nor blocked clients must see, such as one of a
// stream's consumer groups. It stores the new size of the value as Changed does, and sends the event.
func (c *Call) ChangedUnwatched(key []byte, ev event.Event) {
	c.DB.Commit(key)
	c.CountChange(key, ev)
}

// CountChange counts a change and sends its event, but leaves the value's size alone, because further
// changes of the same key follow.
func (c *Call) CountChange(key []byte, ev event.Event) {
	c.dirty++
	if c.Engine.Config.Events != 0 && !ev.None() {
		c.World.notify(c.DB, key, ev)
	}
}

// ChangedAll reports that n keys of whole databases changed, to the journal and to the count of unsaved
// changes. FLUSHALL on an empty database is propagated too, so 0 counts as 1.
func (c *Call) ChangedAll(n int) {
	c.World.dirty += int64(n)
	c.forced = true
}

// AddChanges counts n changes more than the call reports, or fewer: Redis counts the elements that change, and a key whose change has two
// events once.
func (c *Call) AddChanges(n int) { c.dirty += int64(n) }

// MarkDirty counts a change that is not the change of a key's value, so that the command is propagated.
func (c *Call) MarkDirty() { c.dirty++ }

// Dirty reports whether the call has reported a change.
func (c *Call) Dirty() bool { return c.dirty > 0 || c.forced }

// Store puts v at dst in place of the old value, deletes dst if v is empty, and replies with the number of
// members. As in Redis, a dst whose deadline has passed is deleted too, by this command.
func (c *Call) Store(dst []byte, v keyspace.Value, ev event.Event) {
	n := v.Len()
	switch {
	case n > 0:
		c.DB.Set(dst, v, false)
		c.Changed(dst, ev)
	case c.DB.Erase(dst):
		c.Changed(dst, event.Del)
	}
	c.Reply.Int(int64(n))
}

// CountExpired counts a key that the command removed because its deadline had passed.
func (c *Call) CountExpired() { c.Engine.stats.expired++ }

// keyExpiring is called by the keyspace before it removes a key that is due.
func (w *World) keyExpiring() {
	e := w.engine
	e.expiring = expiring{e.startLatency(), w.Keyspace.Lazily}
	w.Keyspace.Lazily = e.Config.LazyFree.Expire
}

// keyExpired is called by the keyspace when it removes an expired key.
func (w *World) keyExpired(db *keyspace.DB, key string) {
	e := w.engine
	w.sampleLatency("expire-del", e.expiring.start)
	w.Keyspace.Lazily = e.expiring.lazily
	e.stats.expired++
	w.keyRemoved(db, key, event.Expired, e.Config.LazyFree.Expire)
}

// keyRemoved propagates and reports the removal of a key without a command, by expiry or eviction. Replicas
// receive a DEL, or UNLINK if lazily is set, instead of expiring the key themselves, so that both sides agree at every
// offset.
func (w *World) keyRemoved(db *keyspace.DB, key string, ev event.Event, lazily bool) {
	w.propagateRemoval(db.ID(), key, lazily)
	if len(w.observers) > 0 {
		w.reportChange(db.ID(), []byte(key), nil)
	}
	if len(w.blocked.keys) > 0 {
		w.blocked.signal(db.ID(), []byte(key))
	}
	if w.engine.Config.Events != 0 {
		w.notify(db, []byte(key), ev)
	}
}

// keyCreated is called by the keyspace when it adds a key.
func (w *World) keyCreated(db *keyspace.DB, key string) {
	if w.engine.Config.Events != 0 {
		w.notify(db, []byte(key), event.New)
	}
}
