package server

// Barrier settles whether what replies tell is certain: see engine.Part.Awaits.
type Barrier interface {
	// Settle finds out whether everything is certain that commands have done up to now, under the number that Awaits gave. It does not
	// wait. It calls done once, from any goroutine: false if it is not certain and the connections are to end without their replies.
	Settle(awaited uint64, done func(certain bool))
}

// delivery is the replies of one round of a loop that wait at the barrier, or behind others that do:
//
//	loop   Do hold Do hold ... endRound: Settle ─▶ queue ... done ─▶ send, send
//
// Deliveries leave in order, so that the replies of a connection do.
type delivery struct {
	held
	group            *group
	settled, certain bool
}

// wait queues the replies of a round until they are certain.
func (g *group) wait(h held) {
	d := &delivery{held: h, group: g}
	g.queue = append(g.queue, d)
	awaits := g.awaits
	if g.awaits = 0; awaits == 0 {
		d.settle(true)
		return
	}
	g.server.opts.Barrier.Settle(awaits, func(certain bool) { g.loop.execute(func() { d.settle(certain) }) })
}

// settle delivers the replies, and those of later rounds that waited behind them.
func (d *delivery) settle(certain bool) {
	g := d.group
	d.settled, d.certain = true, certain
	for len(g.queue) > 0 && g.queue[0].settled {
		first := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		for _, p := range first.parts {
			p.to.bound--
			p.to.waiting -= p.n
		}
		g.deliver(first.held, first.certain)
		g.bound.reuse(first.held)
	}
}
