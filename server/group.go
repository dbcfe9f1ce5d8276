package server

import "time"

// Journal saves changes before replies promise them.
type Journal interface {
	// Behind reports whether replies must wait for Commit because changes are not saved yet. It is called after each
	// batch and must be cheap.
	Behind() bool
	// Commit saves all changes. It reports false if that is not possible now.
	Commit() bool
}

// group is the replies of an event loop that leave together. There are two reasons to wait. Speed: sending replies
// together costs less, since the client's thread wakes once and finds several instead of one; more than a few would let it
// idle while the loop works. Durability: replies must wait until the journal has saved the changes, and one Commit at the
// end of the round serves all its commands:
//
//	loop   Do hold Do hold Do hold ... endRound: Commit, send, send, send
//
// A group belongs to its loop.
type group struct {
	server *Server
	loop   *loop
	free   held   // what waits for the journal, or for a few others in the round
	bound  held   // what waits at the barrier, or behind such replies of its connection
	owing  bool   // replies wait for the journal
	failed bool   // it could not save, and is tried again later
	awaits uint64 // what replies wait for at the barrier; 0 for nothing
	queue  []*delivery
}

// part is the replies of one batch in out: their connection and their length.
type part struct {
	to     *conn
	n      int
	awaits bool // it waits at the barrier
}

// held is replies that wait together.
type held struct {
	out   []byte
	parts []part // of out, in order
}

func (h *held) add(c *conn, out []byte, awaits bool) {
	h.out = append(h.out, out...)
	h.parts = append(h.parts, part{c, len(out), awaits})
	c.held++
}

const (
	fewParts = 12                     // replies that leave together if they wait for nothing else
	fewBytes = 32 << 10               // bytes of them after which they leave
	maxGroup = 1 << 20                // largest buffer that is kept for the next group, in bytes
	maxPart  = 16 << 10               // largest part that is worth a copy, in bytes
	retry    = 100 * time.Millisecond // delay after a failed Commit
)

// delays reports whether replies of n bytes to c must wait for the journal, or should wait because that pays.
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

// deliver sends replies. If those that wait at the barrier are lost, it ends their connections instead.
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
