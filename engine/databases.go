package engine

import "github.com/miniserver-go/miniserver/keyspace"

// Flush empties databases, and reports it to transactions that watch their keys, to blocked clients and to
// clients that track keys.
func (c *Call) Flush(dbs ...*keyspace.DB) {
	for _, db := range dbs {
		c.Engine.touchWatchedInDB(db, nil)
		c.ChangedAll(db.Len())
		held := db.Bytes()
		db.Flush()
		c.Engine.signalBlockedInDB(db.ID())
		if held > purgeFrom {
			c.Engine.Purge()
		}
	}
	c.Engine.invalidateAll()
}

// purgeFrom is how many bytes a flush must free for the system to get them back at once, and not at the next
// collection.
const purgeFrom = 16 << 20

// FlushAll is Flush for all databases. It calls the parts' Flushed.
func (c *Call) FlushAll() {
	dbs := make([]*keyspace.DB, c.Engine.Keyspace.Len())
	for i := range dbs {
		dbs[i] = c.Engine.Keyspace.DB(i)
	}
	c.Flush(dbs...)
	if c.Engine.IsHome() {
		c.Engine.reportFlushed()
	}
}

// ResetWorld removes all keys of a world, has the parts forget what they keep for it, and starts its random numbers anew. The clients stay:
// ServeBlockedIn serves those that wait. A reset of the home world reaches the journal and the replicas as FLUSHALL and FUNCTION FLUSH.
func (c *Call) ResetWorld(w *World) { c.In(w, func() { c.Engine.reset(w) }) }

// In runs fn in another world, and returns to that of the call.
func (c *Call) In(w *World, fn func()) {
	defer c.Engine.visit(c.Engine.World)
	c.Engine.visit(w)
	c.Engine.readClock()
	fn()
}

func (e *Engine) reset(w *World) {
	functions := len(e.Libraries().Sources()) > 0
	e.FlushAll()
	for i := range e.Keyspace.Len() {
		e.signalBlockedInDB(i)
	}
	for _, p := range e.Parts.List {
		if p.Reset != nil {
			p.Reset()
		}
	}
	e.Reseed(e.Seed())
	if w == e.home {
		e.reportFlushed()
		e.home.dirty++
		e.propagate(Everywhere, AnyDB, words("FLUSHALL"))
		if functions {
			e.propagate(Everywhere, AnyDB, words("FUNCTION", "FLUSH"))
		}
		e.propagation.endUnits()
	}
}

func words(text ...string) (args [][]byte) {
	for _, word := range text {
		args = append(args, []byte(word))
	}
	return args
}

// Adopt replaces the data of the world in which commands run with those of a clone: see keyspace.Adopt. Journal and replicas
// do not see it.
func (e *Engine) Adopt(clone *keyspace.Keyspace) {
	e.replaceData(func(ks *keyspace.Keyspace) { ks.Adopt(clone) })
}

// AdoptClone is Adopt for a clone of a keyspace, made in the memory of what it replaces.
func (e *Engine) AdoptClone(of *keyspace.Keyspace) {
	e.replaceData(func(ks *keyspace.Keyspace) { ks.AdoptClone(of) })
}

func (e *Engine) replaceData(replace func(ks *keyspace.Keyspace)) {
	for i := range e.Keyspace.Len() {
		e.touchWatchedInDB(e.Keyspace.DB(i), nil)
	}
	replace(e.Keyspace)
	if e.IsHome() {
		clear(e.asReplica.own)
	}
	e.invalidateAll()
	for i := range e.Keyspace.Len() {
		e.signalBlockedInDB(i)
	}
	e.World.dirty++
}

// SwapDB exchanges databases i and j, also for clients that watch their keys or are blocked on them.
func (e *Engine) SwapDB(i, j int) {
	a, b := e.Keyspace.DB(i), e.Keyspace.DB(j)
	if a == b {
		return
	}
	e.touchWatchedInDB(a, b)
	e.touchWatchedInDB(b, a)
	e.Keyspace.Swap(i, j)
	e.signalBlockedInDB(i)
	e.signalBlockedInDB(j)
}

// FlushAll empties all databases, before other data take their place. Transactions that watch keys fail, and
// sessions that track keys get invalidations. It is called under the lock.
func (e *Engine) FlushAll() {
	for i := range e.Keyspace.Len() {
		e.touchWatchedInDB(e.Keyspace.DB(i), nil)
		e.Keyspace.DB(i).Flush()
	}
	e.invalidateAll()
}

// signalBlockedInDB marks all keys of a database as ready on which commands are blocked, after it was
// exchanged or emptied: those of the oldest command first.
func (e *Engine) signalBlockedInDB(db int) {
	for _, w := range e.blocked.all {
		for _, k := range w.keys {
			if k.db == db {
				e.blocked.signal(db, []byte(k.key))
			}
		}
	}
}
