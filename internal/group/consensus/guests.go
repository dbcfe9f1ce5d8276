package consensus

import (
	linked "container/list"
	"net"
	"sync"
	"time"
)

// guests are the connections that others have opened to this member. Anybody who reaches the port
// can open one, say nothing, or announce much, so there are limits:
//
//	patience        for a handshake and hello, for the rest of any message, and between two pieces
//	                of a snapshot
//	maxGuests       connections
//	maxIncoming     bytes of one message
//	maxAllIncoming  bytes of all messages that are being read, or wait for the loop
//
// Beyond the second and the last a connection is closed: that which has been silent the longest.
// Members call again and again, so it is a stranger's.
type guests struct {
	patience time.Duration

	mu     sync.Mutex
	list   linked.List // of *guest, the longest silent first
	bytes  int
	closed bool
}

// A guest is one of these connections.
type guest struct {
	net.Conn          // plain, or TLS over raw
	raw      net.Conn // closing it waits for nothing
	guests   *guests
	place    *linked.Element // nil: it has been closed
	bytes    int
}

const (
	maxGuests      = 128
	maxIncoming    = 16 << 20
	maxAllIncoming = 2 * maxIncoming
)

// add takes a connection in, if there is room or another can be closed; nil if not.
func (s *guests) add(raw net.Conn) *guest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.list.Len() >= maxGuests && !s.closeOne(func(*guest) bool { return true }) {
		raw.Close()
		return nil
	}
	g := &guest{Conn: raw, raw: raw, guests: s}
	g.place = s.list.PushBack(g)
	return g
}

// closeOne closes the connection that has been silent the longest of those that the condition is
// for.
func (s *guests) closeOne(condition func(*guest) bool) bool {
	for e := s.list.Front(); e != nil; e = e.Next() {
		if g := e.Value.(*guest); condition(g) {
			s.end(g)
			return true
		}
	}
	return false
}

func (s *guests) end(g *guest) {
	g.raw.Close()
	if g.place != nil {
		s.list.Remove(g.place)
		s.bytes -= g.bytes
		g.place = nil
	}
}

// close closes all of them, and lets no other in.
func (s *guests) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for s.list.Len() > 0 {
		s.end(s.list.Front().Value.(*guest))
	}
}

// held returns how many there are, and the bytes of their messages.
func (s *guests) held() (connections, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.Len(), s.bytes
}

// brings takes bytes into account that are going to be read, and closes other connections for
// them.
func (g *guest) brings(n int) error {
	s := g.guests
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.place == nil {
		return net.ErrClosed
	}
	g.bytes += n
	s.bytes += n
	for s.bytes > maxAllIncoming && s.closeOne(func(o *guest) bool { return o.bytes > 0 }) {
	}
	if g.place == nil {
		return errManyGuests
	}
	return nil
}

// taken gives bytes back, when the loop has the message.
func (g *guest) taken(n int) {
	if g == nil {
		return
	}
	s := g.guests
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.place != nil {
		g.bytes -= n
		s.bytes -= n
	}
}

// spoke notes that something whole has come.
func (g *guest) spoke() {
	s := g.guests
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.place != nil {
		s.list.MoveToBack(g.place)
	}
}

// limit gives what is to come patience.
func (g *guest) limit() error { return g.SetReadDeadline(time.Now().Add(g.guests.patience)) }

func (g *guest) leave() {
	g.guests.mu.Lock()
	defer g.guests.mu.Unlock()
	g.guests.end(g)
}
