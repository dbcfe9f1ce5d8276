package server

import (
	"context"
	"net"
	"sync"

	"github.com/panjf2000/gnet/v2"
)

// Connections that do not leave the process. Dial returns one end of a net.Pipe. The other end is served by a loop that has the
// place of gnet's, so that a connection is the same conn in both cases:
//
//	client ── pipe ──▶ receive ──▶ loop: conn.traffic
//	       ◀─ pipe ─── send ◀──── loop: conn.send
//
// All of them wait on channels, mutexes and timers only. So in a bubble of testing/synctest the server has the bubble's time.

// pipeLoop executes what concerns the connections of pipes, one after another.
type pipeLoop struct {
	gnet.EventLoop // nil: connections and groups call only the methods that are declared here

	conns map[*pipe]bool // touched by the loop only
	ready chan struct{}  // there is work

	mu    sync.Mutex
	work  []func()
	ended bool
}

func newPipeLoop() *pipeLoop {
	return &pipeLoop{conns: make(map[*pipe]bool), ready: make(chan struct{}, 1)}
}

// do has the loop execute fn. It reports false if the loop has ended.
func (l *pipeLoop) do(fn func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.work = append(l.work, fn)
	signal(l.ready)
	return true
}

// run executes what there is to do until the context ends, and closes the connections.
func (l *pipeLoop) run(ctx context.Context) {
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
func (l *pipeLoop) take(last bool) (work []func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	work, l.work, l.ended = l.work, nil, last
	return work
}

// Execute implements gnet.EventLoop.
func (l *pipeLoop) Execute(ctx context.Context, r gnet.Runnable) error {
	l.do(func() { _ = r.Run(ctx) })
	return nil
}

// Close implements gnet.EventLoop.
func (l *pipeLoop) Close(gc gnet.Conn) error {
	gc.(*pipe).close()
	return nil
}

// pipe is the server's end of a connection. Its methods run on the loop, but for receive and send.
type pipe struct {
	gnet.Conn // nil, as above

	end    net.Conn
	server *Server
	conn   *conn
	input  []byte
	closed bool

	mu      sync.Mutex
	output  []byte        // to be sent
	sending int           // bytes that send has taken
	ready   chan struct{} // there is output, or the connection is closed
}

// Dial returns a connection to the server of a process that has no listeners.
func (s *Server) Dial() net.Conn {
	client, end := net.Pipe()
	go func() {
		if !s.refuses(end) {
			p := &pipe{end: end, server: s, ready: make(chan struct{}, 1)}
			p.conn = &conn{server: s, in: &nothing, from: endpoint(end), ended: func() {}}
			p.receive()
		}
	}()
	return client
}

// runPipes is Run for a server without listeners.
func (s *Server) runPipes(ctx context.Context) error {
	ending, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		s.pipes.run(ending)
		close(ended)
	}()
	err := s.serve(ctx)
	end()
	<-ended
	return err
}

// receive passes what arrives to the loop until the connection ends.
func (p *pipe) receive() {
	handled := make(chan struct{}, 1)
	onLoop := func(fn func()) bool {
		ok := p.server.pipes.do(func() {
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
	buffer := make([]byte, 16<<10)
	for err := error(nil); err == nil; {
		var n int
		n, err = p.end.Read(buffer)
		onLoop(func() { p.handle(buffer[:n]) })
	}
	onLoop(p.close)
}

func (p *pipe) open() {
	p.server.pipes.conns[p] = true
	_, _ = p.server.OnOpen(p)
	go p.send()
}

func (p *pipe) handle(input []byte) {
	if p.closed || len(input) == 0 {
		return
	}
	if p.input = input; p.server.OnTraffic(p) == gnet.Close {
		p.close()
	}
}

func (p *pipe) close() {
	if p.closed {
		return
	}
	p.closed = true
	delete(p.server.pipes.conns, p)
	p.server.OnClose(p, nil)
	_ = p.end.Close()
	signal(p.ready)
}

// send writes the output to the pipe, which waits until the client reads.
func (p *pipe) send() {
	for range p.ready {
		p.mu.Lock()
		output := p.output
		p.output, p.sending = nil, len(output)
		p.mu.Unlock()
		_, err := p.end.Write(output)
		p.mu.Lock()
		p.sending = 0
		p.mu.Unlock()
		if err != nil {
			return // closed by either side
		}
	}
}

// Context implements gnet.Conn.
func (p *pipe) Context() any { return p.conn }

// EventLoop implements gnet.Conn.
func (p *pipe) EventLoop() gnet.EventLoop { return p.server.pipes }

// Fd implements gnet.Conn.
func (p *pipe) Fd() int { return -1 }

// Next implements gnet.Conn: it returns all that has arrived.
func (p *pipe) Next(int) ([]byte, error) {
	input := p.input
	p.input = nil
	return input, nil
}

// Write implements gnet.Conn: it does not wait.
func (p *pipe) Write(output []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = append(p.output, output...)
	signal(p.ready)
	return len(output), nil
}

// OutboundBuffered implements gnet.Conn.
func (p *pipe) OutboundBuffered() int {
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
