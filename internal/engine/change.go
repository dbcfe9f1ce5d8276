package engine

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// A change of a key has effects beyond its value: WATCH and the caches of clients are told,
// subscribers get an event, blocked clients are served, the journal and the replicas get a command.
// They are brought about here and nowhere else:
//
//	Changed, ChangedIn              a command             ByCommand  ─┐
//	ChangedUnwatched, CountChange   a command on groups   ByGroup     │
//	keyExpired                      a key's deadline      ByDeadline  ├─▶ report ─▶ effectsOf
//	keyEvicted                      maxmemory             ByEviction  │
//	elementsExpired                 elements' deadlines   ByElements  │
//	keyCreated                      the first value       ByCreation  │
//	Replaced                        another value         ByReplacement
//
// The table effectsOf says which effects a cause has, and in which order. A new cause is a new row.
// For a new effect, decide for each row whether it applies. TestEffectsOfChanges has all rows. What
// the command itself sends to journal and replicas is not an effect of its changes: see
// propagation.go. Changes of whole databases, by FLUSHALL, SWAPDB and loading, are in databases.go.

// Change is the change of a key.
type Change struct {
	DB      *keyspace.DB
	Key     []byte
	Cause   Cause
	Event   event.Event // none where Redis has none
	Fields  [][]byte    // what the event is about: fields of a hash, see told
	Removed bool        // the key is gone
	Author  *Session    // whose command it was; nil for none

	propagate func() // sends to journal and replicas what a command would have sent
}

// Cause is what made a key change.
type Cause uint8

// The causes.
const (
	ByCommand     Cause = iota // a command changed the value
	ByGroup                    // a command changed what belongs to a stream, but not its entries
	ByDeadline                 // the key's deadline has passed
	ByEviction                 // there is no memory for the key
	ByElements                 // deadlines of elements have passed
	ByCreation                 // the key has its first value; what gave it reports its own change
	ByReplacement              // the key has another value; the command reports its own change too
	causes
)

// effect is what a change brings about.
type effect uint8

const (
	observed   effect = iota // the world's observers are told: WATCH, client-side caching
	notified                 // subscribers get the event
	vanished                 // subscribers get the event "del", if the change removed the key
	unblocks                 // clients that wait for the key are signalled
	owned                    // a replica notes that a key with a deadline is its own
	propagated               // journal and replicas get a command
)

// effectsOf are the effects of each cause, in the order of Redis 8.6.
var effectsOf = [causes][]effect{
	ByCommand:     {observed, notified, vanished, unblocks, owned},
	ByGroup:       {notified},
	ByDeadline:    {notified, observed, unblocks, propagated},
	ByEviction:    {notified, observed, unblocks, propagated},
	ByElements:    {notified, vanished, observed, propagated}, // no command waits for elements to go
	ByCreation:    {notified},
	ByReplacement: {notified},
}

// report brings about the effects of a change.
func (w *World) report(c *Change) {
	for _, e := range effectsOf[c.Cause] {
		w.bringAbout(e, c)
	}
}

// bringAbout brings about one effect. A blocked client is only signalled here and served after the
// command, because the rest of the command, or of its transaction, may change the key again.
func (w *World) bringAbout(e effect, c *Change) {
	switch e {
	case observed:
		w.observers.changed(c.DB.ID(), c.Key, c.Event, c.Author)
	case notified:
		w.notify(c.DB, c.Key, c.Event, c.Fields...)
	case vanished:
		if c.Removed && !c.Event.None() {
			w.notify(c.DB, c.Key, event.Del)
		}
	case unblocks:
		if len(w.blocked.keys) > 0 && (!c.Removed || w.blocked.onDelete > 0) {
			w.blocked.signal(c.DB.ID(), c.Key)
		}
	case owned:
		if w.role.Replica && w.IsHome() && !c.Author.master {
			w.engine.asReplica.own.note(c.DB, c.Key)
		}
	case propagated:
		if w.propagation.wanted() {
			c.propagate()
		}
	}
}

