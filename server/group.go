package server

import (
	"context"
	"time"

	"github.com/panjf2000/gnet/v2"
)

// Journal is where the data is kept, as far as replies must know of it.
type Journal interface {
	// Behind reports whether replies must wait for Commit because they may promise what is not kept
	// yet. It is called after each batch, and must be cheap.
	Behind() bool
	// Commit keeps what was changed so far. It reports false if that is not possible now.
	Commit() bool
}

// group is the replies of an event loop that wait until it has come round. The loop's rounds are short, and
// what is sent in one go costs less: the client's thread is woken once, and meets many replies instead of
// one. So much for speed; replies that promise what the journal does not keep yet must wait, and what the
// loop executes until it comes round is kept by one Commit:
//
//	loop   Do hold Do hold Do hold ... Run: Commit, send, send, send
//
// A group belongs to its loop.
type group struct {
	server *Server
	loop   gnet.EventLoop
	out    []byte
	parts  []part // of out, in order
	armed  bool   // the loop will come round
	owing  bool   // some wait for the journal
	rounds rounds
	wakes  wakes // of the loop
}

// part is one reply's length, and whose it is.
type part struct {
	to *conn
	n  int
}

const (
	maxGroup = 1 << 20                // bytes of a buffer that is kept for the next group
	maxPart  = 16 << 10               // bytes of a reply that is worth a copy
	regroup  = 100 * time.Millisecond // after which a group is tried again whose Commit failed
)

// groupOf returns the group of an event loop.
func (s *Server) groupOf(loop gnet.EventLoop) *group {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[loop]
	if g == nil {
		g = &group{server: s, loop: loop, wakes: wakes{loop: loop}}
		s.groups[loop] = g
	}
	return g
}

// rounds tells whether replies meet others when they wait for the loop to come round. Where clients are
// slower than the server they meet few, and the round costs two system calls.
type rounds struct {
	mean    int // replies in a round, in 64ths; of the last few rounds
	skipped int // replies since the last round
}

const (
	crowd = 2 * 64 // mean from which replies should wait
	probe = 32     // replies after which one waits anyway, to see
)

// pay reports whether the next reply should wait.
func (r *rounds) pay() bool {
	r.skipped++
	return r.mean >= crowd || r.skipped >= probe
}

// ended notes a round of n replies.
func (r *rounds) ended(n int) {
	if n == 0 {
		return
	}
	r.mean += (n*64 - r.mean) / 8
	r.skipped = 0
}

// waits reports whether a reply of n bytes to c must wait, or should because that pays. Where others are to
// be woken it does not: who publishes next should do so before the loop turns to the listeners, who then get
// both messages in one write.
func (g *group) waits(c *conn, n int, pays bool) bool {
	if j := g.server.opts.Journal; j != nil && j.Behind() {
		g.owing = true
		return true
	}
	return c.held > 0 || pays && !g.owing && n <= maxPart && !g.wakes.due.Load() && (g.armed || g.rounds.pay())
}

// hold has a reply wait for the round's end.
func (g *group) hold(c *conn, out []byte) {
	g.out = append(g.out, out...)
	g.parts = append(g.parts, part{c, len(out)})
	c.held++
	if !g.armed {
		g.armed = true
		_ = g.loop.Execute(context.Background(), g)
	}
}

// Run implements gnet.Runnable: it keeps what the group's replies promise, and sends them. If that
// fails they go on waiting.
func (g *group) Run(ctx context.Context) error {
	if g.flush() {
		g.armed = false
	} else {
		time.AfterFunc(regroup, func() { _ = g.loop.Execute(ctx, g) })
	}
	return nil
}

// flush sends the replies if what they promise can be kept now.
func (g *group) flush() bool {
	if g.owing && !g.server.opts.Journal.Commit() {
		return false
	}
	g.owing = false
	g.rounds.ended(len(g.parts))
	out, parts := g.out, g.parts
	g.out, g.parts = nil, nil // a connection may break on the way, and come back to here
	rest := out
	for _, p := range parts {
		p.to.held--
		p.to.send(rest[:p.n])
		rest = rest[p.n:]
		if p.to.dying && p.to.held == 0 {
			p.to.Wake() // its end waited for this
		}
	}
	if g.parts == nil && cap(out) <= maxGroup {
		clear(parts)
		g.out, g.parts = out[:0], parts[:0]
	}
	return true
}
