package engine

// A change reaches the journal and the replicas as commands that reproduce it, one or several. By default that is
// the command itself; Call.Propagate replaces it by one that gives the same data at any time and with any seed.
// Expiry and eviction propagate as DEL. Two or more changes of a transaction or script stand between MULTI and EXEC, so
// that a replica or a journal that breaks off never shows half of them.
//
//	change ─▶ Changed, Propagate ─▶ propagate ─┬▶ journal
//	                                           └▶ replicas

// Propagate receives the commands that reproduce each change, in order, each with its database; MULTI and EXEC have
// AnyDB. It must not keep args.
type Propagate func(db int, args [][]byte)

// AnyDB is the database of a command that means the same in each.
const AnyDB = -1

// propagation sends changes to the parts. The first change of a transaction is held back: only with a second one are
// they sent between MULTI and EXEC. So a transaction that changes nothing is not propagated.
type propagation struct {
	to    Propagate // nil if no part wants changes
	depth int       // of BeginTx
	multi bool      // MULTI was propagated, and EXEC must follow
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

// SetPropagate sends changes to a part from now on, or stops it if fn is nil. It is called under the lock,
// outside of transactions: a part must not begin in the middle of a unit.
func (e *Engine) SetPropagate(part string, fn Propagate) {
	e.part(part).Propagate = fn
	e.connectPropagation()
}

// connectPropagation prepares the function for the parts that want changes. Without any it is nil, so that
// an engine without journal and replicas pays one comparison.
func (e *Engine) connectPropagation() {
	var all []Propagate
	for _, p := range e.Parts.List {
		if p.Propagate != nil {
			all = append(all, p.Propagate)
		}
	}
	to := &e.propagation.to
	switch len(all) {
	case 0:
		*to = nil
	case 1:
		*to = all[0]
	default:
		*to = func(db int, args [][]byte) {
			for _, propagate := range all {
				propagate(db, args)
			}
		}
	}
	e.Keyspace.NameExpired = *to != nil
}

// propagate sends a command to the parts that want changes.
func (e *Engine) propagate(db int, args [][]byte) {
	p := &e.propagation
	switch {
	case p.to == nil:
		return
	case p.depth > 0 && !p.multi && !p.first.held:
		p.first.hold(db, args)
		return
	case p.first.held:
		p.multi = true
		p.to(AnyDB, [][]byte{[]byte("MULTI")})
		p.first.release(p.to)
	}
	p.to(db, args)
}

// BeginTx begins a unit of changes. Two or more until EndTx are propagated between MULTI and EXEC. Pairs may nest,
// as when EXEC runs EVAL; the outermost counts.
func (c *Call) BeginTx() { c.Engine.propagation.depth++ }

// EndTx ends what BeginTx began.
func (c *Call) EndTx() {
	p := &c.Engine.propagation
	if p.depth--; p.depth > 0 {
		return
	}
	p.first.release(p.to)
	if p.multi {
		p.multi = false
		p.to(AnyDB, [][]byte{[]byte("EXEC")})
	}
}

// InTx reports whether a transaction or script is running, whose changes are propagated as one unit.
func (e *Engine) InTx() bool { return e.propagation.depth > 0 || e.slow.session != nil }
