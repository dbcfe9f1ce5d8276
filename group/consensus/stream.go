package consensus

import (
	"cmp"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// stream opens and accepts connections between members, and closes all of them at the end.
type stream struct {
	net.Listener
	address advertised
	tls     *tls.Config
	cut     func() error // why nothing arrives and leaves; nil without a test
	card    string       // what others learn of this member when they connect to it
	dialed  func(to raft.ServerAddress, err error)

	mu     sync.Mutex
	conns  map[net.Conn]bool
	cards  map[raft.ServerAddress]string // of those to which this member has connected
	closed bool
}

// A connection begins with the card of the member that accepts it: a byte with its length, and the text.
const maxCard = 255

// advertised is the address that other members use, as a net.Addr.
type advertised string

func (advertised) Network() string  { return "tcp" }
func (a advertised) String() string { return string(a) }

func newStream(l net.Listener, address string, o Options) *stream {
	return &stream{Listener: l, address: advertised(address), tls: o.TLS, cut: o.cut, card: o.Card[:min(len(o.Card), maxCard)],
		conns: make(map[net.Conn]bool), cards: make(map[raft.ServerAddress]string)}
}

func (s *stream) broken() error {
	if s.cut == nil {
		return nil
	}
	return s.cut()
}

// Addr implements net.Listener.
func (s *stream) Addr() net.Addr { return s.address }

// Dial implements raft.StreamLayer.
func (s *stream) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	c, err := s.dial(address, timeout)
	s.dialed(address, err)
	return c, err
}

func (s *stream) dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	if err := s.broken(); err != nil {
		return nil, err
	}
	c, err := s.add(s.open(address, timeout))
	if err != nil {
		return nil, err
	}
	if err := s.readCard(address, c, timeout); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (s *stream) open(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	if s.tls == nil {
		return d.Dial("tcp", string(address))
	}
	return tls.DialWithDialer(&d, "tcp", string(address), s.tls)
}

// readCard notes the card of the member to which a connection was opened.
func (s *stream) readCard(address raft.ServerAddress, c net.Conn, timeout time.Duration) error {
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	card := make([]byte, 1, 1+maxCard)
	if _, err := io.ReadFull(c, card); err != nil {
		return err
	}
	card = card[:card[0]]
	if _, err := io.ReadFull(c, card); err != nil {
		return err
	}
	s.mu.Lock()
	s.cards[address] = string(card)
	s.mu.Unlock()
	return c.SetDeadline(time.Time{})
}

// cardOf returns the card of another member; "" while this member has not connected to it.
func (s *stream) cardOf(address raft.ServerAddress) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cards[address]
}

// Accept implements net.Listener.
func (s *stream) Accept() (net.Conn, error) {
	c, err := s.add(s.Listener.Accept())
	if err != nil {
		return nil, err
	}
	return &accepted{Conn: c, card: append([]byte{byte(len(s.card))}, s.card...)}, nil
}

// accepted is a connection whose first read sends the card: whoever accepts connections does not wait for a slow peer.
type accepted struct {
	net.Conn
	card []byte // nil once it is sent
}

func (a *accepted) Read(b []byte) (int, error) {
	if card := a.card; card != nil {
		a.card = nil
		if _, err := a.Conn.Write(card); err != nil {
			return 0, err
		}
	}
	return a.Conn.Read(b)
}

func (s *stream) add(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return nil, net.ErrClosed
	}
	s.conns[c] = true
	return &conn{c, s}, nil
}

// Close implements net.Listener.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	return s.Listener.Close()
}

// conn is a connection that its stream can close.
type conn struct {
	net.Conn
	stream *stream
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, cmp.Or(c.stream.broken(), err)
}

func (c *conn) Write(b []byte) (int, error) {
	if err := c.stream.broken(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.stream.mu.Lock()
	delete(c.stream.conns, c.Conn)
	c.stream.mu.Unlock()
	return c.Conn.Close()
}

// listen opens the port of an address that the other members use; this machine may have another address, behind a translation say.
func listen(address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return net.Listen("tcp", net.JoinHostPort("", port))
}