// heeded reports whether a command's change has an effect: usually it has none.
func (w *World) heeded() bool {
	return w.engine.Config.Events != 0 || len(w.observers) > 0 || len(w.blocked.keys) > 0 || w.role.Replica
}

// Changed reports a change of key, once for each event. It stores the new size of the value,
// removes the key if the value is empty, and brings about what follows. The event is the zero one
// where Redis has none. That of a hash may name the fields that it is about, and must if
// TellsFields.
//
// Each handler calls it instead of doing these things by hand: a forgotten step would show only in
// a rare combination, such as a stale WATCH.
func (c *Call) Changed(key []byte, ev event.Event, fields ...[]byte) {
	c.ChangedIn(c.DB, key, ev, fields...)
}

// ChangedIn is Changed for a key of another database.
func (c *Call) ChangedIn(db *keyspace.DB, key []byte, ev event.Event, fields ...[]byte) {
	c.dirty++
	removed := db.Commit(key)
	if w := c.World; w.heeded() {
		w.report(&Change{DB: db, Key: key, Event: ev, Fields: w.told(ev, fields), Removed: removed, Author: c.Session})
	}
}

// ChangedUnwatched reports a change that neither WATCH nor blocked clients must see, such as one of
// a stream's consumer groups. It stores the new size of the value as Changed does, and sends the
// event.
func (c *Call) ChangedUnwatched(key []byte, ev event.Event) {
	c.DB.Commit(key)
	c.CountChange(key, ev)
}

// CountChange counts a change and sends its event, but leaves the value's size alone, because
// further changes of the same key follow.
func (c *Call) CountChange(key []byte, ev event.Event) {
	c.dirty++
	if w := c.World; w.heeded() {
		w.report(&Change{DB: c.DB, Key: key, Cause: ByGroup, Event: ev, Author: c.Session})
	}
}

// Touched tells those who watch a key or keep it on their side that it may have changed, for a
// command that does so whatever it does in the end.
func (c *Call) Touched(key []byte) {
	if w := c.World; len(w.observers) > 0 {
		w.observers.changed(c.DB.ID(), key, event.Event{}, c.Session)
	}
}

// TellsFields reports whether subscribers are told which fields of hashes have changed. If not,
// Changed needs no fields.
func (c *Call) TellsFields() bool { return c.Engine.Config.Events.TellFields() }

// told returns the fields that the subscribers of an event are told; nil for none. It is a copy, so
// that the caller's fields can stay on its stack.
func (w *World) told(ev event.Event, fields [][]byte) [][]byte {
	if len(fields) == 0 || !ev.OfHash() || !w.engine.Config.Events.TellFields() {
		return nil
	}
	return slices.Clone(fields)
}

// notify tells the parts of a keyspace event, if notify-keyspace-events has its class, with the
// fields that told returned.
func (w *World) notify(db *keyspace.DB, key []byte, ev event.Event, told ...[]byte) {
	if !w.engine.Config.Events.Want(ev) {
		return
	}
	for _, tell := range w.engine.Parts.hooks.event {
		tell(w, db.ID(), key, ev, told)
	}
}

// ChangedAll reports that n keys of whole databases changed, to the journal and to the count of
// unsaved changes. FLUSHALL on an empty database is propagated too, so 0 counts as 1.
func (c *Call) ChangedAll(n int) {
	c.World.Unsaved += int64(n)
	c.forced = true
}

// AddChanges counts n changes more than the call reports, or fewer: Redis counts the elements that
// change, and a key whose change has two events once.
func (c *Call) AddChanges(n int) { c.dirty += int64(n) }

// MarkDirty counts a change that is not the change of a key's value, so that the command is
// propagated.
func (c *Call) MarkDirty() { c.dirty++ }

// Dirty reports whether the call has reported a change.
func (c *Call) Dirty() bool { return c.dirty > 0 || c.forced }

// Store puts v at dst in place of the old value, deletes dst if v is empty, and replies with the
// number of members. As in Redis, a dst whose deadline has passed is deleted too, by this command.
func (c *Call) Store(dst []byte, v keyspace.Value, ev event.Event) {
	n := v.Len()
	switch {
	case n > 0:
		was := c.Replacing(c.DB, dst)
		c.DB.Set(dst, v, false)
		c.Replaced(c.DB, dst, was)
		c.Changed(dst, ev)
	case c.DB.Erase(dst):
		c.Changed(dst, event.Del)
	}
	c.Reply.Int(int64(n))
}

