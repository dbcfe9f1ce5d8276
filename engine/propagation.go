package engine

// A change reaches the journal and the replicas as commands that reproduce it, one or several. By default that is
// the command itself; Call.Propagate replaces it by one that gives the same data at any time and with any seed.
// Expiry and eviction propagate as DEL. The changes of a transaction or script stand between MULTI and EXEC, so
// that a replica or a journal that breaks off never shows half of them.
//
//	change ─▶ Changed, Propagate ─▶ propagate ─┬▶ journal
//	                                           └▶ replicas

// Propagate receives the commands that reproduce each change, in order, each with its database. It must
// not keep args.
type Propagate func(db int, args [][]byte)

// propagation sends changes to the parts. MULTI is sent with the first change of a transaction and not at
// its start, so that a transaction that changes nothing is not propagated.
type propagation struct {
	to    Propagate // nil if no part wants changes
	depth int       // of BeginTx
	multi bool      // MULTI was propagated, and EXEC must follow
	db    int       // of the last change
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
	if p.to == nil {
		return
	}
	if p.depth > 0 {
		if !p.multi {
			p.multi = true
			p.to(db, [][]byte{[]byte("MULTI")})
		}
		p.db = db
	}
	p.to(db, args)
}

// BeginTx begins a unit of changes. Those until EndTx are propagated between MULTI and EXEC. Pairs may nest,
// as when EXEC runs EVAL; the outermost counts.
func (c *Call) BeginTx() { c.Engine.propagation.depth++ }

// EndTx ends what BeginTx began.
func (c *Call) EndTx() {
	p := &c.Engine.propagation
	p.depth--
	if p.depth == 0 && p.multi {
		p.multi = false
		p.to(p.db, [][]byte{[]byte("EXEC")})
	}
}

// InTx reports whether a transaction or script is running, whose changes are propagated as one unit.
func (e *Engine) InTx() bool { return e.propagation.depth > 0 || e.slow.session != nil }
