package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Copies of the world for scripts that are debugged. The first one is made under the lock, for which all clients wait. Memory for it that
// the system has to provide takes a third of the time, so SCRIPT DEBUG YES has it provided before, without the lock. Later copies are made
// of a copy, without the lock, on the goroutine of the script.

// copyWorld returns a copy of the data of the world, with its clock standing still, in reserved memory if there is some. The engine does
// not list it.
func (e *Engine) copyWorld(r *keyspace.Reserve) *World {
	w := e.worldLike(e.World)
	w.Keyspace.Adopt(e.Keyspace.CloneIn(r))
	e.accounts.elsewhere += w.Keyspace.Bytes()
	w.keeps, w.reserved = true, w.Keyspace.Bytes()
	e.accounts.copies.Take(w.reserved)
	return w
}

// dropCopy ends the account of a copy of the world that is not the current one.
func (e *Engine) dropCopy(w *World) {
	e.accounts.elsewhere -= w.Keyspace.Bytes()
	e.accounts.copies.Return(w.reserved)
}

// dropReserve gives back the memory that was reserved for a copy.
func (s *Session) dropReserve() {
	s.engine.accounts.copies.Return(s.reserved)
	s.reserve, s.reserved = nil, 0
}

// copyCopy is copyWorld for a copy whose script does not run meanwhile. The caller does not hold the lock.
func (e *Engine) copyCopy(of *World) *World {
	e.mu.Lock()
	e.visit(e.home) // so the copy is not the current world while it is read
	w := e.worldLike(of)
	e.mu.Unlock()
	w.Keyspace.Adopt(of.Keyspace.Clone())
	return w
}

// worldLike returns a world without data, with the time of another one, which stands still.
func (e *Engine) worldLike(of *World) *World {
	w := e.newWorld(e.home.Keyspace.Len(), of.time.clock, of.seed)
	w.Keyspace.OnExpiring = e.keyExpiring
	w.Keyspace.OnExpire, w.Keyspace.OnCreate, w.Keyspace.OnExpireElements = e.keyExpired, e.keyCreated, e.elementsExpired
	w.Keyspace.Now, w.time, w.role = of.Keyspace.Now, of.time, of.role
	return w
}

// keepBefore keeps the data of a copy as they are before the first write of the script, for RewindDebugging. The caller does not hold
// the lock.
func (e *Engine) keepBefore(script *Session, cmd *command.Command) {
	if w := script.world; script.detached && w.keeps && cmd.Flags&command.Write != 0 {
		w.keeps, w.before = false, e.copyCopy(w)
	}
}
