package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// A change reaches the journal and the replicas as commands that reproduce it, one or several. By
// default that is the command itself; Call.PropagateAs replaces it by one that gives the same data
// at any time and with any seed, and Call.Propagate by several.
//
// What one command of a client sends is a unit: the removal of expired keys that it met, its own
// effects, and for EXEC and scripts those of all commands in it. Two or more commands of a unit
// stand between MULTI and EXEC, so that a replica or a journal that breaks off never shows half of
// them. SCAN removes each expired key by itself. Before Redis 7.0 units were less: see
// propagation_older.go.
//
//	change ─▶ Changed, Propagate ─▶ propagate ─┬▶ journal
//	                                           └▶ replicas

// Propagate receives the commands that reproduce each change, in order, each with its database;
// MULTI and EXEC have AnyDB. It must not keep args.
type Propagate func(db int, args [][]byte)

// AnyDB is the database of a command that means the same in each.
const AnyDB = -1

// Target is who receives a command. The numbers are those of redis.set_repl.
type Target uint8

const (
	Journal    Target = 1
	Replicas   Target = 2
	Everywhere        = Journal | Replicas
)

// propagation is the unit of each target.
type propagation struct {
	journal, replicas unit
	atOnce            bool // nothing is held back: see propagation_older.go
}

// unit sends what a command of a client changes to one target. The first command is held back: only
// with a second one are they sent between MULTI and EXEC. So a command that changes nothing sends
// nothing.
type unit struct {
	to    Propagate // nil if no part wants changes
	multi bool      // MULTI was sent, and EXEC must follow
	ends  int       // the database of that EXEC
	first heldChange
}

// heldChange is a copy of a change. Its memory is used again for the next one.
type heldChange struct {
	held bool
	db   int
	text []byte
	args [][]byte
}

// hold keeps a copy of a change.
func (h *heldChange) hold(db int, args [][]byte) {
	h.held, h.db, h.text, h.args = true, db, h.text[:0], h.args[:0]
	for _, a := range args {
		h.text = append(h.text, a...)
	}
	at := 0
	for _, a := range args {
		h.args = append(h.args, h.text[at:at+len(a)])
		at += len(a)
	}
}

// maxHeld is the size in bytes up to which the memory of a held change is kept.
const maxHeld = 1 << 16

// release sends the change on, if there is one.
func (h *heldChange) release(to Propagate) {
	if !h.held {
		return
	}
	h.held = false
	to(h.db, h.args)
	if cap(h.text) > maxHeld || cap(h.args) > maxHeld/16 {
		*h = heldChange{}
	}
}

// SetPropagate sends changes to a part from now on, or stops it if fn is nil. It is called under
// the lock, outside of transactions and scripts: a part must not begin in the middle of a unit.
func (e *Engine) SetPropagate(part string, fn Propagate) {
	e.Rewire(part, func(p *Part) { p.Propagate = fn })
}

// connectPropagation prepares the functions for the parts that want changes. Without any they are
// nil, so that an engine without journal and replicas pays one comparison.
func (e *Engine) connectPropagation() {
	p := &e.home.propagation
	p.journal.to, p.replicas.to = e.receivers(false), e.receivers(true)
	if e.persistence.loading > 0 { // what is loaded is no change
		p.journal.to, p.replicas.to = nil, nil
	}
	for _, u := range [...]*unit{&p.journal, &p.replicas} {
		if u.to == nil { // a unit that was begun has no end to send
			u.multi, u.first.held = false, false
		}
	}
	e.home.nameExpired()
	for _, w := range e.worlds {
		w.connectFollowers()
	}
}

// nameExpired makes the keyspace name expired elements if a part or a subscriber wants to know
// them.
func (w *World) nameExpired() {
	w.Keyspace.NameExpired = w.propagation.wanted() || w.engine.Config.Events.TellFields()
}

