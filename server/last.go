package server

import (
	"net"
	"time"
)

// last is the end of a connection whose client has closed its writing end, and still reads: the
// replies that wait at the barrier then. the loop closes its end at once, so this has another.
type last struct {
	socket  net.Conn
	replies []byte
	lost    bool // they are not certain, and are not sent
}

// lastTime is how long a client may take to read its last replies.
const lastTime = 10 * time.Second

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
