// Package keyspace is the databases: key -> value, with deadlines, access data and byte accounts.
//
//	Keyspace
//	  DB 0 .. n-1
//	    table      dict.Index of entries, four bytes each, outside of Go's heap
//	    memory     where the entries are
//	      cells    slab of the entries, of the table and of the indexes
//	      boxes    those of the entries, for the collector
//	      blocks   slab of the blocks of large collections
//	    expires    deadlines.Index of (deadline, code of the key's hash): what becomes due, in
//	               order
//	    elements   another, of keys whose values have elements with deadlines
//	    indexes    of what is in values, for types that have one: see value.Index
//
// A DB looks up, changes and removes single keys. What concerns many has a name of its own:
//
//	db.Keys()      all keys: walks, SCAN, random ones, prefetching
//	db.Expiry()    what becomes due, and its removal
//	db.Marks()     how recently or how often keys are used
//	db.Eviction()  which keys to evict
//	db.Usage()     bytes
//
// The layout of an entry in memory is private to this package (see entry.go): it is a cell of a
// slab (see cells.go), which has small values, too. Callers never hold an entry. They get a view, a
// value of the ds packages that stands for the packed bytes, and hand it back:
//
//	v, ok := db.Find(key)      // to read: aliases the entry
//	v, ok := db.Edit(key)      // to change: a scratch copy of what is small, or the value itself
//	db.Commit(key)             // after the change: packed again, boxed, or removed if empty
//
// Elements of collections may have deadlines too (see Collection, in element.go). To set one, call
// Edit, Collection.SetDeadline and Commit; to read them, Collection.Deadlines.
//
// Invariants, 3 to 8 verified by DB.Check:
//  1. A key whose deadline has passed is invisible, and so is an element of a value: every lookup
//     compares, and does not rely on Reap.
//  2. A view is valid until Begin, or until its key is next written: committed, set, removed or
//     moved. A view from Edit that was changed must be committed. Only a small packed value is as
//     it was if it is not.
//  3. Each entry with a deadline has an item of its own in the index, at its deadline if it is
//     flagged exact, else earlier.
//  4. Usage.Bytes is the sum of what its entries hold.
//  5. No collection in the table is empty.
//  6. The index has at most 1024 orphans, items without an entry, more than there are deadlines.
//  7. Each entry whose elements have deadlines is flagged so and has one item in the index of
//     elements, at the first of them or before, a long list's at most a pause later; no other has.
//  8. Each boxed entry of the table is in boxes, at the place that its box says. It comes there
//     before it comes into the table, and goes after that.
//
// Unlike Redis, where a key lives through the millisecond of its deadline, here it is due in it: a
// wake-up at the deadline finds it ready to go.
//
// There is no lock and no clock here: the owner serializes calls and sets Now.
package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Keyspace is a set of numbered databases.
type Keyspace struct {
	// Types are the data types that its values can have. Whoever owns the keyspace adds them.
	Types []Type
	// Now is the time in milliseconds since the epoch; the owner sets it before each command.
	Now int64
	// OnExpiring is called before a key is removed because it is due, OnExpire after it was
	// removed, OnCreate after a key was added. Each may be nil. They must not change the keyspace
	// nor keep the key.
	OnExpiring         func()
	OnExpire, OnCreate func(db *DB, key string)
	// OnExpireElements is called after elements of the value at key were removed because they had
	// become due, and after the removal of the key if no element is left. It may be nil, and must
	// not change the keyspace nor keep anything.
	OnExpireElements func(db *DB, key string, what ExpiredElements)
	// NameExpired passes the elements themselves to OnExpireElements, and not only their number.
	NameExpired bool
	// KeepExpired makes due keys and elements invisible without removing them, until they are
	// written.
	KeepExpired bool
	// ShowExpired makes what is due visible while KeepExpired keeps it: a client that imports data
	// copies it as it is.
	ShowExpired bool
	// Replaying lets no key and no element become due, whatever KeepExpired says. The replayed
	// commands contain the removal of expired keys, and may change a key before it.
	Replaying bool
	// Lazily says that what is removed would be freed in the background by Redis. LazilyFreed
	// counts the values that are large enough for that; here they are freed at once.
	Lazily      bool
	LazilyFreed int64
	// All17 lets digests show scores with 17 digits, as those of Redis up to 7.0 do.
	All17 bool
	// Access says what lookups record in the entries that they touch. Keyspaces may share it.
	Access *Access

	dbs     []*DB
	used    int // the databases from this number on have never held a key
	seed    uint64
	dice    func(n uint64) uint64
	views   views
	freed   []freedCell  // until Begin
	dropped []dropped    // values whose blocks are to be freed
	flushed []*slab.Slab // of contents that are gone

	prefetched uint64 // of what Fetch fetched, so that it is

	living map[Collection]Collection // what readers see of collections with due elements: see hideElements

	snapshot    *Snapshot // that is being taken; nil if none is
	snapshotBit kind      // the bit of that name that entries are born with
}

// New returns a keyspace of n empty databases. The seed keys the hash function; dice(n) returns a
// random number below n.
func New(n int, seed uint64, dice func(n uint64) uint64) *Keyspace {
	ks := &Keyspace{seed: seed, dice: dice, Access: &Access{LogFactor: 10, DecayTime: 1}}
	ks.views.ks = ks
	for i := range n {
		ks.dbs = append(ks.dbs, ks.newDB(i))
	}
	return ks
}

func (ks *Keyspace) newDB(id int) *DB {
	return &DB{ks: ks, id: id, contents: ks.newContents()}
}

func (ks *Keyspace) newContents() contents {
	m := newMemory(ks)
	keys := newTable(ks.seed, m.cells)
	return contents{table: keys, memory: m, expires: newExpires(keys, m.cells),
		elements: elementIndex{deadlines.New(m.cells)}}
}

// Len returns the number of databases.
func (ks *Keyspace) Len() int { return len(ks.dbs) }

// DB returns database i.
func (ks *Keyspace) DB(i int) *DB { return ks.dbs[i] }

// Empty reports whether there is no key in any database.
func (ks *Keyspace) Empty() bool {
	for _, db := range ks.dbs {
		if db.Len() > 0 {
			return false
		}
	}
	return true
}

// Begin ends the life of all views, and of what was removed since the last call. The owner calls it
// before each command.
func (ks *Keyspace) Begin() {
	ks.views.reset()
	if len(ks.freed)+len(ks.flushed)+len(ks.dropped) > 0 {
		ks.freeCells()
	}
}
