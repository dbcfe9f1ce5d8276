//go:build linux

package main

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
)

// link is a proxy between replicas and their master. It cuts the connections as planned: the first
// one where the first cut says, and so on. When no cut is left, connections last.
type link struct {
	listener net.Listener
	master   string // its address
	next     func() cut
	left     atomic.Int64 // cuts
	open     sync.Map     // connections
	pumps    sync.WaitGroup
}

// cut is where a connection ends: some bytes after a text that the master sends, from the start if
// the text is empty.
type cut struct {
	text  string
	after int
	full  func() // called before the connection is made; nil for none
}

// newLink returns a link to a master, at which next says where each of a number of cuts is.
func newLink(master string, cuts int, next func() cut) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, master: master, next: next}
	l.left.Store(int64(cuts))
	l.pumps.Go(l.accept)
	return l, nil
}

// port returns where replicas connect.
func (l *link) port() string {
	_, port, _ := net.SplitHostPort(l.listener.Addr().String())
	return port
}

// close ends all connections.
func (l *link) close() {
	l.listener.Close()
	l.open.Range(func(socket, _ any) bool {
		socket.(net.Conn).Close()
		return true
	})
	l.pumps.Wait()
}

func (l *link) accept() {
	for {
		replica, err := l.listener.Accept()
		if err != nil {
			return
		}
		var c *cut
		if l.left.Load() > 0 {
			planned := l.next()
			c = &planned
			if c.full != nil {
				c.full()
			}
		}
		master, err := net.Dial("tcp", l.master)
		if err != nil {
			replica.Close()
			continue
		}
		l.open.Store(replica, nil)
		l.open.Store(master, nil)
		l.pumps.Go(func() { pump(master, replica, nil) })
		l.pumps.Go(func() {
			if pump(replica, master, c) {
				l.left.Add(-1)
			}
		})
	}
}

// pump forwards bytes up to a cut, if there is one, and ends both connections. It reports whether
// it reached the cut.
func pump(to, from net.Conn, c *cut) (reached bool) {
	defer to.Close()
	defer from.Close()
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	seen, last := c != nil && c.text == "", ""
	for n := 0; ; {
		if seen && n >= c.after {
			out.Flush()
			return true
		}
		b, err := in.ReadByte()
		if err != nil {
			return false
		}
		out.WriteByte(b)
		if in.Buffered() == 0 && out.Flush() != nil {
			return false
		}
		switch {
		case seen:
			n++
		case c != nil:
			last = (last + string([]byte{b}))[max(0, len(last)+1-len(c.text)):]
			seen = last == c.text
		}
	}
}
