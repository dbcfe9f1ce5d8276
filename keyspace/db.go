package keyspace

import (
	"unsafe"

	"github.com/google/btree"

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
	table    *dict.Map[entry]
	index    *btree.BTreeG[due]
	volatile int // keys that have a deadline
	orphans  int // items in the index that may stand for nothing any more
	held     int // bytes of all entries
}

// ID returns the number of the database.
func (db *DB) ID() int { return db.id }

// Len returns the number of keys, due but unreaped ones included.
func (db *DB) Len() int { return db.table.Len() }

// Volatile returns the number of keys that have a deadline.
func (db *DB) Volatile() int { return db.volatile }

// Bytes returns the bytes held by the entries, the table and the deadline index.
func (db *DB) Bytes() int { return db.held + db.table.Bytes() + db.indexBytes() }

// str views b as a string for the time of a lookup.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// lookup returns the slot of a key that is not due, or nil. A due key is removed on the way.
func (db *DB) lookup(key string) *entry {
	e := db.table.Lookup(key)
	if e == nil {
		return nil
	}
	if d := e.head().deadline; d != 0 && d <= db.ks.Now {
		db.expire(*e)
		return nil
	}
	return e
}

// expire removes a due entry and reports it.
func (db *DB) expire(e entry) {
	if db.ks.KeepExpired {
		return
	}
	key := e.Key()
	db.drop(key)
	if db.ks.OnExpire != nil {
		db.ks.OnExpire(db, key)
	}
}

// drop removes an entry and its accounts.
func (db *DB) drop(key string) bool {
	e, ok := db.table.Delete(key)
	if !ok {
		return false
	}
	db.held -= e.bytes()
	db.retire(e)
	return true
}

// Exists reports whether key is visible. It leaves no access mark.
func (db *DB) Exists(key []byte) bool { return db.lookup(view(key)) != nil }

// Type returns the type of the value of key, None if absent. It leaves no access mark.
func (db *DB) Type(key []byte) Type {
	if e := db.lookup(view(key)); e != nil {
		return e.typ()
	}
	return None
}

// Touch marks key as accessed and reports whether it is visible.
func (db *DB) Touch(key []byte) bool {
	e := db.lookup(view(key))
	if e == nil {
		return false
	}
	db.ks.touch(e.head())
	return true
}

// Find returns the value of key for reading and marks the access. The view aliases the entry.
func (db *DB) Find(key []byte) (Value, bool) {
	e := db.lookup(view(key))
	if e == nil {
		return nil, false
	}
	db.ks.touch(e.head())
	return db.ks.views.read(*e), true
}

// Peek is Find without the access mark.
func (db *DB) Peek(key []byte) (Value, bool) {
	if e := db.lookup(view(key)); e != nil {
		return db.ks.views.read(*e), true
	}
	return nil, false
}

// Edit returns the value of key for changing and marks the access. The change takes effect at
// Settle.
func (db *DB) Edit(key []byte) (Value, bool) {
	e := db.lookup(view(key))
	if e == nil {
		return nil, false
	}
	db.ks.touch(e.head())
	v := db.ks.views.write(*e)
	db.ks.views.opened(db, key, v)
	return v, true
}

// Create returns an empty value of type t, to be filled and settled under key, which must be
// absent. Until Settle the key stays absent.
func (db *DB) Create(key []byte, t Type) Value {
	v := db.ks.views.fresh(t)
	db.ks.views.opened(db, key, v)
	return v
}

// Settle makes the last Edit or Create of key effective: the value is packed or boxed by its size,
// and the key is removed if the value became empty, which is reported. The deadline stays.
func (db *DB) Settle(key []byte) (removed bool) {
	v := db.ks.views.close(db, key)
	if v == nil {
		return false
	}
	if empty(v) {
		return db.drop(view(key))
	}
	slot := db.table.Lookup(view(key))
	if slot == nil {
		db.insert(string(key), v)
		return false
	}
	db.store(slot, v)
	return false
}

// Set gives key the value v, in place of any value of any type. An existing deadline is removed
// unless keep is set. A view is copied; any other value belongs to the keyspace from here on.
func (db *DB) Set(key []byte, v Value, keep bool) {
	slot := db.table.Lookup(view(key))
	if slot != nil && slot.head().due(db.ks.Now) {
		db.drop(view(key))
		slot = nil
	}
	if slot == nil {
		db.insert(string(key), v)
		return
	}
	if h := slot.head(); !keep && h.deadline != 0 {
		db.setDeadline(slot, 0)
	}
	db.store(slot, v)
	db.ks.touch(slot.head())
}

func (h *header) due(now int64) bool { return h.deadline != 0 && h.deadline <= now }

// insert adds an entry for an absent key.
func (db *DB) insert(key string, v Value) {
	e := db.ks.build(key, v)
	db.ks.birth(e.head())
	db.held += e.bytes()
	db.table.Insert(e)
}

// build lays out an entry for v, packed if it fits.
func (ks *Keyspace) build(key string, v Value) entry {
	var buf [8]byte
	if k, payload, ok := pack(v, len(key), &buf); ok {
		return newPacked(k, key, payload)
	}
	if ks.views.owns(v) {
		v = clone(v)
	}
	return newBoxed(key, v)
}

