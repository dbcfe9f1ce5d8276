package engine

import (
	"errors"
	"net"
)

// A server that follows another has a connection that it made itself. An event loop reads it like
// those of clients, so that no other thread wakes for each piece of what the master sends, and no
// other goroutine fights for the lock.

// Receive gets what has arrived, valid until it returns, and at last the error that ended the
// connection: io.EOF if the other end did. It is called on the event loop without the lock, at
// first with nothing. It returns false to get nothing more for some milliseconds; then it is called
// with nothing again. When the server stops, it is called no more, without an error: there is no
// loop any more that could read another connection.
type Receive func(data []byte, err error) (more bool)

// Feed is a connection that an event loop reads. Its methods do not wait, and may be called from
// any goroutine.
type Feed interface {
	// Write sends b. What the other end does not take at once ends the connection.
	Write(b []byte) (int, error)
	// Close ends the connection.
	Close() error
}

// Feed has an event loop read a connection, which belongs to it from now on. The error is
// errors.ErrUnsupported if no loop can: then the connection stays with the caller.
func (e *Engine) Feed(conn net.Conn, receive Receive) (Feed, error) {
	if feed := e.Parts.Host.Feed; feed != nil {
		return feed(conn, receive)
	}
	return nil, errors.ErrUnsupported
}
