package keyspace

import "github.com/miniserver-go/miniserver/ds/dict"

// PrefetchKeys is how many keys are fetched at a time: about as many cache misses as a processor has under way.
const PrefetchKeys = 16

// cachedKeys is how many keys are likely to be in the processor's caches.
const cachedKeys = 4 << 10

// Cold reports whether there are so many keys that Fetch is worth it.
func (db *DB) Cold() bool { return db.table.Len() > cachedKeys }

// Prefetch has the processor fetch the entries of keys, args[0], args[step] and so on, which will be looked up
// next. A lookup waits for the memory of its key longer than all its work takes, but keys that are fetched
// together wait together. It changes nothing, and it does not matter what the arguments are. A single key
// is left to its lookup, and so are all if there are few.
func (db *DB) Prefetch(args [][]byte, step int) {
	for db.Cold() && len(args) > step {
		n := min(len(args), PrefetchKeys*step)
		db.prefetchBatch(args[:n], step)
		args = args[n:]
	}
}

// prefetchBatch fetches up to FetchKeys keys: the buckets of all, then the entries of all.
func (db *DB) prefetchBatch(args [][]byte, step int) {
	var hashes [PrefetchKeys]uint64
	n, sum := 0, uint64(0)
	for i := 0; i < len(args); i += step {
		hashes[n] = db.table.Hash(dict.Key(args[i]))
		n++
	}
	for _, h := range hashes[:n] {
		sum += db.table.Prefetch(h)
	}
	for _, h := range hashes[:n] {
		if e, ok := db.table.FirstMatch(h); ok {
			sum += uint64(e.head().access)
		}
	}
	db.ks.prefetched = sum
}
