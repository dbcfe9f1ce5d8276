package consensus

import (
	queue "container/list"
	"io"
	"net"
	"sync"
	"time"
)

// guests are the connections that others have opened to this member. Anybody who reaches the port
// can open one, say nothing, or announce much, so there are limits:
//
//	patience        for a handshake and the first request, for the rest of any request, and
//	                between two pieces of a snapshot
//	maxGuests       connections
//	maxIncoming     bytes of one request, without the snapshot behind it
//	maxAllIncoming  bytes of all requests that are being read or handled
//
// Beyond the last two a connection is closed: that for which this member has waited the longest. A
// member's are used again and again, so it is a stranger's.
type guests struct {
	patience time.Duration

	mu     sync.Mutex
	list   queue.List // of *guest, the longest awaited first
	bytes  int
	closed bool
}

// A guest waits for what its peer sends, or the peer waits for an answer.
type guest struct {
	net.Conn          // plain, or TLS over raw
	raw      net.Conn // closing it waits for nothing
	guests   *guests
	place    *queue.Element // nil: it has been closed
	bytes    int            // of the request that is being read or handled
	answers  bool           // this member is to answer
	bulk     bool           // a snapshot follows the request
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

// closeOne closes the connection that has been awaited the longest of those that the condition is
// for.
func (s *guests) closeOne(condition func(*guest) bool) bool {
	for e := s.list.Front(); e != nil; e = e.Next() {
		if g := e.Value.(*guest); !g.answers && condition(g) {
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

// held returns how many there are, and the bytes of their requests.
func (s *guests) held() (connections, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list.Len(), s.bytes
}

// Read counts what it reads, but for a snapshot's.
func (g *guest) Read(b []byte) (int, error) {
	if g.bulk {
		if err := g.SetReadDeadline(time.Now().Add(g.guests.patience)); err != nil {
			return 0, err
		}
		return g.Conn.Read(b)
	}
	n, err := g.Conn.Read(b)
	if n > 0 && !g.counts(n) {
		return 0, errManyGuests
	}
	if g.bytes > maxIncoming {
		return 0, errLongTalk
	}
	return n, err
}

// counts takes bytes into account, and closes other connections for them; false: this one was
// closed.
func (g *guest) counts(n int) bool {
	s := g.guests
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.place == nil {
		return false
	}
	g.bytes += n
	s.bytes += n
	for s.bytes > maxAllIncoming && s.closeOne(func(o *guest) bool { return o.bytes > 0 }) {
	}
	return g.place != nil
}

// asks begins a request, of which the first byte is there.
func (g *guest) asks() error { return g.SetReadDeadline(time.Now().Add(g.guests.patience)) }

// asked ends the reading of a request; a snapshot may follow.
func (g *guest) asked(bulk bool) {
	g.bulk = bulk
	g.guests.mu.Lock()
	defer g.guests.mu.Unlock()
	g.answers = true
}

// answered begins to wait for the next request, for as long as there is room.
func (g *guest) answered() error {
	s := g.guests
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.place == nil {
		return io.EOF
	}
	s.bytes -= g.bytes
	g.bytes, g.answers = 0, false
	s.list.MoveToBack(g.place)
	return g.SetDeadline(time.Time{})
}

func (g *guest) leave() {
	g.guests.mu.Lock()
	defer g.guests.mu.Unlock()
	g.guests.end(g)
}
