package server

import "time"

func (h *held) add(c *conn, out []byte, awaits bool) {
	h.out = append(h.out, out...)
	h.parts = append(h.parts, part{c, len(out), awaits})
	c.held++
}

// delays reports whether replies of n bytes to c must wait for the journal, or should wait because
// that pays.
func (g *group) delays(c *conn, n int, groupable bool) bool {
	if j := g.server.opts.Journal; j != nil && j.Behind() {
		g.owing = true
		return true
	}
	return c.held > 0 || groupable && !g.owing && n <= maxPart
}

// hold adds replies to the group, which await something at the barrier unless that is 0.
func (g *group) hold(c *conn, out []byte, awaits uint64) {
	if awaits != 0 && awaits != g.awaits {
		if g.awaits != 0 {
			g.flush()
		}
		g.awaits = awaits
	}
	if awaits != 0 || c.bound > 0 {
		g.bound.add(c, out, awaits != 0)
		c.bound++
		c.waiting += len(out)
	} else {
		g.free.add(c, out, false)
		if !g.owing && (len(g.free.parts) >= fewParts || len(g.free.out) >= fewBytes) {
			g.sendFree()
		}
	}
}

// endRound commits and sends the replies. If Commit fails it tries again later.
func (g *group) endRound() {
	if g.isEmpty() || g.failed {
		return
	}
	if g.failed = !g.flush(); g.failed {
		time.AfterFunc(retry, func() { g.loop.execute(func() { g.failed = false }) })
	}
}

// isEmpty reports whether no replies are held.
func (g *group) isEmpty() bool { return len(g.free.parts)+len(g.bound.parts) == 0 }

// flush commits and sends the replies. It reports false if Commit failed.
func (g *group) flush() bool {
	if g.owing && !g.server.opts.Journal.Commit() {
		return false
	}
	g.owing = false
	if bound := g.bound; len(bound.parts) > 0 {
		g.bound = held{}
		g.wait(bound)
	}
	g.sendFree()
	return true
}

// sendFree sends what waits for nothing more.
func (g *group) sendFree() {
	free := g.free
	g.free = held{}
	g.deliver(free, true)
	g.free.reuse(free)
}
