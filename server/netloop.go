package server

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
)

// Event loops of this package's own, over any net.Conn. They serve connections that do not leave the process, see inprocess.go, and all
// connections where gnet has no event loops, see portable.go. A connection has two goroutines, and for the loop the place of gnet's, so that it
// is the same conn in all cases:
//
//	client ── end ──▶ receive ──▶ loop: conn.traffic
//	       ◀─ end ─── send ◀──── loop: conn.send
//
// Receive waits until the loop has handled what it read, so that input does not pile up. Send alone waits for a client that does not read: the loop
// never does, and sees what is unsent.

// netLoop executes what concerns the connections of pipes, one after another.
type netLoop struct {
	gnet.EventLoop // nil: connections and groups call only the methods that are declared here

	conns map[*netConn]bool // touched by the loop only
	ready chan struct{}     // there is work

	load  atomic.Int64  // connections that it has or will have
	ended chan struct{} // closed when run has returned

	mu      sync.Mutex
	work    []func()
	stopped bool
}

func newNetLoop() *netLoop {
	return &netLoop{conns: make(map[*netConn]bool), ready: make(chan struct{}, 1), ended: make(chan struct{})}
}

// do has the loop execute fn. It reports false if the loop has ended.
func (l *netLoop) do(fn func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return false
	}
	l.work = append(l.work, fn)
	signal(l.ready)
	return true
}

// run executes what there is to do until the context ends, and closes the connections.
func (l *netLoop) run(ctx context.Context) {
	defer close(l.ended)
	for {
		select {
		case <-l.ready:
			for _, fn := range l.take(false) {
				fn()
			}
		case <-ctx.Done():
			for _, fn := range l.take(true) {
				fn()
			}
			for p := range l.conns {
				p.close()
			}
			return
		}
	}
}

// take returns the work there is, the last if the loop ends.
func (l *netLoop) take(last bool) (work []func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	work, l.work, l.stopped = l.work, nil, last
	return work
}

// Execute implements gnet.EventLoop.
func (l *netLoop) Execute(ctx context.Context, r gnet.Runnable) error {
	l.do(func() { _ = r.Run(ctx) })
	return nil
}

// Close implements gnet.EventLoop.
func (l *netLoop) Close(gc gnet.Conn) error {
	gc.(*netConn).close()
	return nil
}

// netConn is the server's end of a connection. Its methods run on the loop, but for receive and send.
type netConn struct {
	gnet.Conn // nil, as above

	end    net.Conn
	server *Server
	loop   *netLoop
	conn   *conn
	input  []byte
	closed bool

	mu      sync.Mutex
	output  []byte        // to be sent
	sending int           // bytes that send has taken
	last    bool          // nothing follows output
	ready   chan struct{} // there is output, or the connection is closed
}

// startNetLoops starts the loops of this package.
func (s *Server) startNetLoops() {
	ctx, end := context.WithCancel(context.Background())
	s.endNetLoops = end
	for _, l := range s.netLoops {
		go l.run(ctx)
	}
}

// stopNetLoops ends the loops and their connections.
func (s *Server) stopNetLoops() {
	s.endNetLoops()
	for _, l := range s.netLoops {
		<-l.ended
	}
}

// serveOn serves a connection on a loop until it ends.
func (s *Server) serveOn(l *netLoop, end net.Conn, c *conn) {
	p := &netConn{end: end, server: s, loop: l, conn: c, ready: make(chan struct{}, 1)}
	l.load.Add(1)
	p.receive()
	l.load.Add(-1)
}

// Sizes of the buffers that connections are read with. An idle one has the small buffer; one that fills it gets a large one for the moment.
const (
	smallRead = 1 << 10
	largeRead = 64 << 10
)

var largeReads = sync.Pool{New: func() any { b := make([]byte, largeRead); return &b }}

