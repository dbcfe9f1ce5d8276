package server

import (
	"context"
	"runtime"
	"time"

	"github.com/panjf2000/gnet/v2"
)

// Journal saves changes before replies promise them.
type Journal interface {
	// Behind reports whether replies must wait for Commit because changes are not saved yet. It is called after each
	// batch and must be cheap.
	Behind() bool
	// Commit saves all changes. It reports false if that is not possible now.
	Commit() bool
}

// group is the replies of an event loop that leave at the end of its round. There are two reasons to wait. Speed: rounds
// are short, and sending replies together costs less, since the client's thread wakes once and finds many replies
// instead of one. Durability: replies must wait until the journal has saved the changes, and one Commit serves all
// commands of the round:
//
//	loop   Do hold Do hold Do hold ... Run: Commit, send, send, send
//
// A group belongs to its loop.
type group struct {
	server *Server
	loop   gnet.EventLoop
	number int // of the loop, from 0
	moved  moved
	free   held   // what waits for the journal or the end of the round only
	bound  held   // what waits at the barrier, or behind such replies of its connection
	armed  bool   // the loop will call Run
	owing  bool   // replies wait for the journal
	awaits uint64 // what replies wait for at the barrier; 0 for nothing
	queue  []*delivery
	rounds rounds
	wakes  wakes // of the loop
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
	maxGroup = 1 << 20                // largest buffer that is kept for the next group, in bytes
	maxPart  = 16 << 10               // largest part that is worth a copy, in bytes
	retry    = 100 * time.Millisecond // delay after a failed Commit
)

// groupOf returns the group of an event loop. Loops are numbered as they get their first connections.
func (s *Server) groupOf(loop gnet.EventLoop) *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups {
		if g.loop == loop {
			return g
		}
	}
	g := &group{server: s, loop: loop, number: len(s.groups), wakes: wakes{loop: loop}}
	s.groups = append(s.groups, g)
	return g
}

// rounds estimates whether waiting for the end of the round brings replies together. If clients are slower than the
// server few meet, and the round costs two system calls.
type rounds struct {
	mean    int // moving average of parts in a round, in 64ths
	skipped int // parts since the last round
}

const (
	crowd = 2 * 64 // mean from which parts should wait
	probe = 32     // parts after which one waits anyway, to measure again
)

// pay reports whether the next part should wait.
func (r *rounds) pay() bool {
	r.skipped++
	return r.mean >= crowd || r.skipped >= probe
}

// ended counts a round of n parts.
func (r *rounds) ended(n int) {
	if n == 0 {
		return
	}
	r.mean += (n*64 - r.mean) / 8
	r.skipped = 0
}

// delays reports whether replies of n bytes to c must wait for the journal, or should wait because that pays. They
// should not while connections are to be woken: a publisher then sends its next message before the loop wakes the
// subscribers, and they get both messages in one write.
func (g *group) delays(c *conn, n int, groupable bool) bool {
	if j := g.server.opts.Journal; j != nil && j.Behind() {
		g.owing = true
		return true
	}
	return c.held > 0 || groupable && !g.owing && n <= maxPart && !g.wakes.due.Load() && (g.armed || g.rounds.pay())
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
	}
	if !g.armed {
		g.armed = true
		_ = g.loop.Execute(context.Background(), g)
	}
}

// Run implements gnet.Runnable: it commits and sends the replies. If Commit fails it tries again later.
func (g *group) Run(ctx context.Context) error {
	if g.flush() {
		g.armed = false
		g.yield()
	} else {
		time.AfterFunc(retry, func() { _ = g.loop.Execute(ctx, g) })
	}
	return nil
}

// yield lets other goroutines run if a save waits for its turn and the replies of the round are sent.
func (g *group) yield() {
	if !g.armed && g.server.engine.TurnDue() {
		runtime.Gosched()
	}
}

// flush commits and sends the replies. It reports false if Commit failed.
func (g *group) flush() bool {
	if g.owing && !g.server.opts.Journal.Commit() {
		return false
	}
	g.owing = false
	g.rounds.ended(len(g.free.parts) + len(g.bound.parts))
	free, bound := g.free, g.bound
	g.free, g.bound = held{}, held{} // a connection that breaks while sending calls flush again
	if len(bound.parts) > 0 {
		g.wait(bound)
	}
	g.deliver(free, true)
	g.free.reuse(free)
	return true
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
		if p.to.dying && p.to.held == 0 {
			p.to.Wake() // it closes when its output is sent
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
