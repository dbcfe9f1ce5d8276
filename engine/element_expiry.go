package engine

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Elements of collections may have deadlines of their own. The keyspace removes an element
// that is due before a command can read it, or at its deadline. This file reports the removal: to the journal and
// the replicas, to transactions that watch the key, to trackers and as a keyspace event.

// elementsExpired is called by the keyspace when it has removed expired elements.
func (w *World) elementsExpired(db *keyspace.DB, key string, what keyspace.ExpiredElements) {
	w.engine.stats.expiredElements += int64(what.Count)
	k := w.engine.Parts.Types.Of(what.Type).Elements
	if w.propagation.wanted() {
		w.propagateExpiredElements(db.ID(), []byte(key), k, what.Names)
	}
	if len(w.observers) > 0 {
		w.reportChange(db.ID(), []byte(key), nil)
	}
	if w.engine.Config.Events != 0 {
		w.notify(db, []byte(key), k.Expired, what.Names...)
		if what.Emptied {
			w.notify(db, []byte(key), event.Del)
		}
	}
}

// propagateExpiredElements propagates the removal of elements: by name, or where they may be equal, as in a list, by
// the time at which they were due.
func (w *World) propagateExpiredElements(db int, key []byte, k *Elements, names [][]byte) {
	if k.Index != "" {
		w.propagate(Everywhere, db, [][]byte{[]byte("LAPSE"), key, strconv.AppendInt(nil, w.Keyspace.Now, 10)})
		return
	}
	for some := range slices.Chunk(names, MaxPropagatedElements) {
		w.propagate(Everywhere, db, append([][]byte{[]byte(k.Removal), key}, some...))
	}
}

// MaxPropagatedElements is the most removed elements in one propagated command, as in Redis.
const MaxPropagatedElements = 1024

// observe has the world told which keys and elements its keyspace adds and removes.
func (w *World) observe() {
	ks := w.Keyspace
	ks.OnExpiring, ks.OnExpire, ks.OnExpireElements, ks.OnCreate = w.keyExpiring, w.keyExpired, w.elementsExpired, w.keyCreated
}
