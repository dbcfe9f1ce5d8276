package keyspace

import (
	"strings"

	"github.com/google/btree"

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
	table      *dict.Map[entry]
	cells      *slab.Slab // of the packed entries and the table
	boxes      *boxes     // of the table
	index      *btree.BTreeG[indexItem]
	volatile   int       // keys that have a deadline
	orphans    int       // items in the index whose entry may be gone
	sampled    indexItem // where a walk through the index for samples goes on
	entryBytes int       // bytes of all entries
	origin     int       // the database's number when the snapshot was started

	elements *btree.BTreeG[indexItem] // one item for each key whose elements have deadlines
}

// ID returns the number of the database.
func (db *DB) ID() int { return db.id }

// Len returns the number of keys, due but unreaped ones included.
func (db *DB) Len() int { return db.table.Len() }

// Volatile returns the number of keys that have a deadline.
func (db *DB) Volatile() int { return db.volatile }

// Bytes returns the bytes held by the entries, the table and the deadline indexes.
func (db *DB) Bytes() int {
	return db.entryBytes + db.table.Bytes() + db.boxes.bytes() + indexBytes(db.index) + indexBytes(db.elements)
}

// lookup returns the slot of a visible key, or nil. A due key is removed on the way, and so are due
// elements of its value.
func (db *DB) lookup(key string) *entry { return db.lookupHash(db.table.Hash(key), key) }

func (db *DB) lookupHash(hash uint64, key string) *entry {
	slot := db.table.LookupHash(hash, key)
	if slot == nil {
		return nil
	}
	switch h := slot.head(); {
	case db.ks.isDue(h):
		db.expireKey(*slot, hash)
		return nil
	case h.hasFlag(hasElementDeadlines) && db.expireElements(*slot, hash, unlimited):
		return nil
	}
	return slot
}

// expireKey removes a due entry and reports it, unless due entries are to be kept.
func (db *DB) expireKey(e entry, hash uint64) {
	if !db.ks.KeepExpired {
		db.removeExpired(e.Key(), hash)
	}
}

// removeExpired removes a due entry and reports it.
func (db *DB) removeExpired(key string, hash uint64) {
	if db.remove(hash, key) && db.ks.OnExpire != nil {
		db.ks.OnExpire(db, key)
	}
}

// remove removes an entry, its accounts and the views lent on it.
func (db *DB) remove(hash uint64, key string) bool {
	e, ok := db.table.DeleteHash(hash, key)
	if !ok {
		return false
	}
	db.saveEntry(e)
	bytes := e.bytes()
	db.entryBytes -= bytes
	db.forgetDeadline(e, hash)
	db.unindexElements(e, hash)
	db.ks.views.forgetEdits(db, key)
	if bytes >= largeValue {
		db.ks.views.release()
	}
	db.boxes.remove(e)
	db.discard(e)
	return true
}

// Exists reports whether key is visible. It records no access.
func (db *DB) Exists(key []byte) bool { return db.lookup(dict.Key(key)) != nil }

// Type returns the type of the value of key, None if absent. It records no access.
func (db *DB) Type(key []byte) Type {
	if e := db.lookup(dict.Key(key)); e != nil {
		return e.typ()
	}
	return None
}

// Touch records an access of key and reports whether it is visible.
func (db *DB) Touch(key []byte) bool {
	e := db.lookup(dict.Key(key))
	if e == nil {
		return false
	}
	db.ks.touch(e.head())
	return true
}

// Find returns the value of key for reading and records the access. The view aliases the entry.
func (db *DB) Find(key []byte) (Value, bool) {
	e := db.lookup(dict.Key(key))
	if e == nil {
		return nil, false
	}
	db.ks.touch(e.head())
	return db.ks.views.read(*e), true
}

// Peek is Find, but records no access.
func (db *DB) Peek(key []byte) (Value, bool) {
	if e := db.lookup(dict.Key(key)); e != nil {
		return db.ks.views.read(*e), true
	}
	return nil, false
}

// Edit returns the value of key for changing and records the access. The change takes effect at
// Commit.
func (db *DB) Edit(key []byte) (Value, bool) {
	e := db.lookup(dict.Key(key))
	if e == nil {
		return nil, false
	}
	db.ks.touch(e.head())
	db.saveValue(*e)
	v := db.ks.views.write(*e)
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
	slot := db.table.LookupHash(hash, name)
	if slot != nil && open.created {
		db.removeExpired(name, hash) // a due one that was kept
		slot = nil
	}
	if slot == nil {
		db.insert(hash, name, open.value)
		return false
	}
	db.store(slot, hash, open.value)
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
	var h *header
	if slot := db.lookupHash(hash, name); slot != nil {
		db.saveEntry(*slot)
		db.store(slot, hash, v)
		h = slot.head()
		db.ks.touch(h)
	} else {
		if db.ks.KeepExpired {
			db.removeExpired(name, hash) // a due one
		}
		h = db.insert(hash, name, v).head()
	}
	if deadline != keepDeadline {
		db.setDeadline(h, hash, deadline)
	}
}