// Replacing returns the type of the value at a key that is about to get another one, for Replaced.
// It is None if the key does not exist, or if no event about replaced values is enabled.
func (c *Call) Replacing(db *keyspace.DB, key []byte) (was keyspace.Type) {
	if !c.Engine.Config.Events.TellReplaced() {
		return keyspace.None
	}
	return db.Type(key)
}

// Replaced tells subscribers that a key has another value, and whether of another type. Redis does
// where a command replaces the whole value whatever it was: not where it changes it.
func (c *Call) Replaced(db *keyspace.DB, key []byte, was keyspace.Type) {
	if was == keyspace.None {
		return
	}
	c.World.report(&Change{DB: db, Key: key, Cause: ByReplacement, Event: event.Overwritten})
	if db.Type(key) != was {
		c.World.report(&Change{DB: db, Key: key, Cause: ByReplacement, Event: event.TypeChanged})
	}
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
	w.keyRemoved(db, key, ByDeadline, event.Expired, e.Config.LazyFree.Expire)
}

// keyEvicted reports that a key was removed because there was no memory for it.
func (w *World) keyEvicted(db *keyspace.DB, key string) {
	e := w.engine
	e.eviction.evicted++
	w.keyRemoved(db, key, ByEviction, event.Evicted, e.Config.LazyFree.Eviction)
}

// keyRemoved reports the removal of a key without a command. Replicas receive a DEL, or UNLINK if
// lazily is set, instead of expiring the key themselves, so that both sides agree at every offset.
func (w *World) keyRemoved(db *keyspace.DB, key string, cause Cause, ev event.Event, lazily bool) {
	if !w.heeded() && !w.propagation.wanted() {
		return
	}
	w.report(&Change{DB: db, Key: []byte(key), Cause: cause, Event: ev, Removed: true, propagate: func() {
		w.propagate(Everywhere, db.ID(), [][]byte{removal(lazily), []byte(key)})
	}})
}

// keyCreated is called by the keyspace when it adds a key.
func (w *World) keyCreated(db *keyspace.DB, key string) {
	if w.engine.Config.Events != 0 {
		w.report(&Change{DB: db, Key: []byte(key), Cause: ByCreation, Event: event.New})
	}
}

// elementsExpired is called by the keyspace when it has removed expired elements.
func (w *World) elementsExpired(db *keyspace.DB, key string, what keyspace.ExpiredElements) {
	w.engine.stats.expiredElements += int64(what.Count)
	k := w.engine.Parts.Types.Of(what.Type).Elements
	w.report(&Change{DB: db, Key: []byte(key), Cause: ByElements, Event: k.Expired,
		Fields: w.told(k.Expired, what.Names), Removed: what.Emptied,
		propagate: func() { w.propagateExpiredElements(db.ID(), []byte(key), k, what.Names) }})
}

// propagateExpiredElements propagates the removal of elements: by name, or where they may be equal,
// as in a list, by the time at which they were due.
func (w *World) propagateExpiredElements(db int, key []byte, k *Elements, names [][]byte) {
	if k.Index != "" {
		w.propagate(Everywhere, db, [][]byte{[]byte("LAPSE"), key, strconv.AppendInt(nil, w.Keyspace.Now, 10)})
		return
	}
	for some := range slices.Chunk(names, MaxPropagatedElements) {
		w.propagate(Everywhere, db, append([][]byte{[]byte(k.Removal), key}, some...))
	}
}

// MaxPropagatedElements is the most removed elements in one propagated command, as in Redis.
const MaxPropagatedElements = 1024

// observe has the world told which keys and elements its keyspace adds and removes.
func (w *World) observe() {
	ks := w.Keyspace
	ks.OnExpiring, ks.OnExpire, ks.OnExpireElements, ks.OnCreate = w.keyExpiring, w.keyExpired,
		w.elementsExpired, w.keyCreated
}
