package keyspace

// Filler restores many keys. It lays out the entry of each at once, and puts them into their tables some at
// a time: so the processor can fetch their places side by side, for which it would else wait longer than
// for all the rest.
type Filler struct {
	ks      *Keyspace
	waiting []laidOut
	fetched uint64 // of what was fetched, so that it is
}

// laidOut is an entry that is not in its table yet.
type laidOut struct {
	db       *DB
	hash     uint64
	e        entry
	deadline int64
	idle     int64
	freq     int
}

// Filler returns one that fills ks.
func (ks *Keyspace) Filler() *Filler {
	return &Filler{ks: ks, waiting: make([]laidOut, 0, FetchKeys)}
}

// Add adds a key as Restore does, by the next Flush at the latest. Until then nobody may look for it. full
// says that it is time for Flush.
func (f *Filler) Add(r *Record) (full bool) {
	f.waiting = append(f.waiting, f.ks.laidOut(r))
	return len(f.waiting) == FetchKeys
}

// Flush puts all keys in place that were added. It stops at one that is there already; ok is false then, and
// twice that key.
func (f *Filler) Flush() (twice string, ok bool) {
	for i := range f.waiting {
		w := &f.waiting[i]
		f.fetched ^= w.db.table.Fetch(w.hash)
	}
	defer func() {
		clear(f.waiting)
		f.waiting = f.waiting[:0]
	}()
	for i := range f.waiting {
		if w := &f.waiting[i]; !w.restore() {
			return w.e.Key(), false
		}
	}
	return "", true
}

// laidOut lays out the entry of a record.
func (ks *Keyspace) laidOut(r *Record) laidOut {
	db := ks.dbs[r.DB]
	return laidOut{db, db.table.Hash(r.Key), ks.build(r.Key, r.Value), r.Deadline, r.Idle, r.Freq}
}

// restore puts the entry into its table, and reports false if the key is there.
func (w *laidOut) restore() bool {
	db, key := w.db, w.e.Key()
	if db.lookupHash(w.hash, key) != nil {
		return false
	}
	if db.ks.KeepExpired {
		db.drop(w.hash, key) // a due one
	}
	db.place(w.hash, w.e)
	h := w.e.head()
	if w.deadline != 0 {
		db.setDeadline(h, w.hash, w.deadline)
	}
	db.ks.mark(h, w.idle, w.freq)
	return true
}
