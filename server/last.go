package server

import (
	"net"
	"os"
	"time"
)

// last is the end of a connection whose client has closed its writing end, and still reads: the replies that wait at the barrier then.
// gnet closes its socket at once, so this has another descriptor of it.
type last struct {
	socket  net.Conn
	replies []byte
	lost    bool // they are not certain, and are not sent
}

// lastTime is how long a client may take to read its last replies.
const lastTime = 10 * time.Second

// keepOpen lets the replies that wait at the barrier reach the client after gnet has closed the connection.
func (c *conn) keepOpen() {
	if p, ok := c.gc.(*netConn); ok {
		c.last = &last{socket: late{p.end, p}}
		return
	}
	fd, err := c.gc.Dup()
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	if socket, err := net.FileConn(f); err == nil {
		c.last = &last{socket: socket}
	}
}

// send sends the replies and closes the socket. As the other methods it does nothing if l is nil.
func (l *last) send() {
	if l == nil {
		return
	}
	go func() {
		defer l.socket.Close()
		_ = l.socket.SetWriteDeadline(time.Now().Add(lastTime))
		_, _ = l.socket.Write(l.replies) // a client that has gone gets nothing
	}()
}

// add adds replies.
func (l *last) add(replies []byte) {
	if l != nil && !l.lost {
		l.replies = append(l.replies, replies...)
	}
}

// lose forgets the replies, and those that would follow.
func (l *last) lose() {
	if l != nil {
		l.replies, l.lost = nil, true
	}
}
