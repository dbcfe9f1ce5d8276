package keyspace

import "github.com/miniserver-go/miniserver/ds/value"

// Digest is a fingerprint of data.
type Digest = value.Digest

// Digest returns the fingerprint of all databases. O(bytes held).
func (ks *Keyspace) Digest() (all Digest) {
	for _, db := range ks.dbs {
		empty := true
		db.Keys().Each(func(key string, _ Type) bool {
			if empty {
				empty = false
				all.MixNumber(db.id)
			}
			var d Digest
			d.Mix([]byte(key))
			d = db.digest(d, []byte(key))
			all.Xor(d[:])
			ks.views.reset()
			return true
		})
	}
	return all
}

// ValueDigest returns the fingerprint of the value of key and of whether it has a deadline; zero if
// the key is not visible.
func (db *DB) ValueDigest(key []byte) (d Digest) {
	if db.Exists(key) {
		d = db.digest(d, key)
	}
	return d
}

// digest adds the value of key, and whether it has a deadline.
func (db *DB) digest(to Digest, key []byte) Digest {
	v, _ := db.Peek(key)
	m := value.Mixer{Digest: to, All17: db.ks.All17}
	m.MixNumber(v.Type().Number)
	v.Digest(&m)
	if deadline, _ := db.Deadline(key); deadline != 0 {
		m.Xor([]byte("!!expire!!"))
	}
	return m.Digest
}
