package consensus

import (
	"cmp"
	"crypto/tls"
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

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

// advertised is the address that other members use, as a net.Addr.
type advertised string

func (advertised) Network() string  { return "tcp" }
func (a advertised) String() string { return string(a) }

func newStream(l net.Listener, address string, o Options) *stream {
	return &stream{Listener: l, address: advertised(address), tls: o.TLS, cut: o.cut, conns: make(map[net.Conn]bool)}
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
	if err := s.broken(); err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: timeout}
	if s.tls == nil {
		return s.add(d.Dial("tcp", string(address)))
	}
	return s.add(tls.DialWithDialer(&d, "tcp", string(address), s.tls))
}

// Accept implements net.Listener.
func (s *stream) Accept() (net.Conn, error) {
	return s.add(s.Listener.Accept())
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
