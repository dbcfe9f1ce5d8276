package consensus

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// stream opens and accepts connections between members, and closes all of them at the end.
type stream struct {
	net.Listener
	guests   guests
	address  advertised
	tls      *tls.Config
	patience time.Duration
	cut      func() error  // why nothing arrives and leaves; nil without a test
	card     string        // what others learn of this member when they connect to it
	identity func() uint64 // of the group
	dialed   func(to raft.ServerAddress, err error)
	opens    context.Context // until the end
	end      context.CancelFunc

	mu     sync.Mutex
	conns  map[*conn]bool                // that this member has opened
	cards  map[raft.ServerAddress]string // of those to which this member has connected
	closed bool
}

// A connection begins with what the member that accepts it tells of itself: a byte with the length
// of the rest, the group's identity, and the card.
const (
	identitySize = 8
	maxCard      = 255 - identitySize
)

// advertised is the address that other members use, as a net.Addr.
type advertised string

func (advertised) Network() string  { return "tcp" }
func (a advertised) String() string { return string(a) }

func newStream(l net.Listener, address string, o Options) *stream {
	s := &stream{Listener: l, address: advertised(address), tls: o.TLS, patience: o.patience, cut: o.cut,
		conns: make(map[*conn]bool), cards: make(map[raft.ServerAddress]string)}
	s.guests.patience = o.patience
	s.card = o.Card[:min(len(o.Card), maxCard)]
	s.opens, s.end = context.WithCancel(context.Background())
	return s
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
	if s.opens.Err() == nil {
		s.dialed(address, err)
	}
	return c, err
}

func (s *stream) dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	if err := s.broken(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(s.opens, timeout)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(limited, "tcp", string(address))
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, raw: raw, stream: s}
	if err := cmp.Or(s.add(c), s.secure(limited, c, address), s.readCard(address, c, timeout)); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// secure begins TLS, if that is used.
func (s *stream) secure(limited context.Context, c *conn, address raft.ServerAddress) error {
	if s.tls == nil {
		return nil
	}
	config := s.tls.Clone()
	config.ServerName, _, _ = net.SplitHostPort(string(address))
	secured := tls.Client(c.raw, config)
	c.Conn = secured
	return secured.HandshakeContext(limited)
}

// readCard notes the card of the member to which a connection was opened.
func (s *stream) readCard(address raft.ServerAddress, c *conn, timeout time.Duration) error {
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	told := make([]byte, 1, 256)
	if _, err := io.ReadFull(c, told); err != nil {
		return err
	}
	told = told[:max(told[0], identitySize)]
	if _, err := io.ReadFull(c, told); err != nil {
		return err
	}
	if !isSame(s.identity(), binary.BigEndian.Uint64(told)) {
		return errOtherGroup
	}
	s.mu.Lock()
	s.cards[address] = string(told[identitySize:])
	s.mu.Unlock()
	return c.SetDeadline(time.Time{})
}

// cardOf returns the card of another member; "" while this member has not connected to it.
func (s *stream) cardOf(address raft.ServerAddress) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cards[address]
}

// Accept implements net.Listener for raft.NetworkTransport, which gets no connection: see receive.
func (s *stream) Accept() (net.Conn, error) {
	<-s.opens.Done()
	return nil, net.ErrClosed
}

// greet shakes hands with who has opened a connection, and sends the card.
func (s *stream) greet(g *guest) error {
	g.Conn = cutting{g.raw, s}
	if err := g.SetDeadline(time.Now().Add(s.patience)); err != nil {
		return err
	}
	if s.tls != nil {
		secured := tls.Server(g.Conn, s.tls)
		if err := secured.HandshakeContext(s.opens); err != nil {
			return err
		}
		g.Conn = secured
	}
	told := binary.BigEndian.AppendUint64([]byte{byte(identitySize + len(s.card))}, s.identity())
	_, err := g.Write(append(told, s.card...))
	return err
}

func (s *stream) add(c *conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.conns[c] = true
	return nil
}

// Close implements net.Listener. It waits for no peer.
func (s *stream) Close() error {
	s.end()
	s.guests.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.raw.Close()
	}
	return s.Listener.Close()
}

// conn is a connection that this member has opened. It does not wait forever for a peer that does
// not read, also while a snapshot is sent, for which Raft takes hours into account; and it reads no
// more than an answer can have.
type conn struct {
	net.Conn          // plain, or TLS over raw
	raw      net.Conn // closing it waits for nothing
	stream   *stream
	read     int // bytes since the last write
}

const maxAnswer = 1 << 20

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.read += n; c.read > maxAnswer {
		return 0, errLongTalk
	}
	return n, cmp.Or(c.stream.broken(), err)
}

func (c *conn) Write(b []byte) (int, error) {
	if err := cmp.Or(c.stream.broken(), c.SetWriteDeadline(time.Now().Add(c.stream.patience))); err != nil {
		return 0, err
	}
	c.read = 0
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.stream.mu.Lock()
	delete(c.stream.conns, c)
	c.stream.mu.Unlock()
	return c.raw.Close()
}

// cutting is a connection that a test can cut.
type cutting struct {
	net.Conn
	stream *stream
}

func (c cutting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, cmp.Or(c.stream.broken(), err)
}

func (c cutting) Write(b []byte) (int, error) {
	if err := c.stream.broken(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// listen opens the port of an address that the other members use; this machine may have another
// address, behind a translation say.
func listen(address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return net.Listen("tcp", net.JoinHostPort("", port))
}
