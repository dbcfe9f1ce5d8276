package main

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// client is a connection for load that redis-benchmark cannot make: commands that follow from replies.
type client struct {
	server string
	conn   net.Conn
	reader *resp.Reader
	writer *resp.Writer
	sent   int // commands that wait to be exchanged
}

// dial opens a further connection to the server.
func (s *server) dial() (*client, error) {
	conn, err := net.Dial(s.process.Network, s.process.Address)
	if err != nil {
		return nil, err
	}
	return &client{server: s.name, conn: conn, reader: resp.NewReader(conn), writer: resp.NewWriter(2)}, nil
}

// add puts a command into the next batch.
func (c *client) add(args ...string) {
	c.writer.Array(len(args))
	for _, arg := range args {
		c.writer.BulkString(arg)
	}
	c.sent++
}

// exchange sends the batch and gives each reply with its number to fn, which may be nil. An error reply is
// an error.
func (c *client) exchange(fn func(i int, reply resp.Value)) error {
	if _, err := c.conn.Write(c.writer.Bytes()); err != nil {
		return err
	}
	c.writer.Reset()
	n := c.sent
	c.sent = 0
	for i := range n {
		reply, err := c.reader.Read()
		if err != nil {
			return err
		}
		if reply.IsError() {
			return fmt.Errorf("%s: %s", c.server, reply.Text)
		}
		if fn != nil {
			fn(i, reply)
		}
	}
	return nil
}

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// tailOf returns the number of latencies, their 99th percentile and the longest, in milliseconds.
func tailOf(latencies []time.Duration) (n int64, p99, longest float64) {
	if len(latencies) == 0 {
		return 0, 0, 0
	}
	slices.Sort(latencies)
	return int64(len(latencies)), inMillis(latencies[len(latencies)*99/100]), inMillis(latencies[len(latencies)-1])
}
