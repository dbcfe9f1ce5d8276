package server

import (
	"context"
	"net"

	"github.com/miniserver-go/miniserver/engine"
)

// Connections that do not leave the process. Dial returns one end of a net.Pipe; a loop of netloop.go serves the other end. All of them wait on
// channels, mutexes and timers only. So in a bubble of testing/synctest the server has the bubble's time.

// Dial returns a connection to the server of a process that has no listeners.
func (s *Server) Dial() net.Conn { return s.dial(nil, unnoticed) }

// dial is Dial for a client from another endpoint; nil for the pipe's own.
func (s *Server) dial(from *engine.Endpoint, ended func(broken bool)) net.Conn {
	client, end := net.Pipe()
	if from == nil {
		own := endpoint(end)
		from = &own
	}
	go func() {
		if !s.refuses(end) {
			s.pipes.serve(end, &conn{server: s, in: &nothing, from: *from, ended: ended})
		}
	}()
	return client
}

// runPipes is Run for a server without listeners.
func (s *Server) runPipes(ctx context.Context) error {
	s.pipes.start()
	defer s.pipes.stop()
	return s.serve(ctx)
}
