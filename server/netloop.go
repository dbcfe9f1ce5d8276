package server

import (
	"context"
	"net"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Event loops over any net.Conn. They serve connections that do not leave the process, see
// inprocess.go, and all connections where there are no others, see loops_net.go. A connection has
// two goroutines:
//
//	client ── end ──▶ receive ──▶ loop: conn.traffic
//	       ◀─ end ─── send ◀──── loop: conn.send
//
// Receive waits until the loop has handled what it read, so that input does not pile up. Send alone
// waits for a client that does not read: the loop never does, and sees what is unsent.

// newNetLoops returns n loops, which accept connections before they start.
func newNetLoops(s *Server, n int) (ls netLoops) {
	for range n {
		l := &netLoop{conns: make(map[*netConn]bool), ready: make(chan struct{}, 1), over: make(chan struct{})}
		l.interrupt = func() { signal(l.ready) }
		l.join(s)
		ls.loops = append(ls.loops, l)
	}
	return ls
}

func (ls *netLoops) start() {
	ctx, end := context.WithCancel(context.Background())
	ls.end = end
	for _, l := range ls.loops {
		go l.run(ctx)
	}
}

// stop ends the loops and their connections.
func (ls *netLoops) stop() {
	ls.end()
	for _, l := range ls.loops {
		<-l.over
	}
}

// run executes what there is to do until the context ends, and closes the connections.
func (l *netLoop) run(ctx context.Context) {
	defer close(l.over)
	for ctx.Err() == nil {
		l.endRound(true, !l.wait(ctx))
	}
	l.finish()
	for p := range l.conns {
		p.close()
	}
}

// wait waits until there is something to do, and reports whether it is more than a turn.
func (l *netLoop) wait(ctx context.Context) bool {
	if l.turns.pending() {
		select {
		case <-l.ready:
			return true
		default:
			runtime.Gosched()
			return false
		}
	}
	select {
	case <-l.ready:
	case <-ctx.Done():
	}
	return true
}

// serve serves a connection until it ends.
func (ls *netLoops) serve(end net.Conn, c *conn) {
	l := slices.MinFunc(ls.loops, func(a, b *netLoop) int { return byLoad(&a.loop, &b.loop) })
	l.load.Add(1)
	defer l.load.Add(-1)
	p := &netConn{end: end, loop: l, conn: c, ready: make(chan struct{}, 1)}
	p.receive()
}

// Sizes of the buffers that connections are read with. An idle one has the small buffer; one that
// fills it gets a large one for the moment.
const (
	smallRead = 1 << 10
	largeRead = 64 << 10
)

var largeReads = sync.Pool{New: func() any { b := make([]byte, largeRead); return &b }}

// receive passes what arrives to the loop until the connection ends.
func (p *netConn) receive() {
	handled := make(chan struct{}, 1)
	onLoop := func(fn func()) bool {
		ok := p.loop.execute(func() {
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
	p.conn.open(&p.loop.loop, p)
	go p.send()
}

func (p *netConn) handle(input []byte) {
	if !p.closed && len(input) > 0 {
		p.conn.handle(input)
	}
}

// close implements socket. What is unsent is sent, if the client takes it in time, unless the
// connection is broken.
func (p *netConn) close() {
	if p.closed {
		return
	}
	p.closed = true
	delete(p.loop.conns, p)
	broken := p.conn.close()
	switch {
	case p.conn.last != nil: // which ends it
	case broken || p.unsent() == 0:
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
func (l late) Write(b []byte) (int, error) { return len(b), l.p.write(b) }

// Close ends the connection when all is sent.
func (l late) Close() error {
	l.p.finish()
	return nil
}

// send writes the output to the connection, which waits until the client reads. After the last
// output it closes the connection.
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
		taken := len(p.output) == 0
		p.mu.Unlock()
		if taken && p.conn.streams.Load() {
			p.conn.Wake()
		}
		if err != nil || last {
			return
		}
	}
}

// fd implements socket.
func (p *netConn) fd() int { return -1 }

// read implements socket: only receive reads.
func (p *netConn) read([]byte) int { return 0 }

// write implements socket.
func (p *netConn) write(output []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = append(p.output, output...)
	signal(p.ready)
	return nil
}

// unsent implements socket.
func (p *netConn) unsent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.output) + p.sending
}

// another implements socket.
func (p *netConn) another() (net.Conn, error) { return late{p.end, p}, nil }

// signal makes a channel of capacity 1 ready.
func signal(ready chan struct{}) {
	select {
	case ready <- struct{}{}:
	default:
	}
}
