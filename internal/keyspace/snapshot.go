package keyspace

import (
	"strings"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Snapshot is the content of all databases at one moment, passed on step by step while they change.
//
//	start     every entry's snapshot bit differs from the keyspace's: not emitted yet
//	Step      emits the entries of some chains of the tables, and flips their bits
//	a write   of an entry not emitted yet emits it first; a new entry is created with its bit
//	          flipped
//	end       all bits equal the keyspace's again
//
// So each key is emitted once, as it was at the start. The snapshot costs one bit in each entry and
// copies nothing. A table that is flushed meanwhile is still walked to its end. Keys come in no
// order, those of different databases mixed.
//
// Large values are emitted in many steps, one value after the other, from a queue. They may lose
// their keys meanwhile, or get others. A large collection in the queue is frozen: a change of it
// first copies what it touches. Of any other value the rest is emitted at once before a change, see
// Pace.
type Snapshot struct {
	ks     *Keyspace
	emit   func(r *Record, p *Pace)
	tables []snapshotTable
	cursor uint64
	work   int // bytes of the entries that this step has emitted
	visit  func(r slab.Ref)
	record Record
	views  views
	large  []*largeRecord
	queued map[Value]*largeRecord // those of large, by their values
}

// snapshotTable is the contents of a database at the start, which keep the table alive, and the
// number that it had.
type snapshotTable struct {
	contents
	db int
}

// Snapshot starts a snapshot. emit is called for each key that is there now, due or not, by Step
// and by changes of the key; it must not change the keyspace, and the record is valid until it
// returns. A large value comes with a pace; while it pauses, emit is called for other keys. There
// is no more than one snapshot at a time.
func (ks *Keyspace) Snapshot(take func(r *Record, p *Pace)) *Snapshot {
	if ks.snapshot != nil {
		panic("keyspace: a snapshot is being taken already")
	}
	s := &Snapshot{ks: ks, emit: take, queued: map[Value]*largeRecord{}}
	for _, db := range ks.dbs {
		db.origin = db.id
		if db.Len() > 0 {
			s.tables = append(s.tables, snapshotTable{db.contents, db.id})
		}
	}
	s.visit = func(r slab.Ref) { s.save(entryAt(r), s.tables[0].db) }
	ks.snapshotBit ^= snapshotBit
	ks.snapshot = s
	return s
}

// Step emits the keys of n chains, a handful each, of fewer if their values are large, or a piece
// of a very large value. It reports whether there are more. After the last the snapshot is over.
func (s *Snapshot) Step(n int) (more bool) {
	if len(s.large) > 0 {
		n = 0
		if p := s.large[0]; !p.step(s.emit) {
			delete(s.queued, p.live)
			s.ks.dropped = append(s.ks.dropped, p.dropped...)
			s.large[0], s.large = nil, s.large[1:]
		}
	}
	for s.work = 0; n > 0 && s.work < largeRecordBytes && len(s.tables) > 0; n-- {
		t := s.tables[0].table
		s.ks.prefetched = t.fetch(s.cursor)
		if s.cursor = t.ScanChain(s.cursor, s.visit); s.cursor == 0 {
			s.tables = s.tables[1:]
		}
	}
	if len(s.tables) > 0 || len(s.large) > 0 {
		return true
	}
	if s.ks.snapshot == s {
		s.ks.snapshot = nil
	}
	return false
}

// save emits an entry unless that was done or the entry is younger than the snapshot. A large one
// is queued.
func (s *Snapshot) save(e entry, db int) {
	h := e.head()
	if h.snapshotBit() == s.ks.snapshotBit {
		return
	}
	h.flipSnapshotBit()
	s.ks.record(&s.record, db, e, &s.views)
	if h.kind() == boxed && e.box().accounted >= largeRecordBytes {
		s.queue()
		return
	}
	s.work += e.bytes()
	s.emit(&s.record, nil)
	s.views.reset()
}

// queue puts the record of a large value into the queue.
func (s *Snapshot) queue() {
	p := &largeRecord{record: s.record, live: s.record.Value}
	p.record.Key = strings.Clone(p.record.Key) // the cell may go
	p.thaw = p.record.freeze()
	s.queued[p.live] = p
	s.large = append(s.large, p)
}

// finish emits what is left of a large value that is about to change.
func (s *Snapshot) finish(v Value) {
	if p := s.queued[v]; p != nil && p.thaw == nil && !p.done {
		p.finish(s.emit)
	}
}

// keeps reports whether a value that was dropped is still read, and if so returns it to the
// keyspace after that.
func (s *Snapshot) keeps(d dropped) bool {
	if s == nil {
		return false
	}
	p := s.queued[d.value]
	if p != nil {
		p.dropped = append(p.dropped, d)
	}
	return p != nil
}

// snapshotBit and flipSnapshotBit read and change the bit that says whether the entry was emitted.
func (h *header) snapshotBit() kind { return kind(h.access>>24) & snapshotBit }
func (h *header) flipSnapshotBit()  { h.access ^= uint32(snapshotBit) << 24 }

// saveEntry is called before an entry is removed, or changed in anything but its value.
func (db *DB) saveEntry(e entry) {
	if s := db.ks.snapshot; s != nil {
		s.save(e, db.origin)
	}
}

// saveValue is called before the value of an entry is changed.
func (db *DB) saveValue(e entry) {
	s := db.ks.snapshot
	if s == nil {
		return
	}
	s.save(e, db.origin)
	if len(s.queued) > 0 && e.head().kind() == boxed {
		s.finish(e.box().value)
	}
}

// inSnapshot reports whether a value, with or without a key, is still to be emitted and so must not
// be changed.
func (ks *Keyspace) inSnapshot(v Value) bool {
	if ks.snapshot == nil {
		return false
	}
	p := ks.snapshot.queued[v]
	return p != nil && p.thaw == nil && !p.done
}

// Snapshotting reports whether a snapshot is under way.
func (ks *Keyspace) Snapshotting() bool { return ks.snapshot != nil }
