package server

import (
	"errors"
	"net"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
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

// host returns the functions by which the engine uses the server.
func (s *Server) host() engine.Host {
	return engine.Host{
		Due:     func(int64) { s.ring() },
		Spawn:   s.opts.Spawn,
		InTurns: s.inTurns,
		Feed:    s.feed,
		Listen:  s.setListening,
		OpenTo:  s.openTo,
		ShutTo:  s.shutTo,
		Exit:    s.exit,
		Sleep:   sleep,
		Log:     s.log,
		Purge:   purge,
		CPU:     processorTime,
		Memory:  processMemory,
		Machine: memoryLimit(),
		Traffic: func() (in, out, cycles int64) {
			all := s.traffic()
			return all.in, all.out, all.reads
		},
	}
}

// exit ends Run, for SHUTDOWN.
func (s *Server) exit() {
	s.end.Do(func() { close(s.ending) })
}

func sleep(micros int64) { time.Sleep(time.Duration(micros) * time.Microsecond) }

// inTurns has the first loop do some work. It reports false if that does not run.
func (s *Server) inTurns(w engine.Work) bool {
	s.mu.Lock()
	loops := s.loops
	s.mu.Unlock()
	if len(loops) == 0 {
		return false
	}
	l := loops[0]
	return l.execute(func() { l.turns.add(w) })
}
