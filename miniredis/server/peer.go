package server

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
)

// Peer is a client, for the command that it has sent. Writing appends to its reply, which is sent
// when the command is over, at Flush, or when it is large. Block and all that writes may be called
// from any goroutine, also when the command is over: so a command sends messages later.
type Peer struct {
	Resp3       bool  // the client speaks RESP3: maps, sets and other types of it may be written
	SwitchResp3 *bool // the new value of Resp3 when the command is over; nil for the old one
	Ctx         any   // what the commands keep for the client. Package miniredis keeps its session there

	ClientName string // as CLIENT SETNAME has set it

	conn net.Conn // nil for a peer of NewPeer

	writing sync.Mutex
	out     *bufio.Writer

	mu      sync.Mutex
	over    bool
	atEnd   []func()
	running bool // a command
	closing bool
	open    context.Context // ends with the connection
	cancel  context.CancelFunc
}

// NewPeer returns a client without a connection, whose replies go to w.
func NewPeer(w *bufio.Writer) *Peer {
	c := &Peer{out: w}
	c.open, c.cancel = context.WithCancel(context.Background())
	return c
}

// Block lets a function write without what others write in between.
func (c *Peer) Block(f func(w *Writer)) {
	c.writing.Lock()
	defer c.writing.Unlock()
	f(&Writer{c.out, c.Resp3})
}

// RemoteAddr returns the address of the client; "" for a peer without a connection.
func (c *Peer) RemoteAddr() string {
	if c.conn == nil {
		return ""
	}
	return c.conn.RemoteAddr().String()
}

// LocalAddr returns the address that the client has connected to; "" for a peer without a
// connection.
func (c *Peer) LocalAddr() string {
	if c.conn == nil {
		return ""
	}
	return c.conn.LocalAddr().String()
}

// Flush sends what is written.
func (c *Peer) Flush() { c.Block(func(w *Writer) { w.Flush() }) }

// Close ends the connection when the command that runs is over; at once if none does.
func (c *Peer) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing = true; !c.running && c.conn != nil {
		_ = c.conn.Close()
	}
}

// runs notes that a command begins, or is over. It reports whether the connection is to end.
func (c *Peer) runs(running bool) (ends bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = running
	return c.closing
}

// Closed reports whether Close was called, or the connection has ended.
func (c *Peer) Closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing || c.over
}

// Done returns a channel that is closed when the client has hung up, or the server ends. A command
// that waits should end then.
func (c *Peer) Done() <-chan struct{} { return c.open.Done() }

// OnDisconnect adds a function that runs when the connection has ended; at once if it has.
func (c *Peer) OnDisconnect(f func()) {
	c.mu.Lock()
	if !c.over {
		c.atEnd = append(c.atEnd, f)
		f = func() {}
	}
	c.mu.Unlock()
	f()
}

// end ends the peer.
func (c *Peer) end() {
	c.cancel()
	c.mu.Lock()
	c.over = true
	fns := c.atEnd
	c.atEnd = nil
	c.mu.Unlock()
	for _, f := range fns {
		f()
	}
}

// endCommand is called when a command is over.
func (c *Peer) endCommand() {
	if c.SwitchResp3 != nil {
		c.writing.Lock()
		c.Resp3, c.SwitchResp3 = *c.SwitchResp3, nil
		c.writing.Unlock()
	}
}

// serve executes the requests of the connection until it ends.
func (c *Peer) serve(dispatch func(c *Peer, args []string)) {
	in := newRequests()
	go in.read(c.conn, c.cancel)
	defer c.cancel()
	for {
		args, err := in.next()
		if c.runs(true) {
			return
		}
		if err == nil {
			dispatch(c, args)
		} else if flaw, is := errors.AsType[protocolError](err); is {
			c.WriteError("ERR Protocol error: " + string(flaw))
		}
		if c.Flush(); c.runs(false) || err != nil {
			return
		}
	}
}
