package miniserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// client is a connection to the server for Do. It connects at the first command, and again after an
// error.
type client struct {
	dial    func(ctx context.Context) (net.Conn, error)
	open    context.Context // ends with close
	end     context.CancelFunc
	mu      sync.Mutex
	conn    net.Conn
	replies *resp.Reader
}

func newClient(dial func(ctx context.Context) (net.Conn, error)) *client {
	c := &client{dial: dial}
	c.open, c.end = context.WithCancel(context.Background())
	return c
}

// do executes a command and returns its reply.
func (c *client) do(ctx context.Context, words []string) (reply resp.Value, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(words) == 0 {
		return reply, errors.New("no command given") // the server would send no reply
	}
	if reply, err = c.exchange(ctx, words); err != nil {
		c.disconnect()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return reply, err
}

func (c *client) exchange(ctx context.Context, words []string) (reply resp.Value, err error) {
	if c.conn == nil {
		if c.conn, err = c.dial(ctx); err != nil {
			return reply, err
		}
		c.replies = resp.NewReader(c.conn)
	}
	conn := c.conn
	fail := func() { _ = conn.SetDeadline(time.Unix(1, 0)) } // reading and writing fail at once
	defer context.AfterFunc(ctx, fail)()
	defer context.AfterFunc(c.open, fail)()
	return exchange(conn, c.replies, words)
}

// exchange sends a command and reads its reply.
func exchange(conn net.Conn, replies *resp.Reader, words []string) (reply resp.Value, err error) {
	w := resp.NewWriter(2)
	w.Command(words...)
	if _, err = conn.Write(w.Bytes()); err != nil {
		return reply, err
	}
	return replies.Read()
}

// close ends the connection, and the command that waits for a reply.
func (c *client) close() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disconnect()
}

func (c *client) disconnect() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
