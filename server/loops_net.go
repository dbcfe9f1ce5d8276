//go:build !unix || netloops

package server

import (
	"net"

	"github.com/panjf2000/gnet/v2"
)

// eventLoops are those of netloop.go: for Windows, where gnet wraps package net in a way that lets one client that does not read block all others,
// and for tests of them elsewhere, with the build tag netloops.
type eventLoops struct{}

func (eventLoops) start(s *Server) error {
	for range s.Loops() {
		s.netLoops = append(s.netLoops, newNetLoop())
	}
	s.startNetLoops()
	return nil
}

func (eventLoops) stop(s *Server) error {
	s.stopNetLoops()
	return nil
}

// enroll serves a connection on the loop with the fewest.
func (eventLoops) enroll(nc net.Conn, c *conn) error {
	l := c.server.netLoops[0]
	for _, other := range c.server.netLoops[1:] {
		if other.load.Load() < l.load.Load() {
			l = other
		}
	}
	go c.server.serveOn(l, nc, c)
	return nil
}

// readsDirectly says whether the server may read from the socket of a connection of a loop.
const readsDirectly = false

func readDirectly(gnet.Conn, []byte) (int, error) { return 0, nil }
