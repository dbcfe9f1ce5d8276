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

// group is the replies of an event loop that wait for the journal. All that the loop executes until it
// comes round to the group is kept by one Commit:
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
	wakes  wakes  // of the loop
}

// part is one reply's length, and whose it is.
type part struct {
	to *conn
	n  int
}

const (
	maxGroup = 1 << 20                // bytes of a buffer that is kept for the next group
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

// behind reports whether a reply to c must wait: for the journal, or for another that does.
func (c *conn) behind() bool {
	return c.held > 0 || c.server.opts.Journal != nil && c.server.opts.Journal.Behind()
}

// hold has a reply wait for the journal.
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
	if !g.server.opts.Journal.Commit() {
		return false
	}
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
