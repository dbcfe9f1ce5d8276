package testkit

import (
	"bytes"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// take returns a copy of a world.
func (k *Kit) take(w *engine.World) *snapshot {
	s := &snapshot{data: w.Keyspace.Clone(), bytes: w.CopyBytes(), at: w.Micros(), rate: clockOf(w).motion.Load().rate}
	for _, source := range k.engine.Parts.Libraries.Sources(w) {
		s.libraries = append(s.libraries, bytes.Clone(source))
		s.bytes += len(source)
	}
	return s
}

// putRest gives a world what a snapshot has but the keys.
func (k *Kit) putRest(s *snapshot, w *engine.World) {
	if err := k.engine.Parts.Libraries.Restore(w, s.libraries, engine.Flush); err != nil {
		k.engine.Log('#', "restoring functions: %v", err) // they were loaded before
	}
	clockOf(w).run(s.at, s.rate)
	w.TickBy(s.at / 1000)
}

// MINI.WORLD SNAPSHOT name
//
// A snapshot of the name is replaced.
func (k *Kit) cmdWorldSnapshot(c *engine.Call) {
	name := worldName(c)
	c.Refuse(c.World.CheckRoom(c.World.CopyBytes()))
	if c.OK() {
		k.keep(name, k.take(c.World))
		c.Reply.Status("OK")
	}
}

// keep keeps a snapshot under a name, in place of the one that had it. Its bytes are in use: see
// engine.Account.
func (k *Kit) keep(name string, s *snapshot) {
	k.forget(name)
	k.engine.Copies().Take(s.bytes)
	if k.saved == nil {
		k.saved = make(map[string]*snapshot)
	}
	k.saved[name] = s
}

// forget gives back the memory of a snapshot, if there is one of the name.
func (k *Kit) forget(name string) {
	if s := k.saved[name]; s != nil {
		k.engine.Copies().Return(s.bytes)
		s.data.Release()
		delete(k.saved, name)
	}
}

// savedAs reads the name of a snapshot that there is.
func (k *Kit) savedAs(c *engine.Call) (name string, s *snapshot) {
	name = worldName(c)
	if s = k.saved[name]; s == nil {
		c.Refusef(errNoSnapshot, name)
	}
	return name, s
}

// MINI.WORLD RESTORE name
//
// Clients stay, and those that watch keys or wait for them see a change. The world of new
// connections can be restored only without a journal and replicas, which would not learn of it.
func (k *Kit) cmdWorldRestore(c *engine.Call) {
	_, s := k.savedAs(c)
	if c.Propagates() || c.World.Snapshotting() {
		c.Refuse(errPropagates)
	}
	if s != nil {
		c.Refuse(c.World.CheckRoom(s.bytes - c.World.CopyBytes()))
	}
	if c.OK() {
		c.World.AdoptClone(s.data)
		k.putRest(s, c.World)
		c.Reply.Status("OK")
	}
}

// MINI.WORLD FORGET name
func (k *Kit) cmdWorldForget(c *engine.Call) {
	if name, _ := k.savedAs(c); c.OK() {
		k.forget(name)
		c.Reply.Status("OK")
	}
}

// MINI.WORLD FORK from to
func (k *Kit) cmdWorldFork(c *engine.Call) {
	from, to := k.existingWorld(c), worldName(c)
	if k.existing(to) != nil {
		c.Refusef(errWorldThere, to)
	}
	if from != nil {
		c.Refuse(c.World.CheckRoom(from.Keyspace.Bytes() + engine.WorldBytes))
	}
	if !c.OK() {
		return
	}
	var s *snapshot
	c.In(from, func() { s = k.take(from) })
	w := k.world(to)
	c.In(w, func() {
		w.Adopt(s.data)
		k.putRest(s, w)
	})
	c.Reply.Status("OK")
}