// receivers returns the function that sends a command to the replicas or to the journal, nil if no
// part wants changes.
func (e *Engine) receivers(replicas bool) Propagate {
	var all []Propagate
	for _, p := range e.Parts.List {
		if p.Propagate != nil && p.Replicates == replicas {
			all = append(all, p.Propagate)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(db int, args [][]byte) {
		for _, propagate := range all {
			propagate(db, args)
		}
	}
}

// wanted reports whether a part wants changes.
func (p *propagation) wanted() bool { return p.journal.to != nil || p.replicas.to != nil }

// propagate sends a command to those targets that want changes.
func (w *World) propagate(target Target, db int, args [][]byte) {
	if w.propagation.atOnce {
		w.beginTx(db)
	}
	if target&Journal != 0 {
		w.send(&w.propagation.journal, db, args)
	}
	if target&Replicas != 0 {
		w.send(&w.propagation.replicas, db, args)
	}
}

// send adds a command to a unit.
func (w *World) send(u *unit, db int, args [][]byte) {
	e := w.engine
	switch {
	case u.to == nil:
		return
	case u.multi, e.stack.depth == 0 && !u.first.held, e.stack.meetsAnyKeys():
	case u.first.held:
		e.beginMulti(u)
	case !w.propagation.atOnce:
		u.first.hold(db, args)
		return
	}
	u.to(db, args)
}

// meetsAnyKeys reports whether a client has called a command with AnyKeys, not in a transaction or
// a script.
func (s *stack) meetsAnyKeys() bool { return s.depth == 1 && s.calls[0].Cmd.Flags&command.AnyKeys != 0 }

// selectsInside is when SELECT began to stand after MULTI. Before, MULTI had the database of the
// first command.
var selectsInside = release.From("7.2.0")

// beginMulti sends MULTI and the command that was held back.
func (e *Engine) beginMulti(u *unit) {
	db := AnyDB
	if !e.Release.Has(selectsInside) {
		db = u.first.db
	}
	u.begin(db, AnyDB)
	u.first.release(u.to)
}

// begin sends MULTI, with the databases of MULTI and EXEC.
func (u *unit) begin(db, ends int) {
	u.multi, u.ends = true, ends
	u.to(db, [][]byte{[]byte("MULTI")})
}

// open reports whether a command was sent or held back.
func (p *propagation) open() bool {
	return p.journal.first.held || p.journal.multi || p.replicas.first.held || p.replicas.multi
}

// endUnits ends the units.
func (p *propagation) endUnits() {
	p.journal.end()
	p.replicas.end()
}

// end sends the only command of a unit, which was held back, or EXEC after several.
func (u *unit) end() {
	u.first.release(u.to)
	if u.multi {
		u.multi = false
		u.to(u.ends, [][]byte{[]byte("EXEC")})
	}
}

// InTx reports whether a command is running, whose changes are propagated as one unit.
func (e *Engine) InTx() bool { return e.stack.depth > 0 || e.Slow.session != nil }

// Propagates reports whether a journal or a replica receives changes. If not, Propagate has no
// effect and its arguments need not be built.
func (c *Call) Propagates() bool { return c.World.propagation.wanted() }

// PropagateAs sends args to the journal and the replicas instead of the command's own arguments. A
// handler uses it where replaying the command could give other data: a relative expiry becomes an
// absolute one. It is sent when the handler has returned, and args must stay valid until then.
func (c *Call) PropagateAs(args ...[]byte) { c.effect = args }

// Line returns arguments for Propagate or PropagateAs that begin with these, in memory that the
// call owns. Further ones may be appended.
func (c *Call) Line(args ...[]byte) [][]byte { return append(c.line[:0], args...) }

// Propagate sends args instead of the command's own arguments, for one of several commands that
// reproduce the change: they are sent in order.
func (c *Call) Propagate(args ...[]byte) {
	c.logged = true
	c.World.propagateEffect(c, args)
}

// ReplicateAs sends args to the replicas, and to the journal what PropagateAs got.
func (c *Call) ReplicateAs(args ...[]byte) {
	c.PropagateToJournal(c.effect...)
	c.effect = nil
	c.World.propagate(Replicas&^c.Session.unsent, c.DB.ID(), args)
}

// PropagateToJournal is Propagate for what replicas do not receive, because Redis does not send it
// and loses it at a restart.
func (c *Call) PropagateToJournal(args ...[]byte) {
	c.logged = true
	c.World.propagate(Journal&^c.Session.unsent, c.DB.ID(), args)
}

// PropagateNothing keeps the command itself from being propagated. Commands that it runs propagate
// themselves.
func (c *Call) PropagateNothing() { c.logged = true }

// propagateEffect sends a command that a call wants propagated.
func (w *World) propagateEffect(c *Call, args [][]byte) {
	w.propagate(Everywhere&^c.Session.unsent, c.DB.ID(), args)
}

// propagateChange sends what reproduces the change of a call that has ended.
func (w *World) propagateChange(c *Call) {
	switch {
	case c.effect != nil:
		w.propagateEffect(c, c.effect)
	case !c.logged:
		w.propagateEffect(c, c.Args)
		return
	}
	if c.line[0] != nil {
		clear(c.line[:]) // or it would keep the connections' buffers
	}
}

// PropagateRemoval propagates that the call removed a key. lazily is for UNLINK instead of DEL.
func (c *Call) PropagateRemoval(key []byte, lazily bool) {
	if c.Propagates() {
		c.PropagateAs(removal(lazily), key)
	}
}

// removal returns the command that removes a key: UNLINK if Redis would free the value in the
// background.
func removal(lazily bool) []byte {
	if lazily {
		return []byte("UNLINK")
	}
	return []byte("DEL")
}
