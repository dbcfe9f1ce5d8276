package group

// isSettled reports whether all changes of a key are committed.
func (g *Group) isSettled(key []byte) bool {
	return g.leading && g.settled.after(g.own.applied, key)
}

// awaits is what replies wait for: the seat under which they were made; 0 for nothing. A member
// that does not lead has only committed data. Nor does the leader's reply wait if the keys are
// settled, and the lease tells that no other member leads.
func (g *Group) awaits(settled bool) uint64 {
	if !g.leading || settled && g.params.lease && g.log.Leased() {
		return 0
	}
	return g.own.seat
}

// Settle implements server.Barrier: done is called when all that the seat has executed so far is
// known to be committed, or lost. Those who come while enough rounds are under way share the next
// one.
func (g *Group) Settle(seat uint64, done func(certain bool)) {
	lost := false
	g.engine.With(func() {
		if lost = !g.leading || g.own.seat != seat; !lost {
			g.rounds.waiters = append(g.rounds.waiters, done)
			g.begin()
		}
	})
	if lost {
		done(false)
	}
}

// begin begins a round if there is a reason for one, and not too many are under way.
func (g *Group) begin() {
	switch {
	case len(g.rounds.list) >= maxUnderWay:
	case g.effects.ready():
		g.append()
	case len(g.rounds.waiters) > 0:
		r := g.newRound()
		g.log.Verify(func(err error) { g.end(r, err) })
	}
}

// append begins a round with an entry, which may be empty but for the time. If a part of a unit
// stays behind, no key is settled: which ones the rest changes is not known yet.
func (g *Group) append() {
	r := g.newRound()
	r.isEntry = true
	g.own.executed++
	g.rounds.appendedAt = r.began
	entry := g.entry()
	if g.effects.some() { // a unit that is not complete
		g.settled.all = g.own.executed + 1
	}
	g.log.Append(r.seat, entry, func(err error) { g.end(r, err) })
}

func (g *Group) newRound() *round {
	r := &round{seat: g.own.seat, began: g.opts.Nanos(), waiters: g.rounds.waiters}
	g.rounds.waiters = nil
	g.rounds.list = append(g.rounds.list, r)
	return r
}

// end is called when it is known what became of a round. Rounds may be answered in any order, but
// are released in theirs: a reply may tell of entries of earlier rounds.
func (g *Group) end(r *round, err error) {
	g.engine.With(func() {
		switch {
		case !g.leading || g.own.seat != r.seat: // lose has released it
		case err != nil && r.isEntry:
			g.lose()
		default:
			r.answered, r.certain = true, err == nil
			if r.isEntry {
				g.engine.Home().AddLatency("group-commit", (g.opts.Nanos()-r.began)/1e3)
			}
			g.rounds.release()
			g.begin()
		}
	})
}
