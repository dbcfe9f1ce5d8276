//go:build linux

package main

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// replyTime bounds the time for a reply. A server that hangs is found earlier, by its pings.
const replyTime = time.Minute

// deepest is the number of levels that a reply may have. Scripts return deep ones.
const deepest = 1 << 20

// conn is a client's connection.
type conn struct {
	net.Conn
	replies *resp.Reader
}

// dial connects to a target. The deadline of the connection is far, but set.
func (t *target) dial() (*conn, error) { return connect(t.process.Network, t.process.Address) }

func connect(network, address string) (*conn, error) {
	socket, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	socket.SetDeadline(time.Now().Add(replyTime))
	replies := resp.NewReader(socket)
	replies.Limits.Depth = deepest
	return &conn{socket, replies}, nil
}

// login connects to a target with its password, if it has one.
func (t *target) login() (*conn, error) {
	c, err := t.dial()
	if password := t.option("--requirepass"); err == nil && password != "" {
		_, err = c.do("AUTH", password)
	}
	return c, err
}

// do sends a command and returns the reply.
func (c *conn) do(args ...string) (resp.Value, error) {
	if err := c.send(args...); err != nil {
		return resp.Value{}, err
	}
	return c.replies.Read()
}

// send sends a command and does not wait for its reply.
func (c *conn) send(args ...string) error {
	_, err := c.Write(request(args...))
	return err
}

// request returns a command as bytes.
func request(args ...string) []byte {
	w := resp.NewWriter(2)
	w.Command(args...)
	return w.Bytes()
}

// escape returns bytes as the format of a shell's printf.
func escape(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		switch {
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '%':
			b.WriteString(`%%`)
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c > '~' || c == '\'':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
