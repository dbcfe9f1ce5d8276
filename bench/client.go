package main

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// client is a connection to a server, for questions and for load that redis-benchmark cannot make.
type client struct {
	name   string // of the server
	conn   net.Conn
	reader *resp.Reader
	writer *resp.Writer
	queued int // commands of the next batch
}

func dial(name string, process *launch.Server) (*client, error) {
	conn, err := net.Dial(process.Network, process.Address)
	if err != nil {
		return nil, err
	}
	return &client{name: name, conn: conn, reader: resp.NewReader(conn), writer: resp.NewWriter(2)}, nil
}

// add puts a command into the next batch.
func (c *client) add(args ...string) {
	c.writer.Command(args...)
	c.queued++
}

// exchange sends the batch and gives each reply with its number to fn, which may be nil. An error
// reply is an error.
func (c *client) exchange(fn func(i int, reply resp.Value)) error {
	if _, err := c.conn.Write(c.writer.Bytes()); err != nil {
		return err
	}
	c.writer.Reset()
	n := c.queued
	c.queued = 0
	for i := range n {
		reply, err := c.reader.Read()
		if err != nil {
			return err
		}
		if err := reply.Err(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
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
