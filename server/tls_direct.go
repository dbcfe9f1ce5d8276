//go:build !linux || netloops

package server

import (
	"crypto/tls"
	"net"
)

// enrollTLS passes a connection to an event loop, which serves any net.Conn and calls stop when it
// has closed it. The loop reads after pass: the handshake's failure is answered before it is seen.
func (s *Server) enrollTLS(client *tls.Conn, c *conn, stop func()) (pass func(), err error) {
	c.ended = func(bool) { stop() }
	over := make(chan struct{})
	s.enroll(&shakingHands{client, over}, c)
	return func() { close(over) }, nil
}

// shakingHands is a connection that is read when its handshake is over.
type shakingHands struct {
	*tls.Conn
	over <-chan struct{}
}

func (h *shakingHands) Read(b []byte) (int, error) {
	<-h.over
	return h.Conn.Read(b)
}

// pair returns two connections that are each other's ends.
func pair() (a, b net.Conn, err error) {
	a, b = net.Pipe()
	return a, b, nil
}
