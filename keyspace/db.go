package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/str"
)

// DB is one database.
type DB struct {
	ks *Keyspace
	id int
	contents
}

// contents is what SWAPDB exchanges.
type contents struct {
	table      *table
	cells      *slab.Slab // of the entries and the table
	boxes      *boxes     // of the table
	blocks     *blocks    // of the boxed values
	index      *deadlines.Index
	volatile   int            // keys that have a deadline
	deadlines  deadlineSum    // theirs
	sampled    deadlines.Item // where a walk through the index for samples goes on
	entryBytes int            // bytes of all entries
	origin     int            // the database's number when the snapshot was started

	elements *deadlines.Index // one item for each key whose elements have deadlines

	compaction compaction
}

// ID returns the number of the database.
func (db *DB) ID() int { return db.id }

// Len returns the number of keys, due but unreaped ones included.
func (db *DB) Len() int { return db.table.Len() }

// Volatile returns the number of keys that have a deadline.
func (db *DB) Volatile() int { return db.volatile }

// Bytes returns the bytes held by the entries, the table and the deadline indexes.
func (db *DB) Bytes() int {
	return db.entryBytes + db.table.Bytes() + db.boxes.bytes() + db.index.Bytes() + db.elements.Bytes()
}

// lookup returns the slot of a visible key. A due key is removed on the way, and so are due
// elements of its value.
func (db *DB) lookup(key string) located { return db.lookupHash(db.table.Hash(key), key) }

func (db *DB) lookupHash(hash uint64, key string) located {
	s := db.table.find(hash, key)
	if s.absent() {
		return s
	}
	switch h := s.head(); {
	case db.ks.isDue(h):
		db.expireKey(s.entry, hash)
		return located{}
	case h.hasFlag(hasElementDeadlines) && db.expireElements(s.entry, hash, unlimited):
		return located{}
	}
	return s
}

// lookupToEdit is lookup for a key whose value is about to change: its due elements are removed in any case.
func (db *DB) lookupToEdit(key string) located {
	hash := db.table.Hash(key)
	s := db.lookupHash(hash, key)
	if !s.absent() && db.ks.hidesDue() && s.head().hasFlag(hasElementDeadlines) && db.removeDueElements(s.entry, hash, unlimited) {
		return located{}
	}
	return s
}

// expireKey removes a due entry and reports it, unless due entries are to be kept.
func (db *DB) expireKey(e entry, hash uint64) {
	if !db.ks.KeepExpired {
		db.removeExpired(e.Key(), hash)
	}
}

// removeExpired removes a due entry and reports it.
func (db *DB) removeExpired(key string, hash uint64) {
	if db.ks.OnExpiring != nil {
		db.ks.OnExpiring()
	}
	if db.remove(hash, key) && db.ks.OnExpire != nil {
		db.ks.OnExpire(db, key)
	}
}

// remove removes an entry, its accounts and the views lent on it.
func (db *DB) remove(hash uint64, key string) bool {
	s := db.table.find(hash, key)
	if s.absent() {
		return false
	}
	db.ks.noteFreed(s.entry)
	db.removeFound(s, hash, key)
	return true
}

// removeFound is remove for an entry whose value lives on, or is noted.
func (db *DB) removeFound(s located, hash uint64, key string) {
	e := s.entry
	db.table.Remove(hash, s.ref, db.table)
	db.saveEntry(e)
	bytes := e.bytes()
	db.entryBytes -= bytes
	db.forgetDeadline(e, hash)
	db.unindexElements(e, hash)
	db.ks.views.forgetEdits(db, key)
	db.ks.forgetLiving()
	if bytes >= largeValue {
		db.ks.views.release()
	}
	db.drop(e)
}

// Exists reports whether key is visible. It records no access.
func (db *DB) Exists(key []byte) bool { return !db.lookup(dict.Key(key)).absent() }

// Type returns the type of the value of key, None if absent. It records no access.
func (db *DB) Type(key []byte) Type {
	if e := db.lookup(dict.Key(key)); !e.absent() {
		return e.typ()
	}
	return None
}

// Touch records an access of key and reports whether it is visible.
func (db *DB) Touch(key []byte) bool {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return false
	}
	db.ks.read(e.head())
	return true
}

// Find returns the value of key for reading and records the access. The view aliases the entry.
func (db *DB) Find(key []byte) (Value, bool) {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return nil, false
	}
	db.ks.read(e.head())
	return db.read(e.entry), true
}

// read returns a view of the visible part of an entry.
func (db *DB) read(e entry) Value {
	if db.ks.hidesDue() && e.head().hasFlag(hasElementDeadlines) {
		if alive := db.ks.living[volatileIn(e)]; alive != nil {
			return alive
		}
	}
	return db.ks.views.read(e)
}

