package engine

import (
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
	removal string // the command that removes elements by name
}

var kinds = []kind{
	{keyspace.Hash, "h", "FIELDS", "HDEL"},
	{keyspace.Set, "s", "MEMBERS", "SREM"},
	{keyspace.ZSet, "z", "MEMBERS", "ZREM"},
	{keyspace.List, "l", "ELEMENTS", "LREM"},
}

// kindOf returns the kind of a type; false if its values have no elements with deadlines.
func kindOf(t keyspace.Type) (kind, bool) {
	for _, k := range kinds {
		if k.of == t {
			return k, true
		}
	}
	return kind{}, false
}

// event returns the name of an event with its class, "hhexpired".
func (k kind) event(name string) string { return k.letter + k.letter + name }

// removed is the event of elements that a command removed.
func (k kind) removed() string { return k.letter + strings.ToLower(k.removal) }

// lapsed is called by the keyspace when it removed elements that had become due.
func (e *Engine) lapsed(db *keyspace.DB, key string, what keyspace.Lapsed) {
	e.stats.lapsed += int64(what.Count)
	k, _ := kindOf(what.Type)
	if e.log != nil {
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

// mostNamed is how many elements one line of the journal removes.
const mostNamed = 1000

// journalLapsed journals the removal of elements: by name, or of a list, whose elements may share one,
// by the time at which they were due.
func (e *Engine) journalLapsed(db int, key []byte, k kind, names [][]byte) {
	if k.of == keyspace.List {
		e.journal(db, [][]byte{[]byte("LAPSE"), key, strconv.AppendInt(nil, e.Keyspace.Now, 10)})
		return
	}
	for len(names) > 0 {
		n := min(len(names), mostNamed)
		e.journal(db, append([][]byte{[]byte(k.removal), key}, names[:n]...))
		names = names[n:]
	}
}
