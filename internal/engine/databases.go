package engine

import "github.com/miniserver-go/miniserver/internal/keyspace"

// Flush empties databases, and reports it to observers and to blocked clients.
func (c *Call) Flush(dbs ...*keyspace.DB) {
	for _, db := range dbs {
		c.World.observers.replaced(db, nil)
		c.ChangedAll(db.Len())
		held := db.Usage().Bytes()
		db.Flush()
		c.World.signalBlockedInDB(db.ID())
		if purge := c.Engine.Parts.Host.Purge; purge != nil && held > purgeFrom {
			purge()
		}
	}
	c.World.observers.emptied()
}

// purgeFrom is how many bytes a flush must free for the system to get them back at once, and not at
// the next collection.
const purgeFrom = 16 << 20

// FlushAll is Flush for all databases. It calls the parts' Flushed.
func (c *Call) FlushAll() {
	dbs := make([]*keyspace.DB, c.World.Keyspace.Len())
	for i := range dbs {
		dbs[i] = c.World.Keyspace.DB(i)
	}
	c.Flush(dbs...)
	if c.World.IsHome() {
		c.Engine.reportFlushed()
	}
}

// ResetWorld removes all keys of a world, has the parts forget what they keep for it, and starts
// its random numbers anew. The clients stay: ServeBlocked serves those that wait. A reset of the
// home world reaches the journal and the replicas as FLUSHALL and FUNCTION FLUSH.
func (c *Call) ResetWorld(w *World) { c.In(w, w.reset) }

// In runs fn, which works in another world than that of the call, at that world's time.
func (c *Call) In(w *World, fn func()) {
	w.readClock()
	fn()
	w.countData()
}

func (w *World) reset() {
	e := w.engine
	functions := len(e.Parts.Libraries.Sources(w)) > 0
	w.FlushAll()
	for i := range w.Keyspace.Len() {
		w.signalBlockedInDB(i)
	}
	for _, p := range e.Parts.List {
		if p.Reset != nil {
			p.Reset(w)
		}
	}
	w.Reseed(w.Seed())
	if w.IsHome() {
		e.reportFlushed()
		w.Unsaved++
	}
	if w.IsHome() || w.Node != nil {
		w.propagate(Everywhere, AnyDB, words("FLUSHALL"))
		if functions {
			w.propagate(Everywhere, AnyDB, words("FUNCTION", "FLUSH"))
		}
		w.propagation.endUnits()
	}
}

func words(text ...string) (args [][]byte) {
	for _, word := range text {
		args = append(args, []byte(word))
	}
	return args
}

// Adopt replaces the data of the world with those of a clone: see keyspace.Adopt. Journal and
// replicas do not see it.
func (w *World) Adopt(clone *keyspace.Keyspace) {
	w.replaceData(func(ks *keyspace.Keyspace) { ks.Adopt(clone) })
}

// AdoptClone is Adopt for a clone of a keyspace, made in the memory of what it replaces.
func (w *World) AdoptClone(of *keyspace.Keyspace) {
	w.replaceData(func(ks *keyspace.Keyspace) { ks.AdoptClone(of) })
}

func (w *World) replaceData(replace func(ks *keyspace.Keyspace)) {
	for i := range w.Keyspace.Len() {
		w.observers.replaced(w.Keyspace.DB(i), nil)
	}
	replace(w.Keyspace)
	if w.IsHome() {
		clear(w.engine.asReplica.own)
	}
	w.observers.emptied()
	for i := range w.Keyspace.Len() {
		w.signalBlockedInDB(i)
	}
	w.Unsaved++
}

// SwapDB exchanges databases i and j, also for observers and for clients that are blocked on their
// keys.
func (w *World) SwapDB(i, j int) {
	a, b := w.Keyspace.DB(i), w.Keyspace.DB(j)
	if a == b {
		return
	}
	w.observers.replaced(a, b)
	w.observers.replaced(b, a)
	w.Keyspace.Swap(i, j)
	w.signalBlockedInDB(i)
	w.signalBlockedInDB(j)
}

// FlushAll empties all databases, before other data take their place, and reports it to observers.
// It is called under the lock.
func (w *World) FlushAll() {
	for i := range w.Keyspace.Len() {
		w.observers.replaced(w.Keyspace.DB(i), nil)
		w.Keyspace.DB(i).Flush()
	}
	w.observers.emptied()
}

// Discard removes the data of all worlds and gives their memory back to the system at once, for a
// program that goes on without the engine. No client may be left.
func (e *Engine) Discard() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.each(func(w *World) { w.Keyspace.Release() })
}

// signalBlockedInDB marks all keys of a database as ready on which commands are blocked, after it
// was exchanged or emptied: those of the oldest command first.
func (w *World) signalBlockedInDB(db int) {
	for _, b := range w.blocked.all {
		for _, k := range b.keys {
			if k.db == db {
				w.blocked.signal(db, []byte(k.key))
			}
		}
	}
}