// Peek is Find, but records no access.
func (db *DB) Peek(key []byte) (Value, bool) {
	if e := db.lookup(dict.Key(key)); !e.absent() {
		return db.read(e.entry), true
	}
	return nil, false
}

// Edit returns the value of key for changing and records the access. The change takes effect at
// Commit.
func (db *DB) Edit(key []byte) (Value, bool) {
	e := db.lookupToEdit(dict.Key(key))
	if e.absent() {
		return nil, false
	}
	db.ks.touch(e.head())
	db.ks.forgetLiving()
	db.saveValue(e.entry)
	v := db.ks.views.write(e.entry)
	db.ks.views.beginEdit(db, key, v, false)
	return v, true
}

// Create returns an empty value of type t, to be filled and committed under key, which must not be
// visible. Until Commit the key stays absent.
func (db *DB) Create(key []byte, t Type) Value {
	v := db.ks.views.create(t)
	db.ks.views.beginEdit(db, key, v, true)
	return v
}

// Commit makes the last Edit or Create of key effective: the value is packed or boxed by its size,
// and the key is removed if the value became empty, which is reported. The deadline stays. It does
// nothing if the key was committed, set or removed since.
func (db *DB) Commit(key []byte) (removed bool) {
	open, ok := db.ks.views.endEdit(db, dict.Key(key))
	if !ok {
		return false
	}
	name := dict.Key(key)
	hash := db.table.Hash(name)
	if empty(open.value) {
		return !open.created && db.remove(hash, name)
	}
	s := db.table.find(hash, name)
	if !s.absent() && open.created {
		db.removeExpired(name, hash) // a due one that was kept
		s = located{}
	}
	if s.absent() {
		db.insert(hash, name, open.value, false)
		return false
	}
	db.store(s, hash, open.value, s.head().hasFlag(dated))
	return false
}

// Set gives key the value v, in place of any value of any type. An existing deadline is removed
// unless keep is set. A view is copied; any other value belongs to the keyspace from here on.
func (db *DB) Set(key []byte, v Value, keep bool) {
	if keep {
		db.put(key, v, keepDeadline)
		return
	}
	db.put(key, v, 0)
}

// SetUntil is Set with the deadline that key shall have, in milliseconds since the epoch, 0 for
// none. Setting again with a later one costs no more than Set.
func (db *DB) SetUntil(key []byte, v Value, deadline int64) { db.put(key, v, deadline) }

// keepDeadline, in place of a deadline, leaves the one that is there.
const keepDeadline = -1

func (db *DB) put(key []byte, v Value, deadline int64) {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	db.ks.views.forgetEdits(db, name)
	s := db.lookupHash(hash, name)
	if s.absent() {
		if db.ks.KeepExpired {
			db.removeExpired(name, hash) // a due one
		}
		db.insertUntil(hash, name, v, max(deadline, 0))
		return
	}
	db.ks.noteFreed(s.entry)
	db.saveEntry(s.entry)
	if deadline == 0 {
		s.entry = db.setDeadline(s.entry, hash, 0)
	}
	e := db.store(s, hash, v, deadline > 0 || s.head().hasFlag(dated))
	db.ks.touch(e.head())
	if deadline > 0 {
		db.setDeadline(e, hash, deadline)
	}
}

// AsStored runs fn while no deadline counts, so that it sees keys that are due and were not removed yet.
func (ks *Keyspace) AsStored(fn func()) {
	defer func(was bool) { ks.Replaying = was }(ks.Replaying)
	ks.Replaying = true
	fn()
}

// isDue reports whether an entry's deadline has passed.
func (ks *Keyspace) isDue(h *header) bool {
	deadline := h.deadline()
	return deadline != 0 && deadline <= ks.Now && !ks.showsDue()
}

// insert adds an entry for an absent key, with room for a deadline if it is to get one. The key is copied.
func (db *DB) insert(hash uint64, key string, v Value, withDeadline bool) entry {
	e := db.newEntry(key, v, withDeadline)
	db.addEntry(hash, e)
	return e
}

// insertUntil is insert for a key with that deadline; 0 for none.
func (db *DB) insertUntil(hash uint64, key string, v Value, deadline int64) entry {
	return db.setDeadline(db.insert(hash, key, v, deadline != 0), hash, deadline)
}

// addEntry puts an entry into the table.
func (db *DB) addEntry(hash uint64, e entry) {
	db.ks.initAccess(e.head())
	e.head().access |= uint32(db.ks.snapshotBit) << 24
	db.entryBytes += e.bytes()
	db.ks.used = max(db.ks.used, db.id+1)
	db.table.add(hash, e)
	db.indexElements(e, hash)
	if db.ks.OnCreate != nil {
		db.ks.OnCreate(db, e.Key())
	}
}

