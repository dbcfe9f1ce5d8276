package keyspace

import "github.com/miniserver-go/miniserver/ds/slab"

// Keys are the keys of a database as a table: all of them, in no order.
type Keys struct{ db *DB }

// Keys returns the database's.
func (db *DB) Keys() Keys { return Keys{db} }

// Each calls fn for every visible key until fn returns false. The key aliases the entry; fn must
// not change the database.
func (k Keys) Each(fn func(key string, t Type) bool) {
	k.db.Expiry().expireAllElements()
	k.db.table.each(func(e entry) bool {
		return k.db.ks.isDue(e.head()) || fn(e.Key(), k.db.ks.typeOf(e))
	})
}

// Sizes calls fn with the type, the length and the bytes of the values of n keys, or of all keys if
// there are fewer. Which keys that are follows from their hashes. It records no access.
func (k Keys) Sizes(n int, fn func(t Type, length, bytes int)) {
	k.db.Expiry().expireAllElements()
	k.db.table.each(func(e entry) bool {
		if !k.db.ks.isDue(e.head()) {
			v := k.db.ks.views.read(e)
			bytes := int(e.head().vlen)
			if e.head().kind() == boxed {
				bytes = e.box().accounted
			}
			fn(v.Type(), v.Len(), bytes)
		}
		n--
		return n > 0
	})
}

// Scan visits those of about count keys that match, and returns the next cursor, 0 when the
// iteration is over. It gives Redis' guarantee: a key present from the first call to the last is
// visited at least once. The keys alias their entries. Due keys that match are reaped, not visited;
// fn must not change the database.
func (k Keys) Scan(cursor uint64, count int, match func(key string, t Type) bool, fn func(key string, t Type)) uint64 {
	k.db.Expiry().expireAllElements()
	var expired []entry
	next := k.db.table.Scan(cursor, count, k.db.table, func(r slab.Ref) {
		switch e := entryAt(r); {
		case !match(e.Key(), k.db.ks.typeOf(e)):
		case k.db.ks.isDue(e.head()):
			expired = append(expired, e)
		default:
			fn(e.Key(), k.db.ks.typeOf(e))
		}
	})
	for _, e := range expired {
		k.db.expireKey(e, k.db.table.hash(e))
	}
	return next
}

// Random returns a key picked at random, aliasing its entry; ok is false if there is none. As in
// Redis, a due key that is hit is reaped and another is drawn. Where due keys are kept and all keys
// have deadlines, the hundredth draw counts, due or not.
func (k Keys) Random() (key string, ok bool) {
	k.db.Expiry().expireAllElements()
	for tries := 1; k.db.table.Len() > 0; tries++ {
		e := entryAt(k.db.table.Random(k.db.ks.dice))
		if !k.db.ks.isDue(e.head()) || k.db.ks.KeepExpired && tries == 100 && k.db.expires.len == k.db.Len() {
			return e.Key(), true
		}
		k.db.expireKey(e, k.db.table.hash(e))
	}
	return "", false
}

// Reserve makes room for n keys at once in a database that is empty.
func (k Keys) Reserve(n int) { k.db.table.Reserve(n) }

// RehashStep moves on an unfinished rehash of the table by n buckets, for idle moments.
func (k Keys) RehashStep(n int) bool { return k.db.table.RehashStep(n, k.db.table) }
