package keyspace

import "github.com/miniserver-go/miniserver/ds/slab"

// Each calls fn for every visible key until fn returns false. The key aliases the entry; fn must
// not change the database.
func (db *DB) Each(fn func(key string, t Type) bool) {
	db.expireAllElements()
	db.table.each(func(e entry) bool {
		return db.ks.isDue(e.head()) || fn(e.Key(), e.typ())
	})
}

// Sizes calls fn with the type and the length of the values of n keys, or of all keys if there are fewer. Which keys that
// are follows from their hashes. It records no access.
func (db *DB) Sizes(n int, fn func(t Type, length int)) {
	db.expireAllElements()
	db.table.each(func(e entry) bool {
		if !db.ks.isDue(e.head()) {
			v := db.ks.views.read(e)
			fn(v.Type(), v.Len())
		}
		n--
		return n > 0
	})
}

// Scan visits those of about count keys that match, and returns the next cursor, 0 when the iteration is over. It gives
// Redis' guarantee: a key present from the first call to the last is visited at least once. The keys
// alias their entries. Due keys that match are reaped, not visited; fn must not change the database.
func (db *DB) Scan(cursor uint64, count int, match func(key string, t Type) bool, fn func(key string, t Type)) uint64 {
	db.expireAllElements()
	var expired []entry
	next := db.table.Scan(cursor, count, db.table, func(r slab.Ref) {
		switch e := entryAt(r); {
		case !match(e.Key(), e.typ()):
		case db.ks.isDue(e.head()):
			expired = append(expired, e)
		default:
			fn(e.Key(), e.typ())
		}
	})
	for _, e := range expired {
		db.expireKey(e, db.hash(e))
	}
	return next
}

// Random returns a key picked at random, aliasing its entry; ok is false if there is none. As in
// Redis, a due key that is hit is reaped and another is drawn. Where due keys are kept and all keys have
// deadlines, the hundredth draw counts, due or not.
func (db *DB) Random() (key string, ok bool) {
	db.expireAllElements()
	for tries := 1; db.table.Len() > 0; tries++ {
		e := entryAt(db.table.Random(db.ks.dice))
		if !db.ks.isDue(e.head()) || db.ks.KeepExpired && tries == 100 && db.Volatile() == db.Len() {
			return e.Key(), true
		}
		db.expireKey(e, db.hash(e))
	}
	return "", false
}
