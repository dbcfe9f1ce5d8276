package search

import (
	"iter"
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
//
//	changed ─▶ changes ─▶ step: read a key, or clean a little ─▶ settled: the query
//	                      by the query, by batches of changes, and by turns beside requests
//
// While a query has paused, and while an index is cleaned, the indexes stay as they are and changes
// wait. Who cannot wait has the query run to its end.
type catalogue struct {
	world    *engine.World
	indexes  map[string]*entry
	aliases  map[string]*entry
	observer engine.Observer
	changes  changes
	aliased  int                // bytes of the aliases
	kept     int                // bytes of the indexes that are counted for the world
	renamed  string             // the key of an event rename_from, which rename_to follows; empty for none
	dropped  bool               // a database was emptied: the indexes are to go
	turns    bool               // an event loop does what the indexes are behind with
	walked   bool               // a query has paused, and walks through an index
	unkept   bool               // keys were read since the memory was counted
	waits    int                // bytes of the changes that are counted for the world
	cleaning func() (more bool) // cleans a little of an index; nil if none is cleaned
	checking int                // bytes of which checks are paid: see checkNow
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

// stale returns an index that is still to begin to read keys; nil if there is none.
func (cat *catalogue) stale() *entry {
	for _, e := range cat.indexes {
		if e.stale {
			return e
		}
	}
	return nil
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

const (
	// mostChanges is how many keys are noted before the indexes read them although no command asks:
	// so few that other clients hardly wait for it.
	mostChanges = 50
	// mostWaiting is how many changes wait for a query that has paused, and for turns.
	mostWaiting = 1 << 16
	// batchTime is for how many microseconds a batch of commands has the indexes read keys.
	batchTime = 3000
)

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
		case cat.isBusy(), e.scan != nil: // which may have looked for the new key, and not read the old one
			cat.changes.note(to)
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
			if cat.isBusy() {
				e.Index = e.Anew()
			} else {
				e.Clear()
			}
			e.stale, e.scan = true, nil
		}
	}
}

// isBusy reports whether the indexes are to stay as they are.
func (cat *catalogue) isBusy() bool { return cat.walked || cat.cleaning != nil }

// batch is called when a batch of commands is over. Indexes that are to go take no memory longer.
func (cat *catalogue) batch() {
	some, waiting := cat.changes.some, len(cat.changes.at)
	cat.changes.some = false
	switch {
	case waiting > mostWaiting:
		cat.update()
	case cat.walked:
		cat.keepChanges()
	case cat.dropped || some && waiting > mostChanges:
		cat.prepare()
		e := cat.world.Engine()
		for end := e.Machine() + batchTime; cat.step(); {
			if e.Machine() >= end {
				cat.keepChanges()
				cat.catchUp()
				return
			}
		}
		cat.settled()
	}
}

// update has all indexes read what has changed. A query that has paused ends before.
func (cat *catalogue) update() {
	cat.prepare()
	for cat.step() {
	}
	cat.settled()
}

// updateFor is update for a command, in the midst of which others may run.
func (cat *catalogue) updateFor(c *engine.Call) {
	for paused := true; paused; {
		paused = false
		cat.prepare()
		for !paused && cat.step() {
			if paused = c.IsDue(); paused {
				c.Pause()
			}
		}
	}
	cat.settled()
}

// prepare finds out what the indexes are to read.
func (cat *catalogue) prepare() {
	if cat.walked {
		cat.world.Engine().FinishGradual()
	}
	if cat.dropped {
		cat.dropped = false
		cat.clear()
	}
	for _, e := range cat.indexes {
		for _, key := range e.Due(cat.world.Keyspace.Now) {
			cat.changes.note(key)
		}
	}
}

// step has an index that is cleaned go on with it, or one begin to read all keys, or the indexes
// read a key that has changed. It reports false if there is nothing to do.
func (cat *catalogue) step() bool {
	if cat.cleaning != nil {
		if !cat.cleaning() {
			cat.cleaning = nil
		}
		return true
	}
	if e := cat.stale(); e != nil {
		cat.beginScan(e)
		return true
	}
	key, ok := cat.changes.take()
	if ok {
		cat.unkept = true
		cat.put(key)
	}
	return ok
}

// settled ends an update, when there is nothing to do for step.
func (cat *catalogue) settled() {
	if cat.unkept {
		for _, e := range cat.indexes {
			e.Tidy()
		}
		cat.account()
	}
	if invariants.Enabled {
		cat.checkNow()
	}
	cat.catchUp()
}

// cleanIfDue begins to clean an index that is wasteful, unless one is cleaned.
func (cat *catalogue) cleanIfDue(x *index.Index) {
	if cat.cleaning != nil || !x.IsWasteful() {
		return
	}
	next, _ := iter.Pull(func(yield func(struct{}) bool) { x.Clean(func() { yield(struct{}{}) }) })
	cat.cleaning = func() (more bool) {
		_, more = next()
		return more
	}
}

// keepChanges counts the memory of the changes.
func (cat *catalogue) keepChanges() {
	bytes := cat.changes.bytes()
	cat.world.Keep(bytes - cat.waits)
	cat.waits = bytes
}

// account counts the memory of the indexes.
func (cat *catalogue) account() {
	bytes := cat.aliased
	for _, e := range cat.indexes {
		bytes += e.Bytes()
	}
	cat.world.Keep(bytes - cat.kept)
	cat.kept, cat.unkept = bytes, false
	cat.keepChanges()
}

// put has the indexes read a key.
func (cat *catalogue) put(key string) {
	for _, e := range cat.indexes {
		if !e.Covers(key) {
			continue
		}
		cat.read(e.Index, key)
		cat.cleanIfDue(e.Index)
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
	cat.updateFor(c)
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
