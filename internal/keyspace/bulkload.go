package keyspace

// BulkLoad restores many keys. It builds the entry of each key at once and adds the entries to
// their tables in batches: so the processor can fetch several buckets in parallel. Waiting for them
// one by one would take longer than everything else.
type BulkLoad struct {
	ks         *Keyspace
	pending    []pendingEntry
	prefetched uint64 // keeps the compiler from dropping the loads
}

// pendingEntry is an entry that is not in its table yet.
type pendingEntry struct {
	db       *DB
	hash     uint64
	entry    entry
	deadline int64
	idle     int64
	freq     int
}

// BulkLoad returns one that fills ks.
func (ks *Keyspace) BulkLoad() *BulkLoad {
	return &BulkLoad{ks: ks, pending: make([]pendingEntry, 0, PrefetchKeys)}
}

// Add adds a key as Restore does, but only with the next Flush. Until then a lookup may not find
// it. full reports that Flush is due.
func (f *BulkLoad) Add(r *Record) (full bool) {
	f.pending = append(f.pending, f.ks.pendingEntry(r))
	return len(f.pending) == PrefetchKeys
}

// Flush adds all pending keys to their tables. It stops at a key that exists already: ok is false
// then, and twice is that key, valid until Begin.
func (f *BulkLoad) Flush() (twice string, ok bool) {
	for i := range f.pending {
		w := &f.pending[i]
		f.prefetched ^= w.db.table.Prefetch(w.hash)
	}
	defer func() {
		clear(f.pending)
		f.pending = f.pending[:0]
	}()
	for i := range f.pending {
		if w := &f.pending[i]; !w.add() {
			f.discard(f.pending[i+1:])
			return w.entry.Key(), false
		}
	}
	return "", true
}

func (f *BulkLoad) discard(pending []pendingEntry) {
	for _, w := range pending {
		w.db.memory.drop(w.entry)
	}
}

// pendingEntry lays out the entry of a record.
func (ks *Keyspace) pendingEntry(r *Record) pendingEntry {
	db := ks.dbs[r.DB]
	return pendingEntry{db, db.table.Hash(r.Key), db.memory.newEntry(r.Key, r.Value, r.Deadline != 0), r.Deadline,
		r.Idle, r.Freq}
}

// add puts the entry into its table. If the key is there, it discards the entry and reports false.
func (w *pendingEntry) add() bool {
	db, key := w.db, w.entry.Key()
	if !db.lookupHash(w.hash, key).absent() {
		db.memory.drop(w.entry)
		return false
	}
	if db.ks.KeepExpired {
		db.remove(w.hash, key) // a due one
	}
	db.addEntry(w.hash, w.entry)
	e := db.setDeadline(w.entry, w.hash, w.deadline)
	db.ks.setAccess(e.head(), w.idle, w.freq)
	return true
}

// Restore adds a key as the record describes it, with its access data where they are known. It
// reports false, and changes nothing, if the key exists. The value is handled as by DB.Set, the key
// is copied.
func (ks *Keyspace) Restore(r *Record) bool {
	w := ks.pendingEntry(r)
	return w.add()
}
