//go:build !linux || netloops

package server

import "net"

// socketLoops serve the sockets: those of netloop.go, on all systems but Linux, and for tests of
// them there, with the build tag netloops.
type socketLoops struct{ netLoops }

func startSocketLoops(s *Server) (ls socketLoops, err error) {
	ls.netLoops = newNetLoops(s, s.Loops())
	ls.start()
	return ls, nil
}

// enroll serves a connection on the loop with the fewest.
func (ls *socketLoops) enroll(nc net.Conn, c *conn) error {
	go ls.serve(nc, c)
	return nil
}

// socketsRead says whether socket.read ever returns something.
const socketsRead = false

// multiplexing names what the loops wait with.
const multiplexing = "Go's net"
