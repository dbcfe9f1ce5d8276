package server

import (
	"context"
	"net"
	"sync"
)

// netLoops are the loops of a server.
type netLoops struct {
	loops []*netLoop
	end   context.CancelFunc
}

// netLoop executes what concerns its connections.
type netLoop struct {
	loop

	conns map[*netConn]bool // touched by the loop only
	ready chan struct{}     // there is work
	over  chan struct{}     // closed when run has returned
}

// netConn is the server's end of a connection. Its methods run on the loop, but for receive and
// send.
type netConn struct {
	end    net.Conn
	loop   *netLoop
	conn   *conn
	closed bool

	mu      sync.Mutex
	output  []byte        // to be sent
	sending int           // bytes that send has taken
	last    bool          // nothing follows output
	ready   chan struct{} // there is output, or the connection is closed
}