// newEntry lays out an entry for v, packed if it fits.
func (db *DB) newEntry(key string, v Value, withDeadline bool) entry {
	if k, payload, ok := pack(v, len(key)); ok {
		return db.newPacked(k, key, payload, withDeadline)
	}
	ks := db.ks
	if text, ok := v.(*str.Value); ok && ks.views.owns(v) && !ks.views.grown(text) {
		return db.newBoxed(key, text.Clone(), withDeadline)
	}
	return db.newBoxed(key, ks.views.keep(v), withDeadline)
}

// store replaces the value in a slot, keeping the deadline and access data, and returns the entry. A new cell has room for a
// deadline if that is wanted.
func (db *DB) store(s located, hash uint64, v Value, withDeadline bool) entry {
	old := s.bytes()
	if h := s.head(); h.hasFlag(hasElementDeadlines) && (s.box().value != v || volatileIn(s.entry) == nil) {
		db.unindexElements(s.entry, hash)
	}
	e := db.setValue(s, v, withDeadline)
	db.indexElements(e, hash)
	db.entryBytes += e.bytes() - old
	return e
}

func (db *DB) setValue(s located, v Value, withDeadline bool) entry {
	wasBoxed := s.head().kind() == boxed
	if wasBoxed && s.box().value == v {
		return db.updated(s, withDeadline)
	}
	if wasBoxed && s.box().accounted >= largeValue {
		db.ks.views.release()
	}
	key := s.Key()
	k, payload, ok := pack(v, len(key))
	switch {
	case ok && s.repack(k, payload, withDeadline):
		return s.entry
	case ok:
		return db.replace(s, db.newPacked(k, key, payload, withDeadline))
	case wasBoxed:
		db.replaceValue(s.box(), v)
		return s.entry
	default:
		return db.replace(s, db.newBoxed(key, db.ks.views.keep(v), withDeadline))
	}
}

// updated accounts for the value in a box, which was changed. A collection that has become small is packed again.
func (db *DB) updated(s located, withDeadline bool) entry {
	b := s.box()
	if !b.settled && asSettled(b.value) != nil {
		if k, payload, ok := pack(b.value, len(s.Key())); ok {
			return db.replace(s, db.newPacked(k, s.Key(), payload, withDeadline))
		}
	}
	db.blocks.settle(b)
	return s.entry
}

// replace puts another entry of the same key into a slot, and returns it.
func (db *DB) replace(s located, e entry) entry {
	e.head().inherit(s.head())
	*s.ref = slab.RefOf(e.p)
	db.drop(s.entry)
	return e
}

// replaceValue puts v in place of the value in the box, a copy if v is a view. A string is copied into
// the memory of the one before it, unless a snapshot still needs that.
func (db *DB) replaceValue(b *box, v Value) {
	ks := db.ks
	old, wasString := b.value.(*str.Value)
	text, isString := v.(*str.Value)
	if wasString && isString && ks.views.owns(v) && !ks.views.grown(text) && !ks.inSnapshot(old) {
		old.Assign(text)
	} else {
		db.blocks.drop(b.value)
		b.value = ks.views.keep(v)
	}
	db.blocks.settleNew(b)
}

// inherit takes over the deadline, if there is room for it, its index flag and the access data.
func (h *header) inherit(old *header) {
	if h.hasFlag(dated) {
		*h.deadlineRoom() = old.deadline()
	}
	h.access |= old.access &^ (uint32(kindMask|dated) << 24)
}

// Delete removes key and reports whether it was visible.
func (db *DB) Delete(key []byte) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	return !db.lookupHash(hash, name).absent() && db.remove(hash, name)
}

// RemoveDue removes key if it is due, also where due keys are kept, and reports whether it has no deadline any more.
func (db *DB) RemoveDue(key []byte) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	s := db.table.find(hash, name)
	switch {
	case s.absent() || s.head().deadline() == 0:
		return true
	case !db.ks.isDue(s.head()):
		return false
	}
	db.removeExpired(name, hash)
	return true
}

// Erase removes key, due or not, and reports whether it was there. No expiry is reported.
func (db *DB) Erase(key []byte) bool {
	name := dict.Key(key)
	return db.remove(db.table.Hash(name), name)
}

// RehashStep moves on an unfinished rehash of the table by n buckets, for idle moments.
func (db *DB) RehashStep(n int) bool { return db.table.RehashStep(n, db.table) }

// KeyBytes returns what one key costs: its entry, its slot in the table and its item in the index of
// deadlines; 0 if it is not visible.
func (db *DB) KeyBytes(key []byte) int {
	l, _ := db.Layout(key)
	return l.Bytes()
}
