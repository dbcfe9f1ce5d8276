package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// The commands of transactions. How WATCH and EXEC work together is in transaction.go.

// Transactions is the family of MULTI and WATCH.
func Transactions() command.Family {
	const inTx = command.NoScript | command.Loading | command.Stale | command.AllowTx
	outside := []command.Was{command.Before(release.NoValkey, "+no_multi")}
	return command.Family{Group: "transactions", Commands: []command.Line{
		{Name: "multi", Arity: 1, Flags: inTx | command.Fast | command.AllowBusy | command.Harmless, Run: cmdMulti, Reply: "status", Since: "1.2.0", Was: outside,
			Summary: "Starts a transaction.", Complexity: "O(1)"},
		{Name: "exec", Arity: 1, Flags: inTx | command.SkipSlowlog | command.MayBeSlow | command.RunsTx | command.Harmless, Run: cmdExec, Reply: "array?", Since: "1.2.0",
			Summary: "Executes all commands in a transaction.", Complexity: "Depends on the queued commands"},
		{Name: "discard", Arity: 1, Flags: inTx | command.Fast | command.AllowBusy | command.DropsTx | command.Harmless, Run: cmdDiscard, Reply: "status", Since: "2.0.0",
			Summary: "Discards a transaction.", Complexity: "O(N), N being the number of queued commands"},
		{Name: "watch", Arity: -2, Flags: inTx | command.Fast | command.AllowBusy | command.Harmless, Keys: command.KeyRange(1, -1, 1, "RO"), Run: cmdWatch, Reply: "status", Since: "2.2.0", Was: outside,
			Syntax: "key...", Summary: "Monitors changes to keys to determine the execution of a transaction.",
			Complexity: "O(N), N being the number of keys"},
		{Name: "unwatch", Arity: 1, Flags: command.NoScript | command.Loading | command.Stale | command.Fast | command.AllowBusy | command.Harmless, Run: cmdUnwatch, Reply: "status", Since: "2.2.0",
			Summary:    "Forgets about watched keys of a transaction.",
			Complexity: "O(N), N being the number of watched keys"},
	}}
}

// MULTI
func cmdMulti(c *Call) {
	if c.Session.tx != nil {
		c.Fail(ErrNestedMulti)
		return
	}
	c.Session.tx = &transaction{}
	c.Reply.Status("OK")
}

// DISCARD
func cmdDiscard(c *Call) {
	if c.Session.tx == nil {
		c.Fail(ErrDiscardNoTx)
		return
	}
	c.Session.endTx()
	c.World.unwatch(c.Session)
	c.Reply.Status("OK")
}

// EXEC
func cmdExec(c *Call) {
	s := c.Session
	tx := s.tx
	if tx == nil {
		c.Fail(ErrExecNoMulti)
		return
	}
	dirty := s.dirtyCAS || c.World.watchedExpired(s)
	c.World.unwatch(s)
	switch {
	case tx.dirtyExec:
		c.Fail(ErrExecAbort)
	case dirty:
		c.Reply.NullArray()
	default:
		c.World.execTransaction(c, tx.commands)
	}
	s.endTx()
}

// execTransaction runs a transaction's commands. What they change is one unit in the journal.
func (w *World) execTransaction(c *Call, commands []queuedCommand) {
	c.PropagateNothing()
	c.Reply.Array(len(commands))
	for _, q := range commands {
		c.Session.settle()
		if err := w.checkPermission(c.Session, q.cmd, q.args, &deniedQueued); err != nil {
			c.Fail(err)
			continue
		}
		if w.FlagsWith(q.cmd, q.args)&command.DenyOOM != 0 && w.lacksRoom(c.Session) {
			c.Fail(ErrOOM)
			continue
		}
		w.startTimer(c.Session, q.cmd, q.args)
		w.run(c.Session, q.cmd, q.args)
	}
	if w.propagation.atOnce {
		w.endTransaction(c)
	}
}

// WATCH key [key ...]
func cmdWatch(c *Call) {
	s := c.Session
	if s.tx != nil {
		c.Fail(ErrWatchInMulti)
		return
	}
	for _, key := range c.Rest() {
		if s.dirtyCAS {
			break // the transaction fails anyway
		}
		c.World.watch(s, dbKey{s.db, string(key)})
	}
	c.Reply.Status("OK")
}

// UNWATCH
func cmdUnwatch(c *Call) {
	c.World.unwatch(c.Session)
	c.Reply.Status("OK")
}
