package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/keyspace"
)

// Elements of hashes, sets, sorted sets and lists may have deadlines of their own. The keyspace removes
// those that are due before anybody can meet them, and at their time if nobody looks; here is what
// that means to the others: the journal, those who watch, track or listen.

// kind is a type of collection as the commands on its elements' deadlines name it.
type kind struct {
	of      keyspace.Type
	letter  string // of commands and events
	word    string // what stands before the elements
	noun    string // the same in errors
	removal string // the command that removes elements by name
}

var (
	ofHash = kind{keyspace.Hash, "h", "FIELDS", "fields", "HDEL"}
	ofSet  = kind{keyspace.Set, "s", "MEMBERS", "members", "SREM"}
	ofZSet = kind{keyspace.ZSet, "z", "MEMBERS", "members", "ZREM"}
	ofList = kind{keyspace.List, "l", "ELEMENTS", "elements", "LREM"}
)

// kindOf returns the kind of a type; false if its values have no elements with deadlines.
func kindOf(t keyspace.Type) (kind, bool) {
	switch t {
	case keyspace.Hash:
		return ofHash, true
	case keyspace.Set:
		return ofSet, true
	case keyspace.ZSet:
		return ofZSet, true
	case keyspace.List:
		return ofList, true
	}
	return kind{}, false
}

// event returns the name of an event with its class, "hhexpired".
func (k kind) event(name string) string { return k.letter + k.letter + name }

// removed is the event of elements that a command removed.
func (k kind) removed() string { return k.letter + strings.ToLower(k.removal) }

// lapsed is called by the keyspace when it removed elements that had become due.
func (e *Engine) lapsed(db *keyspace.DB, key string, what keyspace.ExpiredElements) {
	e.stats.lapsed += int64(what.Count)
	k, _ := kindOf(what.Type)
	if e.propagation.to != nil {
		e.journalLapsed(db.ID(), []byte(key), k, what.Names)
	}
	e.outdate(db, key)
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), k.event("expired"))
		if what.Emptied {
			e.notify(db, []byte(key), "gdel")
		}
	}
}

// journalLapsed journals the removal of elements: by name, or of a list, whose elements may share one,
// by the time at which they were due.
func (e *Engine) journalLapsed(db int, key []byte, k kind, names [][]byte) {
	if k.of == keyspace.List {
		e.propagate(db, [][]byte{[]byte("LAPSE"), key, strconv.AppendInt(nil, e.Keyspace.Now, 10)})
		return
	}
	for some := range slices.Chunk(names, journaledAtOnce) {
		e.propagate(db, append([][]byte{[]byte(k.removal), key}, some...))
	}
}

// journaledAtOnce is how many removed elements a line of the journal has at most, as in Redis.
const journaledAtOnce = 1024
