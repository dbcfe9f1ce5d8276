package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Record is one key with all that is kept about it: what a snapshot holds.
type Record struct {
	DB       int
	Key      string           // aliases the entry
	Value    Value            // a view, or the boxed value
	Elements *frozen.Elements // what to read in place of a hash, set or sorted set that may change meanwhile; else nil
	Deadline int64            // milliseconds since the epoch; 0 for none
	Idle     int64            // seconds since the last access; unknown (-1) under LFU
	Freq     int              // LFU counter; unknown (-1) under LRU
}

// record fills in r from an entry. The view is of v.
func (ks *Keyspace) record(r *Record, db int, e entry, v *views) {
	h := e.head()
	v.ks = ks
	*r = Record{DB: db, Key: e.Key(), Value: v.read(e), Deadline: h.deadline(), Idle: -1, Freq: -1}
	if ks.Access.LFU {
		r.Freq = int(ks.lfuDecayed(h))
	} else {
		r.Idle = int64((ks.lruClock() - h.clock()) & accessMask)
	}
}

// freeze makes the record independent of changes of its value, and returns what ends that; nil if
// the value cannot be frozen.
func (r *Record) freeze() (thaw func()) {
	switch v := r.Value.(type) {
	case value.Freezer:
		if f, thaw := v.Freeze(); f != nil {
			r.Value = f
			return thaw
		}
	case interface{ Freeze() *frozen.Elements }:
		if r.Elements = v.Freeze(); r.Elements != nil {
			return r.Elements.Release
		}
	}
	return nil
}

// Records calls fn for every key of all databases, in the order of their numbers, until fn returns
// false. Keys that are due and not removed are among them, as in what Redis saves. The record is
// valid until fn returns, and fn must not change the keyspace.
func (ks *Keyspace) Records(fn func(r *Record) bool) {
	var r Record
	var lent views
	for _, db := range ks.dbs {
		more := true
		db.Expiry().expireAllElements()
		db.table.each(func(e entry) bool {
			ks.record(&r, db.id, e, &lent)
			more = fn(&r)
			lent.reset()
			return more
		})
		if !more {
			return
		}
	}
}

// View returns what is packed in payload, such as the ziplist of a hash, as a value of type t for
// Set and Restore, which copy it. It aliases payload and is valid until Begin.
func (ks *Keyspace) View(t Type, payload []byte) Value {
	if t.Open != nil {
		return ks.views.unpack(ks.otherKind(t), payload, false)
	}
	return ks.views.unpack(packedKind(t), payload, false)
}
