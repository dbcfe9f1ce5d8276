package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
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
	memory     memory       // of the entries
	expires    expires      // deadlines of keys
	elements   elementIndex // deadlines of elements
	indexes    indexes      // of what is in values
	origin     int          // the database's number when the snapshot was started
	compaction compaction
}

// ID returns the number of the database.
func (db *DB) ID() int { return db.id }

// Len returns the number of keys, due but unreaped ones included.
func (db *DB) Len() int { return db.table.Len() }

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
	case h.hasFlag(hasElementDeadlines) && db.Expiry().expireElements(s.entry, hash, unlimited):
		return located{}
	}
	return s
}

// lookupToEdit is lookup for a key whose value is about to change: its due elements are removed in
// any case.
func (db *DB) lookupToEdit(key string) located {
	hash := db.table.Hash(key)
	s := db.lookupHash(hash, key)
	if !s.absent() && db.ks.hidesDue() && s.head().hasFlag(hasElementDeadlines) &&
		db.Expiry().removeDueElements(s.entry, hash, unlimited) {
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
	db.indexes.leave(e)
	bytes := e.bytes()
	db.memory.bytes -= bytes
	db.expires.forget(e, hash)
	db.elements.remove(e, hash)
	db.ks.views.forgetEdits(db, key)
	db.ks.forgetLiving()
	if bytes >= largeValue {
		db.ks.views.release()
	}
	db.memory.drop(e)
}

// Exists reports whether key is visible. It records no access.
func (db *DB) Exists(key []byte) bool { return !db.lookup(dict.Key(key)).absent() }

// Type returns the type of the value of key, None if absent. It records no access.
func (db *DB) Type(key []byte) Type {
	if e := db.lookup(dict.Key(key)); !e.absent() {
		return db.ks.typeOf(e.entry)
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

// Deadline returns when key becomes due, in milliseconds since the epoch; 0 if it never does. ok is
// false if the key is not visible.
func (db *DB) Deadline(key []byte) (deadline int64, ok bool) {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return 0, false
	}
	return e.head().deadline(), true
}

// SetDeadline sets when a visible key becomes due; 0 removes the deadline. It reports whether the
// key is visible. Renewing to a later time is O(1), anything else O(log n).
func (db *DB) SetDeadline(key []byte, deadline int64) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	e := db.lookupHash(hash, name)
	if e.absent() {
		return false
	}
	db.saveEntry(e.entry)
	db.setDeadline(e.entry, hash, deadline)
	return true
}

// setDeadline sets the deadline of an entry of the table, and returns the entry, which moves if it
// gets its first deadline or loses it.
func (db *DB) setDeadline(e entry, hash uint64, deadline int64) entry {
	switch {
	case deadline == e.head().deadline():
		return e
	case deadline == 0:
		db.expires.forget(e, hash)
		return db.memory.refit(db.table.slotOf(e, hash), false)
	case !e.head().hasFlag(dated):
		e = db.memory.refit(db.table.slotOf(e, hash), true)
	}
	db.expires.set(e.head(), hash, deadline)
	return e
}

// insert adds an entry for an absent key, with room for a deadline if it is to get one. The key is
// copied.
func (db *DB) insert(hash uint64, key string, v Value, withDeadline bool) entry {
	e := db.memory.newEntry(key, v, withDeadline)
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
	db.indexes.enter(e)
	db.memory.bytes += e.bytes()
	db.ks.used = max(db.ks.used, db.id+1)
	db.table.add(hash, e)
	db.elements.update(e, hash)
	if db.ks.OnCreate != nil {
		db.ks.OnCreate(db, e.Key())
	}
}

// store replaces the value in a slot, keeping the deadline and access data, and returns the entry.
// A new cell has room for a deadline if that is wanted.
func (db *DB) store(s located, hash uint64, v Value, withDeadline bool) entry {
	old := s.bytes()
	if h := s.head(); h.hasFlag(hasElementDeadlines) && (s.box().value != v || volatileIn(s.entry) == nil) {
		db.elements.remove(s.entry, hash)
	}
	if old := indexed(s.entry); old != nil && old != v {
		db.indexes.leave(s.entry)
	}
	e := db.memory.setValue(s, v, withDeadline)
	db.elements.update(e, hash)
	db.indexes.enter(e)
	db.memory.bytes += e.bytes() - old
	return e
}

// Delete removes key and reports whether it was visible.
func (db *DB) Delete(key []byte) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	return !db.lookupHash(hash, name).absent() && db.remove(hash, name)
}

// Erase removes key, due or not, and reports whether it was there. No expiry is reported.
func (db *DB) Erase(key []byte) bool {
	name := dict.Key(key)
	return db.remove(db.table.Hash(name), name)
}

// compaction is how far that of a database's contents has come. Its stages follow one another.
type compaction struct {
	blocks bool // those of boxed values are moved
	values bool // boxed values are copied
	stage  compactionStage
	chain  uint64         // the cursor in the table
	piece  int            // the next of the table
	leaf   deadlines.Item // where the next leaf of an index begins
}

type compactionStage uint8

const (
	idle compactionStage = iota
	compactEntries
	compactTable
	compactIndex
	compactElements
)
