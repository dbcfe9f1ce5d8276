package search

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/invariants"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// catalogue is the indexes of a world, with their aliases, and the keys that have changed since
// one was last asked.
//
// The world tells it of each change of a key. It notes the names, and the indexes read the keys
// before the next command that asks one of them: so a key that changes often is read once, and a
// document is found by the very next command.
type catalogue struct {
	world    *engine.World
	indexes  map[string]*entry
	aliases  map[string]*entry
	observer engine.Observer
	changes  changes
	aliased  int    // bytes of the aliases
	kept     int    // bytes of the indexes that are counted for the world
	renamed  string // the key of an event rename_from, which rename_to follows; empty for none
	dropped  bool   // a database was emptied: the indexes are to go
	turns    bool   // an event loop does what the indexes are behind with
	checking int    // bytes of which checks are paid: see checkNow
}

// entry is an index in the catalogue.
type entry struct {
	*index.Index
	used     int64 // when a command named it last, in milliseconds, for TEMPORARY
	stale    bool  // every key of the database may have to be put
	scan     *scan // of the keys that are to be put; nil for none
	partial  bool  // keys were not put that a fresh index would have, or not as it would: SKIPINITIALSCAN
	dialects int   // those of its queries so far: bit 0 is dialect 1
}

// of returns the catalogue of a world.
func of(w *engine.World) *catalogue {
	cat := engine.PerWorld[catalogue](w)
	cat.world = w
	return cat
}

// db returns the database whose keys are indexed.
func (cat *catalogue) db() *keyspace.DB { return cat.world.Keyspace.DB(0) }

// add adds an index, which reads no key yet: those of a world that is loaded may not be there.
func (cat *catalogue) add(x *index.Index, scan bool) {
	if cat.indexes == nil {
		cat.indexes, cat.aliases = make(map[string]*entry), make(map[string]*entry)
		cat.observer = engine.Observer{Changed: cat.changed, Replaced: cat.replaced, Batch: cat.batch}
		cat.world.Observe(&cat.observer)
	}
	cat.indexes[x.Name] = &entry{Index: x, used: cat.world.Keyspace.Now, stale: scan, partial: !scan}
	cat.account()
}

// remove forgets an index with its aliases.
func (cat *catalogue) remove(e *entry) {
	delete(cat.indexes, e.Name)
	for alias, of := range cat.aliases {
		if of == e {
			cat.dropAlias(alias)
		}
	}
	if len(cat.indexes) == 0 {
		cat.world.Unobserve(&cat.observer)
		cat.indexes, cat.changes = nil, changes{}
	}
	cat.account()
}

// aliasBytes is what an alias takes beside its name.
const aliasBytes = 64

// setAlias gives an index an alias, which another one may have had.
func (cat *catalogue) setAlias(alias string, e *entry) {
	cat.dropAlias(alias)
	cat.aliases[alias] = e
	cat.aliased += aliasBytes + len(alias)
}

// dropAlias takes an alias from the index that has it, if one does.
func (cat *catalogue) dropAlias(alias string) {
	if cat.aliases[alias] != nil {
		delete(cat.aliases, alias)
		cat.aliased -= aliasBytes + len(alias)
	}
}

// stale reports whether an index is still to begin to read keys.
func (cat *catalogue) stale() bool {
	for _, e := range cat.indexes {
		if e.stale {
			return true
		}
	}
	return false
}

// clear forgets all indexes.
func (cat *catalogue) clear() {
	for _, e := range cat.indexes {
		cat.remove(e)
	}
}

// find returns the index of a name or an alias, for a command that uses it; nil if there is none.
func (cat *catalogue) find(name string) *entry {
	e := cat.indexes[name]
	if e == nil {
		e = cat.aliases[name]
	}
	if e != nil {
		e.used = cat.world.Keyspace.Now
	}
	return e
}

// changes is the keys that have changed, in the order of their last changes.
type changes struct {
	keys []string       // "" in the place of one that changed again
	at   map[string]int // in keys
}

// note notes a change.
func (ch *changes) note(key string) {
	if ch.at == nil {
		ch.at = make(map[string]int)
	}
	if at, known := ch.at[key]; known {
		if at == len(ch.keys)-1 {
			return
		}
		ch.keys[at] = ""
	}
	if len(ch.keys) > 2*len(ch.at)+mostChanges {
		ch.compact()
	}
	ch.at[key] = len(ch.keys)
	ch.keys = append(ch.keys, key)
}

// compact removes the places of keys that changed again.
func (ch *changes) compact() {
	kept := ch.keys[:0]
	for i, key := range ch.keys {
		if at, known := ch.at[key]; known && at == i {
			ch.at[key] = len(kept)
			kept = append(kept, key)
		}
	}
	ch.keys = kept
}