// receive passes what arrives to the loop until the connection ends.
func (p *netConn) receive() {
	handled := make(chan struct{}, 1)
	onLoop := func(fn func()) bool {
		ok := p.loop.do(func() {
			fn()
			handled <- struct{}{}
		})
		if ok {
			<-handled
		}
		return ok
	}
	if !onLoop(p.open) {
		_ = p.end.Close()
		return
	}
	buffer := make([]byte, smallRead)
	for {
		n, err := p.end.Read(buffer)
		onLoop(func() { p.handle(buffer[:n]) })
		for n == len(buffer) && err == nil {
			n, err = p.receiveMore(onLoop)
		}
		if err != nil {
			break
		}
	}
	onLoop(p.close)
}

// receiveMore reads with a large buffer. It returns smallRead for n if the buffer was full.
func (p *netConn) receiveMore(onLoop func(func()) bool) (n int, err error) {
	large := largeReads.Get().(*[]byte)
	defer largeReads.Put(large)
	n, err = p.end.Read(*large)
	onLoop(func() { p.handle((*large)[:n]) })
	if n == largeRead {
		return smallRead, err
	}
	return 0, err
}

func (p *netConn) open() {
	p.loop.conns[p] = true
	_, _ = p.server.OnOpen(p)
	go p.send()
}

func (p *netConn) handle(input []byte) {
	if p.closed || len(input) == 0 {
		return
	}
	if p.input = input; p.server.OnTraffic(p) == gnet.Close {
		p.close()
	}
}

// close ends the connection. What is unsent is sent, if the client takes it in time, unless the connection is broken.
func (p *netConn) close() {
	if p.closed {
		return
	}
	p.closed = true
	delete(p.loop.conns, p)
	broken := p.conn.broken
	p.server.OnClose(p, nil)
	switch {
	case p.conn.last != nil: // which ends it
	case broken || p.OutboundBuffered() == 0:
		_ = p.end.Close()
		p.finish()
	default:
		p.finish()
	}
}

// finish ends the connection when its output is sent, or the client does not take it in time.
func (p *netConn) finish() {
	_ = p.end.SetDeadline(time.Now().Add(closeTimeout))
	p.mu.Lock()
	p.last = true
	p.mu.Unlock()
	signal(p.ready)
}

// late is a connection that its loop has closed, for the last replies.
type late struct {
	net.Conn
	p *netConn
}

// Write sends a reply behind those that are unsent.
func (l late) Write(b []byte) (int, error) { return l.p.Write(b) }

// Close ends the connection when all is sent.
func (l late) Close() error {
	l.p.finish()
	return nil
}

// send writes the output to the connection, which waits until the client reads. After the last output it closes the connection.
func (p *netConn) send() {
	defer func() { _ = p.end.Close() }()
	for range p.ready {
		p.mu.Lock()
		output, last := p.output, p.last
		p.output, p.sending = nil, len(output)
		p.mu.Unlock()
		var err error
		if len(output) > 0 {
			_, err = p.end.Write(output)
		}
		p.mu.Lock()
		p.sending = 0
		p.mu.Unlock()
		if err != nil || last {
			return
		}
	}
}

// Context implements gnet.Conn.
func (p *netConn) Context() any { return p.conn }

// EventLoop implements gnet.Conn.
func (p *netConn) EventLoop() gnet.EventLoop { return p.loop }

// Fd implements gnet.Conn.
func (p *netConn) Fd() int { return -1 }

// Next implements gnet.Conn: it returns all that has arrived.
func (p *netConn) Next(int) ([]byte, error) {
	input := p.input
	p.input = nil
	return input, nil
}

// Write implements gnet.Conn: it does not wait.
func (p *netConn) Write(output []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = append(p.output, output...)
	signal(p.ready)
	return len(output), nil
}

// OutboundBuffered implements gnet.Conn.
func (p *netConn) OutboundBuffered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.output) + p.sending
}

// signal makes a channel of capacity 1 ready.
func signal(ready chan struct{}) {
	select {
	case ready <- struct{}{}:
	default:
	}
}
