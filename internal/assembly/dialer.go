package assembly

import (
	"context"
	"io"
	"net"
	"time"
)

// dialer is the network, for MIGRATE.
type dialer struct{}

// Dial implements snapshot.Dialer.
func (dialer) Dial(host, port string, patience time.Duration) (io.ReadWriteCloser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	return &impatient{c, patience}, nil
}

// impatient is a connection of which no read and no write takes longer than patience.
type impatient struct {
	net.Conn
	patience time.Duration
}

func (c *impatient) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write writes in pieces, so that it is the standstill that is limited, not the amount.
func (c *impatient) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		if err = c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
			break
		}
		var k int
		k, err = c.Conn.Write(b[n:min(n+64<<10, len(b))])
		n += k
	}
	return n, err
}
