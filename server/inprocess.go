package server

import (
	"errors"
	"net"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Connections that do not leave the process. Dial returns one end of a net.Pipe; a loop of
// netloop.go serves the other end. All of them wait on channels, mutexes and timers only. So in a
// bubble of testing/synctest the server has the bubble's time.

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

// Connect returns a connection from within the process, for a client that has come another way,
// from an endpoint. It is served as those of the listeners are. ended is called when the server
// ends it, also if it is not read; nil for nothing.
func (s *Server) Connect(from engine.Endpoint, ended func()) (net.Conn, error) {
	notice := func(bool) {
		if ended != nil {
			ended()
		}
	}
	if s.opts.InProcess {
		return s.dial(&from, notice), nil
	}
	s.mu.Lock()
	serving := s.accepting
	s.mu.Unlock()
	if !serving {
		return nil, errors.New("the server does not accept connections")
	}
	inside, loop, err := pair()
	if err != nil {
		return nil, err
	}
	if !s.refuses(loop) {
		c := s.newConn(from)
		c.ended = notice
		s.enroll(loop, c)
	}
	return inside, nil
}
