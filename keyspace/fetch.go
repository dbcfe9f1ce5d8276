package keyspace

// FetchKeys is how many keys are fetched at a time: about as many cache misses as a processor has under way.
const FetchKeys = 16

// cached is how many keys are likely to be in the processor's caches.
const cached = 4 << 10

// Cold reports whether there are so many keys that Fetch is worth it.
func (db *DB) Cold() bool { return db.table.Len() > cached }

// Fetch has the processor fetch the entries of keys, args[0], args[step] and so on, which will be looked up
// next. A lookup waits for the memory of its key longer than all its work takes, but keys that are fetched
// together wait together. It changes nothing, and it does not matter what the arguments are. A single key
// is left to its lookup, and so are all if there are few.
func (db *DB) Fetch(args [][]byte, step int) {
	for db.Cold() && len(args) > step {
		n := min(len(args), FetchKeys*step)
		db.fetch(args[:n], step)
		args = args[n:]
	}
}

// fetch fetches up to FetchKeys keys: the buckets of all, then the entries of all.
func (db *DB) fetch(args [][]byte, step int) {
	var hashes [FetchKeys]uint64
	n, sum := 0, uint64(0)
	for i := 0; i < len(args); i += step {
		hashes[n] = db.table.Hash(view(args[i]))
		n++
	}
	for _, h := range hashes[:n] {
		sum += db.table.Fetch(h)
	}
	for _, h := range hashes[:n] {
		if e, ok := db.table.Guess(h); ok {
			sum += uint64(e.head().access)
		}
	}
	db.ks.fetched = sum
}
