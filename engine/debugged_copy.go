package engine

// copyWorld returns a copy of the data of the world, with its clock standing still. The engine does not list it.
func (e *Engine) copyWorld() *World {
	w := e.newWorld(e.home.Keyspace.Len(), e.time.clock, e.World.seed)
	w.Keyspace.OnExpire, w.Keyspace.OnCreate, w.Keyspace.OnExpireElements = e.keyExpired, e.keyCreated, e.elementsExpired
	w.Keyspace.Adopt(e.Keyspace.Clone())
	w.Keyspace.Now, w.time = e.Keyspace.Now, e.time
	return w
}

// keepBefore keeps the data of a copy as they are before its first write, for RewindDebugging.
func (e *Engine) keepBefore() {
	if w := e.World; w.keeps {
		w.keeps, w.before = false, e.copyWorld()
	}
}