// store replaces the value in a slot, keeping the header's deadline and access data.
func (db *DB) store(slot *entry, v Value) {
	old := slot.bytes()
	db.restore(slot, v)
	db.held += slot.bytes() - old
}

func (db *DB) restore(slot *entry, v Value) {
	if slot.head().kind() == boxed && slot.box().value == v {
		slot.box().accounted = heldBytes(v)
		return
	}
	key := slot.Key()
	var buf [8]byte
	k, payload, ok := pack(v, len(key), &buf)
	if ok && slot.repack(k, payload) {
		return
	}
	var e entry
	switch {
	case ok:
		e = newPacked(k, key, payload)
	case db.ks.views.owns(v):
		e = newBoxed(ownKey(*slot), clone(v))
	default:
		e = newBoxed(ownKey(*slot), v)
	}
	e.head().inherit(slot.head())
	*slot = e
}

// inherit takes over the deadline, its index flags and the access data.
func (h *header) inherit(old *header) {
	h.deadline = old.deadline
	h.access |= old.access &^ (uint32(kindMask) << 24)
}

// ownKey returns the entry's key in memory that does not keep a packed entry alive.
func ownKey(e entry) string {
	if e.head().kind() == boxed {
		return e.box().key
	}
	return string([]byte(e.Key()))
}

// Delete removes key and reports whether it was visible.
func (db *DB) Delete(key []byte) bool {
	if db.lookup(view(key)) == nil {
		return false
	}
	return db.drop(view(key))
}

// Rename gives the value and the deadline of src to dst, replacing what was there. The source must
// be visible and differ from dst.
func (db *DB) Rename(src, dst []byte) {
	db.Transfer(src, db, dst)
}

// Transfer moves the value, deadline and access data of src to dst in another or the same
// database. The source must be visible; a value at dst is replaced.
func (db *DB) Transfer(src []byte, to *DB, dst []byte) {
	e := *db.table.Lookup(view(src))
	deadline, clock := e.head().deadline, e.head().clock()
	db.drop(view(src))
	to.drop(view(dst))
	v := db.ks.views.read(e)
	to.insert(string(dst), v)
	slot := to.table.Lookup(view(dst))
	slot.head().setClock(clock)
	if deadline != 0 {
		to.setDeadline(slot, deadline)
	}
}

// Copy copies the value and the deadline of src to dst in another or the same database. The source
// must be visible; a value at dst is replaced.
func (db *DB) Copy(src []byte, to *DB, dst []byte) {
	e := *db.table.Lookup(view(src))
	v := db.ks.views.read(e)
	if e.head().kind() == boxed {
		v = clone(v)
	}
	to.drop(view(dst))
	to.insert(string(dst), v)
	if d := e.head().deadline; d != 0 {
		to.setDeadline(to.table.Lookup(view(dst)), d)
	}
}

// Flush removes all keys.
func (db *DB) Flush() {
	db.contents = contents{table: dict.New[entry](db.ks.seed)}
}

// Each calls fn for every visible key until fn returns false. The key aliases the entry; fn must
// not change the database.
func (db *DB) Each(fn func(key string, t Type) bool) {
	db.table.Each(func(e entry) bool {
		return e.head().due(db.ks.Now) || fn(e.Key(), e.typ())
	})
}

// Scan visits some keys and returns the next cursor, 0 when the iteration is over. It gives Redis'
// guarantee: a key present from the first call to the last is visited at least once. Due keys are
// reaped, not visited; fn must not change the database.
func (db *DB) Scan(cursor uint64, fn func(key string, t Type)) uint64 {
	var lapsed []entry
	next := db.table.Scan(cursor, func(e entry) {
		if e.head().due(db.ks.Now) {
			lapsed = append(lapsed, e)
			return
		}
		fn(e.Key(), e.typ())
	})
	for _, e := range lapsed {
		db.expire(e)
	}
	return next
}

// Random returns a key picked at random; ok is false if no key is visible. As in Redis, a due key
// that is hit is reaped and another is drawn.
func (db *DB) Random() (key string, ok bool) {
	for tries := 0; db.table.Len() > 0; tries++ {
		e := db.table.Random(db.ks.dice)
		if !e.head().due(db.ks.Now) {
			return e.Key(), true
		}
		if db.ks.KeepExpired && tries > 100 {
			return "", false
		}
		db.expire(e)
	}
	return "", false
}

// RehashStep moves on an unfinished rehash of the table by n buckets, for idle moments.
func (db *DB) RehashStep(n int) bool { return db.table.RehashStep(n) }

// KeyBytes returns what one key costs: its entry and its slot in the table. The key must be
// visible.
func (db *DB) KeyBytes(key []byte) int {
	e := db.lookup(view(key))
	if e == nil {
		return 0
	}
	n := e.bytes() + int(unsafe.Sizeof(entry{}))
	if e.head().has(indexed) {
		n += int(unsafe.Sizeof(due{}))
	}
	return n
}
