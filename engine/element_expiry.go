package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/keyspace"
)

// Elements of hashes, sets, sorted sets and lists may have deadlines of their own. The keyspace removes an element
// that is due before a command can read it, or at its deadline. This file reports the removal: to the journal and
// the replicas, to transactions that watch the key, to trackers and as a keyspace event.

// ElementKind is a type of collection, in the words of the commands that set its elements' deadlines.
type ElementKind struct {
	Type    keyspace.Type
	Letter  string // of commands and events
	Word    string // what stands before the elements
	Noun    string // the same in errors
	Removal string // the command that removes elements by name
}

var (
	HashFields   = ElementKind{keyspace.Hash, "h", "FIELDS", "fields", "HDEL"}
	SetMembers   = ElementKind{keyspace.Set, "s", "MEMBERS", "members", "SREM"}
	ZSetMembers  = ElementKind{keyspace.ZSet, "z", "MEMBERS", "members", "ZREM"}
	ListElements = ElementKind{keyspace.List, "l", "ELEMENTS", "elements", "LREM"}
)

// ElementKindOf returns the kind of a type; false if its elements cannot have deadlines.
func ElementKindOf(t keyspace.Type) (ElementKind, bool) {
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
	return ElementKind{}, false
}

// Event returns the name of an event with its class: "hhexpired".
func (k ElementKind) Event(name string) string { return k.Letter + k.Letter + name }

// Removed returns the event for elements that a command removed.
func (k ElementKind) Removed() string { return k.Letter + strings.ToLower(k.Removal) }

// elementsExpired is called by the keyspace when it has removed expired elements.
func (e *Engine) elementsExpired(db *keyspace.DB, key string, what keyspace.ExpiredElements) {
	e.stats.expiredElements += int64(what.Count)
	k, _ := ElementKindOf(what.Type)
	if e.propagation.wanted() {
		e.propagateExpiredElements(db.ID(), []byte(key), k, what.Names)
	}
	e.invalidateExpired(db, key)
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), k.Event("expired"), what.Names...)
		if what.Emptied {
			e.notify(db, []byte(key), "gdel")
		}
	}
}

// propagateExpiredElements propagates the removal of elements: by name, or of a list, whose elements may be
// equal, by the time at which they were due.
func (e *Engine) propagateExpiredElements(db int, key []byte, k ElementKind, names [][]byte) {
	if k.Type == keyspace.List {
		e.propagate(Everywhere, db, [][]byte{[]byte("LAPSE"), key, strconv.AppendInt(nil, e.Keyspace.Now, 10)})
		return
	}
	for some := range slices.Chunk(names, MaxPropagatedElements) {
		e.propagate(Everywhere, db, append([][]byte{[]byte(k.Removal), key}, some...))
	}
}

// MaxPropagatedElements is the most removed elements in one propagated command, as in Redis.
const MaxPropagatedElements = 1024
