package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Elements of hashes, sets, sorted sets and lists may have deadlines of their own. The keyspace removes an element
// that is due before a command can read it, or at its deadline. This file reports the removal: to the journal and
// the replicas, to transactions that watch the key, to trackers and as a keyspace event.

// ElementKind is a type of collection, in the words of the commands that set its elements' deadlines.
type ElementKind struct {
	Type    keyspace.Type
	Letter  string // of commands
	Word    string // what stands before the elements
	Noun    string // the same in errors
	Removal string // the command that removes elements by name

	Removed                  event.Event // of that command
	Expire, Expired, Persist event.Event // an element got a deadline, expired, lost its deadline
}

var (
	HashFields   = elementKind(keyspace.Hash, "h", "FIELDS", "HDEL", event.Hash)
	SetMembers   = elementKind(keyspace.Set, "s", "MEMBERS", "SREM", event.Set)
	ZSetMembers  = elementKind(keyspace.ZSet, "z", "MEMBERS", "ZREM", event.ZSet)
	ListElements = elementKind(keyspace.List, "l", "ELEMENTS", "LREM", event.List)
)

func elementKind(t keyspace.Type, letter, word, removal string, of func(name string) event.Event) *ElementKind {
	return &ElementKind{t, letter, word, strings.ToLower(word), removal, of(strings.ToLower(removal)), of(letter + "expire"), of(letter + "expired"), of(letter + "persist")}
}

// ElementKindOf returns the kind of a type; false if its elements cannot have deadlines.
func ElementKindOf(t keyspace.Type) (*ElementKind, bool) {
	switch t {
	case keyspace.Hash:
		return HashFields, true
	case keyspace.Set:
		return SetMembers, true
	case keyspace.ZSet:
		return ZSetMembers, true
	case keyspace.List:
		return ListElements, true
	}
	return nil, false
}

// elementsExpired is called by the keyspace when it has removed expired elements.
func (w *World) elementsExpired(db *keyspace.DB, key string, what keyspace.ExpiredElements) {
	w.engine.stats.expiredElements += int64(what.Count)
	k, _ := ElementKindOf(what.Type)
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

// propagateExpiredElements propagates the removal of elements: by name, or of a list, whose elements may be
// equal, by the time at which they were due.
func (w *World) propagateExpiredElements(db int, key []byte, k *ElementKind, names [][]byte) {
	if k.Type == keyspace.List {
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
