package keyspace

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/dict"
)

// Rename gives the value and the deadline of src to dst, replacing what was there. The source must
// be visible and differ from dst.
func (db *DB) Rename(src, dst []byte) { db.Transfer(src, db, dst) }

// Transfer moves the value, deadline and access data of src to dst in another or the same
// database. The source must be visible and differ from the destination; a value there is replaced.
func (db *DB) Transfer(src []byte, to *DB, dst []byte) {
	from := dict.Key(src)
	hash := db.table.Hash(from)
	e := db.table.find(hash, from)
	deadline, clock := e.head().deadline(), e.head().clock()
	v := db.ks.views.read(e.entry)
	db.removeFound(e, hash, from)
	db.ks.keep(v)
	h := to.putMoved(dst, v, deadline)
	h.setClock(clock)
}

// Copy copies the value and the deadline of src to dst in another or the same database. The source
// must be visible and differ from the destination; a value there is replaced.
func (db *DB) Copy(src []byte, to *DB, dst []byte) {
	name := dict.Key(src)
	e := db.table.find(db.table.Hash(name), name)
	v := db.ks.views.read(e.entry)
	if e.head().kind() == boxed {
		v = v.Clone()
	}
	to.putMoved(dst, v, e.head().deadline())
}

// putMoved inserts a value with a deadline, replacing what is there.
func (db *DB) putMoved(key []byte, v Value, deadline int64) *header {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	db.remove(hash, name)
	return db.insertUntil(hash, name, v, deadline).head()
}

// Flush removes all keys. Views stay valid until Begin.
func (db *DB) Flush() {
	db.ks.forgetLiving()
	db.ks.views.forgetAllEdits(db)
	db.ks.views.release()
	if db.memory.cells.Held() > 0 {
		db.ks.flushed = append(db.ks.flushed, db.memory.cells, db.memory.blocks.slab)
		db.memory.blocks.gone = true
	}
	db.contents = db.ks.newContents()
}

// Swap exchanges the contents of databases i and j in O(1). Sessions that selected either see the
// other's keys from then on.
func (ks *Keyspace) Swap(i, j int) {
	a, b := ks.dbs[i], ks.dbs[j]
	ks.views.forgetAllEdits(a)
	ks.views.forgetAllEdits(b)
	a.contents, b.contents = b.contents, a.contents
	ks.used = max(ks.used, i+1, j+1)
}

// Twin returns an empty keyspace like this one, with dice of its own, to be filled for Adopt.
// Another goroutine may fill it.
func (ks *Keyspace) Twin(dice func(n uint64) uint64) *Keyspace {
	t := New(len(ks.dbs), ks.seed, dice)
	t.Types, t.Now, *t.Access, t.snapshotBit = ks.Types, ks.Now, *ks.Access, ks.snapshotBit
	return t
}

// Adopt replaces all keys with those of a twin, or of a clone of any keyspace, which is empty
// afterwards. No snapshot may have begun since Twin. No hook is called for any key.
func (ks *Keyspace) Adopt(twin *Keyspace) {
	twin.Begin() // frees what it discarded
	if twin.snapshotBit != ks.snapshotBit {
		twin.bornWith(ks.snapshotBit)
	}
	for i, db := range ks.dbs {
		db.Flush()
		db.contents, twin.dbs[i].contents = twin.dbs[i].contents, db.contents
		db.memory.join(ks)
		twin.dbs[i].memory.join(twin)
	}
	ks.dropped, twin.dropped = append(ks.dropped, twin.dropped...), nil
	ks.used = max(ks.used, twin.used)
}

// bornWith gives all entries the bit of a keyspace whose last snapshot has none of them to save.
func (ks *Keyspace) bornWith(bit kind) {
	for _, db := range ks.dbs[:ks.used] {
		db.table.each(func(e entry) bool {
			if h := e.head(); h.snapshotBit() != bit {
				h.flipSnapshotBit()
			}
			return true
		})
	}
}

// Reseed replaces the seed of the hash function. Databases that have keys get it when they are
// emptied.
func (ks *Keyspace) Reseed(seed uint64) {
	ks.seed = seed
	for _, db := range ks.dbs {
		if db.Len() == 0 {
			db.Flush()
		}
	}
}

// Release removes all keys and gives the memory back at once, for a keyspace that is of no use any
// more.
func (ks *Keyspace) Release() {
	for _, db := range ks.dbs {
		db.Flush()
	}
	for ks.ReleaseFlushed(math.MaxInt) {
	}
}