// isDue reports whether an entry's deadline has passed.
func (ks *Keyspace) isDue(h *header) bool {
	return h.deadline != 0 && h.deadline <= ks.Now && !ks.Replaying
}

// insert adds an entry for an absent key. The key is copied.
func (db *DB) insert(hash uint64, key string, v Value) entry {
	e := db.newEntry(key, v)
	db.addEntry(hash, e)
	return e
}

// addEntry puts an entry into the table.
func (db *DB) addEntry(hash uint64, e entry) {
	db.ks.initAccess(e.head())
	e.head().access |= uint32(db.ks.snapshotBit) << 24
	db.entryBytes += e.bytes()
	db.ks.used = max(db.ks.used, db.id+1)
	db.boxes.add(e)
	db.table.InsertHash(hash, e)
	db.indexElements(e, hash)
	if db.ks.OnCreate != nil {
		db.ks.OnCreate(db, e.Key())
	}
}

// newEntry lays out an entry for v, packed if it fits.
func (db *DB) newEntry(key string, v Value) entry {
	if k, payload, ok := pack(v, len(key)); ok {
		return db.newPacked(k, key, payload)
	}
	ks := db.ks
	if text, ok := v.(*str.Value); ok && ks.views.owns(v) && !ks.views.grown(text) {
		return newBoxed(strings.Clone(key), ks.free.copyText(text))
	}
	return newBoxed(strings.Clone(key), ks.views.keep(v))
}

// store replaces the value in a slot, keeping the header's deadline and access data.
func (db *DB) store(slot *entry, hash uint64, v Value) {
	old := slot.bytes()
	if h := slot.head(); h.hasFlag(hasElementDeadlines) && slot.box().value != v {
		db.unindexElements(*slot, hash)
	}
	db.setValue(slot, v)
	db.indexElements(*slot, hash)
	db.entryBytes += slot.bytes() - old
}

func (db *DB) setValue(slot *entry, v Value) {
	h := slot.head()
	if h.kind() == boxed && slot.box().value == v {
		slot.box().accounted = heldBytes(v)
		return
	}
	if h.kind() == boxed && slot.box().accounted >= largeValue {
		db.ks.views.release()
	}
	key := slot.Key()
	k, payload, ok := pack(v, len(key))
	switch {
	case ok && slot.repack(k, payload):
		return
	case ok:
		db.replace(slot, db.newPacked(k, key, payload))
	case h.kind() == boxed:
		db.ks.replace(slot.box(), v)
		return
	default:
		db.replace(slot, newBoxed(strings.Clone(key), db.ks.views.keep(v)))
	}
}

// replace puts another entry of the same key into a slot.
func (db *DB) replace(slot *entry, e entry) {
	old := *slot
	e.head().inherit(old.head())
	db.boxes.remove(old)
	db.boxes.add(e) // before the slot, into which the collector does not look
	*slot = e
	db.discard(old)
}

// replace puts v in place of the value in the box, a copy if v is a view. A string is copied into
// the memory of the one before it, unless a snapshot still needs that.
func (ks *Keyspace) replace(b *box, v Value) {
	old, wasString := b.value.(*str.Value)
	text, isString := v.(*str.Value)
	if wasString && isString && ks.views.owns(v) && !ks.views.grown(text) && !ks.inSnapshot(old) {
		old.Assign(text)
	} else {
		b.value = ks.views.keep(v)
	}
	b.accounted = heldBytes(b.value)
}

// inherit takes over the deadline, its index flags and the access data.
func (h *header) inherit(old *header) {
	h.deadline = old.deadline
	h.access |= old.access &^ (uint32(kindMask) << 24)
}

// Delete removes key and reports whether it was visible.
func (db *DB) Delete(key []byte) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	return db.lookupHash(hash, name) != nil && db.remove(hash, name)
}

// RehashStep moves on an unfinished rehash of the table by n buckets, for idle moments.
func (db *DB) RehashStep(n int) bool { return db.table.RehashStep(n) }

// KeyBytes returns what one key costs: its entry, its slot in the table and its item in the index of
// deadlines; 0 if it is not visible.
func (db *DB) KeyBytes(key []byte) int {
	l, _ := db.Layout(key)
	return l.Bytes()
}