// rename says that the value of a key that has changed is at another key now.
func (ch *changes) rename(from, to string) {
	at := ch.at[from]
	if old, known := ch.at[to]; known {
		ch.keys[old] = ""
	}
	ch.keys[at], ch.at[to] = to, at
	ch.at[from] = len(ch.keys)
	ch.keys = append(ch.keys, from)
}

// noted reports whether a key has changed.
func (ch *changes) noted(key string) bool {
	_, known := ch.at[key]
	return known
}

// mostChanges is how many keys are noted before the indexes read them although no command asks: so
// few that other clients hardly wait for it.
const mostChanges = 50

// covered reports whether a key belongs to an index.
func (cat *catalogue) covered(key []byte) bool {
	for _, e := range cat.indexes {
		if e.Covers(string(key)) {
			return true
		}
	}
	return false
}

// changed is called after each change of a key.
func (cat *catalogue) changed(db int, key []byte, ev event.Event, _ *engine.Session) {
	if db != 0 || !cat.covered(key) && cat.renamed == "" {
		return
	}
	switch {
	case ev == event.Expire || ev == event.Persist:
		deadline, _ := cat.db().Deadline(key)
		for _, e := range cat.indexes {
			e.SetDeadline(string(key), deadline)
		}
	case ev == event.RenameFrom:
		cat.renamed = string(key)
		return
	case ev == event.RenameTo && cat.renamed != "":
		cat.rename(cat.renamed, string(key))
	default:
		cat.changes.note(string(key))
	}
	cat.renamed = ""
}

// rename gives a document another key. An index that covers only one of the keys, or for which the
// value is no document, reads it.
func (cat *catalogue) rename(from, to string) {
	if cat.changes.noted(from) {
		cat.changes.rename(from, to)
		return
	}
	cat.changes.note(from)
	for _, e := range cat.indexes {
		switch {
		case !e.Covers(to):
		case e.Covers(from) && !cat.changes.noted(to) && e.Rename(from, to):
		default:
			cat.changes.note(to)
		}
	}
}

// replaced is called when a database is emptied, which drops the indexes, or replaced.
func (cat *catalogue) replaced(db, other *keyspace.DB) {
	switch {
	case other == nil:
		cat.dropped = true
	case db.ID() == 0:
		for _, e := range cat.indexes {
			e.Clear()
			e.stale, e.scan = true, nil
		}
	}
}

// batch is called when a batch of commands is over. Indexes that are to go take no memory longer.
func (cat *catalogue) batch() {
	if cat.dropped || len(cat.changes.keys) > mostChanges {
		cat.update()
	}
}

// update has all indexes read what has changed.
func (cat *catalogue) update() {
	if cat.dropped {
		cat.dropped = false
		cat.clear()
	}
	for _, e := range cat.indexes {
		if e.stale {
			cat.beginScan(e)
		}
		for _, key := range e.Due(cat.world.Keyspace.Now) {
			cat.changes.note(key)
		}
	}
	if len(cat.changes.keys) > 0 {
		cat.readChanges()
	}
	if invariants.Enabled {
		cat.checkNow()
	}
	cat.catchUp()
}

// readChanges has all indexes read the keys that have changed.
func (cat *catalogue) readChanges() {
	for _, key := range cat.changes.keys {
		if key != "" || cat.changes.noted("") {
			cat.put(key)
		}
	}
	cat.changes = changes{}
	for _, e := range cat.indexes {
		e.Tidy()
	}
	cat.account()
}

// account counts the memory of the indexes.
func (cat *catalogue) account() {
	bytes := cat.aliased
	for _, e := range cat.indexes {
		bytes += e.Bytes()
	}
	cat.world.Keep(bytes - cat.kept)
	cat.kept = bytes
}

// put has the indexes read a key.
func (cat *catalogue) put(key string) {
	for _, e := range cat.indexes {
		if e.Covers(key) {
			cat.read(e.Index, key)
		}
	}
}

func (cat *catalogue) read(x *index.Index, key string) {
	v, ok := cat.db().Peek([]byte(key))
	if !ok {
		x.Remove(key)
		return
	}
	deadline, _ := cat.db().Deadline([]byte(key))
	x.Put(key, v, deadline)
}

// coveredBy returns the keys that belong to an index, in order.
func (cat *catalogue) coveredBy(x *index.Index) (keys []string) {
	cat.db().Keys().Each(func(key string, _ keyspace.Type) bool {
		if x.Covers(key) {
			keys = append(keys, string([]byte(key)))
		}
		return true
	})
	slices.Sort(keys)
	return keys
}

// existing reads the name of an index, which it returns with all changes; nil and an error if there
// is none.
func existing(c *engine.Call, unknown error) *entry {
	cat := of(c.World)
	cat.update()
	e := cat.find(string(c.Arg()))
	if e == nil {
		c.Refuse(unknown)
		return nil
	}
	e.Uses++
	return e
}

// names returns the names of all indexes, in order.
func (cat *catalogue) names() []string { return slices.Sorted(maps.Keys(cat.indexes)) }
