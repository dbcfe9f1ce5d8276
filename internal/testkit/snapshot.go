package testkit

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// take returns a copy of a world.
func (k *Kit) take(w *engine.World) *snapshot {
	s := &snapshot{data: w.Keyspace.Clone(), bytes: w.CopyBytes(), at: w.Micros(), rate: clockOf(w).motion.Load().rate}
	s.kept = w.SaveAuxiliary()
	for _, x := range s.kept {
		s.bytes += x.Parts.Bytes()
	}
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
	if err := w.ReplaceAuxiliary(s.kept); err != nil {
		k.engine.Log('#', "restoring what is kept beside keys: %v", err) // it was saved here
	}
	clockOf(w).run(s.at, s.rate)
	w.TickBy(s.at / 1000)
}

// MINI.WORLD SNAPSHOT name
//
// A snapshot of the name that the world has taken is replaced.
func (k *Kit) cmdWorldSnapshot(c *engine.Call) {
	name := worldName(c)
	c.Refuse(c.World.CheckRoom(c.World.CopyBytes()))
	if c.OK() {
		s := k.take(c.World)
		s.name, s.of = name, c.World
		k.keep(s)
		c.Reply.Status("OK")
	}
}

// keep keeps a snapshot in place of the one that has its name and world. Its bytes are in use: see
// engine.Account.
func (k *Kit) keep(s *snapshot) {
	k.forget(func(old *snapshot) bool { return old.name == s.name && old.of == s.of })
	k.engine.Copies().Take(s.bytes)
	k.saved = append(k.saved, s)
}

// forget removes snapshots, and gives back their memory.
func (k *Kit) forget(these func(*snapshot) bool) {
	k.saved = slices.DeleteFunc(k.saved, func(s *snapshot) bool {
		gone := these(s)
		if gone {
			k.engine.Copies().Return(s.bytes)
			s.data.Release()
		}
		return gone
	})
}

// leaveSnapshots leaves the snapshots of a world that ends to the others, of each name one.
func (k *Kit) leaveSnapshots(w *engine.World) {
	for _, s := range slices.Clone(k.saved) {
		if s.of == w {
			s.of = nil
			k.forget(func(old *snapshot) bool { return old.name == s.name && old.of == nil && old != s })
		}
	}
}

// savedAs returns the snapshot of a name that a world has taken, or else the last one that any
// has; nil if there is none. So worlds of tests that run at the same time may use the same name.
func (k *Kit) savedAs(name string, w *engine.World) (found *snapshot) {
	for _, s := range k.saved {
		if s.name == name && (found == nil || found.of != w) {
			found = s
		}
	}
	return found
}

// existingSnapshot reads the name of a snapshot that there is.
func (k *Kit) existingSnapshot(c *engine.Call) *snapshot {
	name := worldName(c)
	s := k.savedAs(name, c.World)
	if s == nil {
		c.Refusef(errNoSnapshot, name)
	}
	return s
}

// MINI.WORLD RESTORE name
//
// Clients stay, and those that watch keys or wait for them see a change. The world of new
// connections can be restored only without a journal and replicas, which would not learn of it.
func (k *Kit) cmdWorldRestore(c *engine.Call) {
	s := k.existingSnapshot(c)
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
	if s := k.existingSnapshot(c); c.OK() {
		k.forget(func(other *snapshot) bool { return other == s })
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
