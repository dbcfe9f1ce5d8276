//go:build !linux || netloops

package server

import (
	"crypto/tls"
	"net"
)

// enrollTLS passes a connection to an event loop, which serves any net.Conn and calls stop when it
// has closed it. There is nothing to pass then.
func (s *Server) enrollTLS(client *tls.Conn, c *conn, stop func()) (pass func(), err error) {
	c.ended = func(bool) { stop() }
	s.enroll(client, c)
	return func() {}, nil
}

// pair returns two connections that are each other's ends.
func pair() (a, b net.Conn, err error) {
	a, b = net.Pipe()
	return a, b, nil
}
