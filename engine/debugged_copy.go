package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Copies of the world for scripts that are debugged. The first one is made under the lock, for
// which all clients wait. Memory for it that the system has to provide takes a third of the time,
// so SCRIPT DEBUG YES has it provided before, without the lock. Later copies are made of a copy,
// without the lock, on the goroutine of the script.

// copyWorld returns a copy of the world, with its clock standing still, in reserved memory if there
// is some. The engine does not list it.
func (w *World) copyWorld(r *keyspace.Reserve) *World {
	c := w.like()
	c.Keyspace.Adopt(w.Keyspace.CloneIn(r))
	c.countData()
	c.keeps, c.reserved = true, c.counted
	w.engine.accounts.copies.Take(c.reserved)
	return c
}

// dropCopy ends the account of a copy of the world.
func (e *Engine) dropCopy(c *World) {
	e.accounts.data -= c.counted
	e.accounts.copies.Return(c.reserved)
}

// dropReserve gives back the memory that was reserved for a copy.
func (s *Session) dropReserve() {
	s.engine.accounts.copies.Return(s.reserved)
	s.reserve, s.reserved = nil, 0
}

// copyCopy is copyWorld for a copy whose script does not run meanwhile. It counts nothing. The
// caller does not hold the lock.
func (w *World) copyCopy() *World {
	w.engine.mu.Lock()
	c := w.like()
	w.engine.mu.Unlock()
	c.Keyspace.Adopt(w.Keyspace.Clone())
	return c
}

// like returns a world without data that has the time of w, which stands still.
func (w *World) like() *World {
	c := w.engine.newWorld(w.Keyspace.Len(), w.time.clock, w.seed)
	c.observe()
	c.Keyspace.Now, c.time, c.role = w.Keyspace.Now, w.time, w.role
	c.keepExpired()
	return c
}

// keepBefore keeps the data of a copy as they are before the first write of the script, for
// RewindDebugging. The caller does not hold the lock.
func (e *Engine) keepBefore(script *Session, cmd *command.Command) {
	if w := script.world; script.detached && w.keeps && cmd.Flags&command.Write != 0 {
		w.keeps, w.before = false, w.copyCopy()
	}
}
