package server

import (
	"errors"
	"net"
	"slices"

	"github.com/miniserver-go/miniserver/engine"
)

// feed has the loop with the fewest connections read one that the server has made, see Engine.Feed.
func (s *Server) feed(nc net.Conn, receive engine.Receive) (engine.Feed, error) {
	s.mu.Lock()
	loops := slices.Clone(s.loops)
	s.mu.Unlock()
	loops = slices.DeleteFunc(loops, func(l *loop) bool { return l.feed == nil })
	if len(loops) == 0 {
		return nil, errors.ErrUnsupported
	}
	return slices.MinFunc(loops, byLoad).feed(nc, receive)
}
