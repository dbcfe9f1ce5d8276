package consensus

import (
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// transport carries Raft's requests between members.
type transport struct {
	*raft.NetworkTransport
}

func openTransport(address string, o Options, logger hclog.Logger) (*transport, error) {
	listener := o.Listener
	if listener == nil {
		var err error
		if listener, err = listen(address); err != nil {
			return nil, err
		}
	}
	if o.TLS != nil {
		listener = tls.NewListener(listener, o.TLS)
	}
	s := &stream{Listener: listener, address: advertised(address), tls: o.TLS, conns: make(map[net.Conn]bool)}
	return &transport{raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: s, Logger: logger, MaxPool: 3, MaxRPCsInFlight: 1, Timeout: transportTimeout,
	})}, nil
}

// advertised is the address that other members use, as a net.Addr.
type advertised string

func (advertised) Network() string  { return "tcp" }
func (a advertised) String() string { return string(a) }

// stream opens and accepts connections, and closes all of them at the end.
type stream struct {
	net.Listener
	address advertised
	tls     *tls.Config

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

func (s *stream) Addr() net.Addr { return s.address }

// Dial implements raft.StreamLayer.
func (s *stream) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	if s.tls == nil {
		return s.add(d.Dial("tcp", string(address)))
	}
	return s.add(tls.DialWithDialer(&d, "tcp", string(address), s.tls))
}

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

func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	return s.Listener.Close()
}

type conn struct {
	net.Conn
	stream *stream
}

func (c *conn) Close() error {
	c.stream.mu.Lock()
	delete(c.stream.conns, c.Conn)
	c.stream.mu.Unlock()
	return c.Conn.Close()
}
