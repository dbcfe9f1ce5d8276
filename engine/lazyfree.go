package engine

import (
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/keyspace"
)

// LazyFree is the parameters by which Redis chooses to free the value of a key in the background.
// Here nothing is freed that way: they only choose whether a removal that no client asked for goes
// to the journal and the replicas as UNLINK or as DEL, and what INFO counts as lazyfreed_objects.
type LazyFree struct {
	Expire    bool // keys that have expired
	Eviction  bool // keys that are evicted
	ServerDel bool // keys that a command removes besides, or replaces
	UserDel   bool // keys that a client deletes
	UserFlush bool // what FLUSHALL and FLUSHDB remove; it has no effect
}

// lazyByDefault is when values began to be freed in the background by default.
var lazyByDefault = release.From("valkey:8.0.0")

// lazyFreeParams returns the parameters, with the defaults of the release.
func (e *Engine) lazyFreeParams() []config.Param {
	z, lazy := &e.Config.LazyFree, e.Release.Has(lazyByDefault)
	*z = LazyFree{lazy, lazy, lazy, lazy, lazy}
	removeLazily := func() { e.each((*World).removeLazily) }
	removeLazily()
	return []config.Param{
		config.Bool("lazyfree-lazy-expire", &z.Expire), config.Bool("lazyfree-lazy-eviction", &z.Eviction),
		config.Bool("lazyfree-lazy-server-del", &z.ServerDel).Then(removeLazily),
		config.Bool("lazyfree-lazy-user-del", &z.UserDel),
		config.Bool("lazyfree-lazy-user-flush", &z.UserFlush),
	}
}

// removeLazily makes the world count what commands remove as lazyfree-lazy-server-del says, unless
// another parameter decides.
func (w *World) removeLazily() { w.Keyspace.Lazily = w.engine.Config.LazyFree.ServerDel }

// CountTemporary counts a collection of n elements that Redis builds only for a reply, and frees in
// the background if lazyfree-lazy-server-del is set.
func (w *World) CountTemporary(n int) {
	if w.engine.Config.LazyFree.ServerDel && n > keyspace.LazyThreshold {
		w.Keyspace.LazilyFreed++
	}
}
