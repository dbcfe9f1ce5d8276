package miniserver

import (
	"errors"
	"net"
	"sync"

	"github.com/miniserver-go/miniserver/resp"
)

// client is a connection to the server for Do. It connects at the first command, and again after an error.
type client struct {
	addr    string
	mu      sync.Mutex
	conn    net.Conn
	replies *resp.Reader
}

// do executes a command and returns its reply.
func (c *client) do(words []string) resp.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply, err := c.exchange(words)
	if err != nil {
		c.disconnect()
		return resp.Value{Kind: resp.Error, Text: "ERR " + err.Error()}
	}
	return reply
}

func (c *client) exchange(words []string) (reply resp.Value, err error) {
	if len(words) == 0 {
		return reply, errors.New("no command given") // the server would send no reply
	}
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", c.addr); err != nil {
			return reply, err
		}
		c.replies = resp.NewReader(c.conn)
	}
	w := resp.NewWriter(2)
	w.Command(words...)
	if _, err = c.conn.Write(w.Bytes()); err != nil {
		return reply, err
	}
	return c.replies.Read()
}

func (c *client) close() {
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
