package server

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

// deliver sends replies. If those that wait at the barrier are lost, it ends their connections
// instead.
func (g *group) deliver(h held, certain bool) {
	rest := h.out
	for _, p := range h.parts {
		p.to.held--
		if p.awaits && !certain {
			p.to.dying, p.to.broken = true, true
			p.to.last.lose()
		}
		p.to.send(rest[:p.n])
		rest = rest[p.n:]
		if p.to.held == 0 {
			p.to.last.send()
		}
		if p.to.held == 0 && (p.to.dying || p.to.streams.Load()) {
			p.to.Wake() // it closes when its output is sent, or sends more
		}
	}
}

// reuse takes over the room of replies that have been sent, unless new ones have come meanwhile.
func (h *held) reuse(sent held) {
	if h.parts == nil && cap(sent.out) <= maxGroup {
		clear(sent.parts)
		h.out, h.parts = sent.out[:0], sent.parts[:0]
	}
}
