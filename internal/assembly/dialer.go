package assembly

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/server"
)

// dialer connects to other servers, for MIGRATE.
type dialer struct{}

// Dial implements payload.Dialer.
func (dialer) Dial(host, port string, timeout time.Duration) (io.ReadWriteCloser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	return &timeoutConn{c, timeout}, nil
}

// timeoutConn is a connection whose reads and writes have a timeout.
type timeoutConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timeoutConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write writes in pieces, each with the timeout: so the timeout does not limit the size of b.
func (c *timeoutConn) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		if err = c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			break
		}
		var k int
		k, err = c.Conn.Write(b[n:min(n+64<<10, len(b))])
		n += k
	}
	return n, err
}

// Dial returns what connects to masters and to members of other groups: with TLS if tls-replication
// says so.
func Dial(e *engine.Engine) func(ctx context.Context, host, port string) (net.Conn, error) {
	return func(ctx context.Context, host, port string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			return nil, err
		}
		secure := false
		e.With(func() { secure = e.Params.Named("tls-replication").Get() == config.YesNo(true) })
		if !secure {
			return conn, nil
		}
		secured, err := server.StartTLS(ctx, e, conn)
		if err != nil {
			_ = conn.Close()
		}
		return secured, err
	}
}
