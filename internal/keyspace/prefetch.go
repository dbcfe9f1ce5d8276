package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/dict"
)

// PrefetchKeys is how many keys are fetched at a time: about as many cache misses as a processor
// can overlap.
const PrefetchKeys = 16

// cachedKeys is how many keys are likely to be in the processor's caches.
const cachedKeys = 4 << 10

// Cold reports whether there are enough keys for Prefetch to pay.
func (k Keys) Cold() bool { return k.db.table.Len() > cachedKeys }

// Prefetch loads the entries of the keys args[0], args[step] and so on into the processor's caches,
// for the lookups that follow. A lookup spends most of its time waiting for memory; the waits for
// keys that are fetched together overlap. It changes nothing, and any bytes may stand for keys. It
// does nothing for a single key, or if there are few keys in the database.
func (k Keys) Prefetch(args [][]byte, step int) {
	for k.Cold() && len(args) > step {
		n := min(len(args), PrefetchKeys*step)
		k.prefetchBatch(args[:n], step)
		args = args[n:]
	}
}

// prefetchBatch fetches up to PrefetchKeys keys: the buckets of all, then the entries of all.
func (k Keys) prefetchBatch(args [][]byte, step int) {
	var hashes [PrefetchKeys]uint64
	n, sum := 0, uint64(0)
	for i := 0; i < len(args); i += step {
		hashes[n] = k.db.table.Hash(dict.Key(args[i]))
		n++
	}
	for _, h := range hashes[:n] {
		sum += k.db.table.Prefetch(h)
	}
	for _, h := range hashes[:n] {
		if r := k.db.table.FirstMatch(h); r != 0 {
			sum += uint64(entryAt(r).head().access)
		}
	}
	k.db.ks.prefetched = sum
}
