package console

import (
	"io"
	"net"
	"sync"
	"time"
)

// bounded counts things of which there may be only so many.
type bounded struct {
	most int
	mu   sync.Mutex
	n    int
}

// take counts one more. It reports false if there are too many.
func (b *bounded) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n >= b.most {
		return false
	}
	b.n++
	return true
}

func (b *bounded) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n--
}

// bouncer is a listener that declines connections for which there is no room.
type bouncer struct {
	net.Listener
	room      *bounded
	declining *bounded
}

// Accept implements net.Listener.
func (b bouncer) Accept() (net.Conn, error) {
	for {
		nc, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if b.room.take() {
			return &counted{Conn: nc, room: b.room}, nil
		}
		b.decline(nc)
	}
}

// Limits of connections that are declined. Beyond, they are closed without a word.
const (
	maxDeclining   = 64
	declineTimeout = 2 * time.Second
)

const noRoom = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n" +
	"Connection: close\r\n\r\n" +
	`{"failure":"too many connections are open"}` + "\n"

// decline says that there is no room. It reads the request before, since closing while there is
// something to read would take the answer back.
func (b bouncer) decline(nc net.Conn) {
	if !b.declining.take() {
		_ = nc.Close()
		return
	}
	go func() {
		defer b.declining.giveBack()
		defer nc.Close()
		_ = nc.SetDeadline(time.Now().Add(declineTimeout))
		if _, err := nc.Read(make([]byte, maxHeader)); err == nil {
			_, _ = io.WriteString(nc, noRoom)
		}
	}()
}

// counted is a connection that gives its place back.
type counted struct {
	net.Conn
	room *bounded
	once sync.Once
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(c.room.giveBack)
	return c.Conn.Close()
}
