// Package transactions is MULTI, EXEC, DISCARD, WATCH and UNWATCH.
//
// MULTI has the engine queue the commands of a session, and EXEC has it run them: the engine knows
// the queue, by which its gate goes. WATCH is optimistic, and is all here: a change of a watched
// key marks the sessions that watch it, and EXEC then replies nil. A command that fails while EXEC
// runs does not stop those after it, and nothing is rolled back.
//
//	world    key ─▶ the sessions that watch it
//	session  the keys that it watches; whether one of them has changed
//
// The watchers of a world are its observers as long as there is one.
package transactions

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the commands.
func Part() engine.Part {
	return engine.Part{Families: []command.Family{family}, Detach: unwatch, Figures: map[string]engine.Figure{
		"watching_clients":   func(w *engine.World) int { return watchersOf(w).sessions },
		"total_watched_keys": func(w *engine.World) int { return len(watchersOf(w).of) },
	}}
}

// The errors have the texts of Redis.
const (
	errNested      = command.Error("ERR MULTI calls can not be nested")
	errExecAlone   = command.Error("ERR EXEC without MULTI")
	errDiscard     = command.Error("ERR DISCARD without MULTI")
	errWatchInside = command.Error("ERR WATCH inside MULTI is not allowed")
)

var family = newFamily()

func newFamily() command.Family {
	const inTx = command.NoScript | command.Loading | command.Stale | command.AllowTx
	outside := []command.Was{command.Before(release.NoValkey, "+no_multi")}
	return command.Family{Group: "transactions", Commands: []command.Line{
		{Name: "multi", Arity: 1, Flags: inTx | command.Fast | command.AllowBusy | command.Harmless, Run: cmdMulti,
			Reply: "status", Since: "1.2.0", Was: outside, Summary: "Starts a transaction.", Complexity: "O(1)"},
		{Name: "exec", Arity: 1, Flags: inTx | command.SkipSlowlog | command.MayBeSlow | command.RunsTx |
			command.Harmless, Run: cmdExec, Reply: "array?", Since: "1.2.0",
			Summary: "Executes all commands in a transaction.", Complexity: "Depends on the queued commands"},
		{Name: "discard", Arity: 1, Flags: inTx | command.Fast | command.AllowBusy | command.DropsTx | command.Harmless,
			Run: cmdDiscard, Reply: "status", Since: "2.0.0",
			Summary: "Discards a transaction.", Complexity: "O(N), N being the number of queued commands"},
		{Name: "watch", Arity: -2, Flags: inTx | command.Fast | command.AllowBusy | command.Harmless,
			Keys: command.KeyRange(1, -1, 1, "RO"), Run: cmdWatch, Reply: "status", Since: "2.2.0", Was: outside,
			Syntax: "key...", Summary: "Monitors changes to keys to determine the execution of a transaction.",
			Complexity: "O(N), N being the number of keys"},
		{Name: "unwatch", Arity: 1, Flags: command.NoScript | command.Loading | command.Stale | command.Fast |
			command.AllowBusy | command.Harmless, Run: cmdUnwatch, Reply: "status", Since: "2.2.0",
			Summary:    "Forgets about watched keys of a transaction.",
			Complexity: "O(N), N being the number of watched keys"},
	}}
}

// MULTI
func cmdMulti(c *engine.Call) {
	if c.Session.BeginQueue() || c.Fail(errNested) {
		c.Reply.Status("OK")
	}
}

// DISCARD
func cmdDiscard(c *engine.Call) {
	if !c.Session.DropQueue() {
		c.Fail(errDiscard)
		return
	}
	unwatch(c.Session)
	c.Reply.Status("OK")
}

// EXEC
func cmdExec(c *engine.Call) {
	if _, queues := c.Session.Queued(); !queues {
		c.Fail(errExecAlone)
		return
	}
	changed := hasChanged(c.Session)
	unwatch(c.Session)
	c.RunQueue(changed)
}

// WATCH key [key ...]
func cmdWatch(c *engine.Call) {
	if _, queues := c.Session.Queued(); queues {
		c.Fail(errWatchInside)
		return
	}
	for _, name := range c.Rest() {
		if IsDirty(c.Session) {
			break // the transaction fails anyway
		}
		watch(c.Session, key{c.Session.DB(), string(name)})
	}
	c.Reply.Status("OK")
}

// UNWATCH
func cmdUnwatch(c *engine.Call) {
	unwatch(c.Session)
	c.Reply.Status("OK")
}
