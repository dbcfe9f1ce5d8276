package snapshot

import (
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Receiver takes what a snapshot holds. An error ends the reading.
type Receiver interface {
	// Key takes a key with the deadlines of its elements. The record is valid during the call.
	Key(r *keyspace.Record) error
	// Library takes the source of a library of functions.
	Library(source []byte) error
	// Unknown takes a key whose value is of an unknown module type, and was skipped.
	Unknown(db int, key []byte) error
}

// Each passes the keys and libraries of a snapshot to a receiver. No more than one key is in
// memory, in a keyspace that serves nothing else. Keys whose deadline has passed are passed, too.
func Each(r *rdb.Reader, ks *keyspace.Keyspace, to Receiver) error {
	ks.Replaying = true
	h := pendingKey{ks: ks, to: to}
	for h.err == nil && r.Next() {
		switch r.Item {
		case rdb.Element:
			r.SetDeadline(ks)
		case rdb.Key:
			h.pass()
			h.db, h.key = r.Record.DB, []byte(r.Record.Key)
			ks.Restore(&r.Record)
		case rdb.Library:
			h.err = to.Library(r.Text)
		case rdb.Unknown:
			h.err = to.Unknown(r.DB, r.Name)
		}
	}
	if h.pass(); h.err == nil {
		h.err = r.Err()
	}
	return h.err
}

// pendingKey holds a key until the deadlines of its elements are read, which follow it in a
// snapshot.
type pendingKey struct {
	ks  *keyspace.Keyspace
	to  Receiver
	db  int
	key []byte // nil for none
	err error
}

// pass passes the key on, if there is one. It does not call Begin: the value of the next key, which
// is read already, is a view that Begin would end.
func (h *pendingKey) pass() {
	if h.key == nil || h.err != nil {
		return
	}
	db := h.ks.DB(h.db)
	v, _ := db.Peek(h.key)
	deadline, _ := db.Deadline(h.key)
	h.err = h.to.Key(&keyspace.Record{DB: h.db, Key: string(h.key), Value: v, Deadline: deadline})
	db.Delete(h.key)
}
