package server

import "sync/atomic"

// moved counts what an event loop has moved. Each loop has counters of its own, since processors slow each other down that write to
// the same ones.
type moved struct {
	clients       atomic.Int64 // that it serves now
	in, out       atomic.Int64 // bytes
	reads, writes atomic.Int64 // of sockets
}

// traffic is what was moved.
type traffic struct{ clients, in, out, reads, writes int64 }

func (m *moved) traffic() traffic {
	return traffic{m.clients.Load(), m.in.Load(), m.out.Load(), m.reads.Load(), m.writes.Load()}
}

// perLoop returns what each event loop has moved, in the order of their numbers.
func (s *Server) perLoop() []traffic {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]traffic, s.Loops())
	for i, l := range s.loops {
		list[i] = l.moved.traffic()
	}
	return list
}

// traffic returns what all event loops have moved together.
func (s *Server) traffic() (sum traffic) {
	for _, t := range s.perLoop() {
		sum = traffic{sum.clients + t.clients, sum.in + t.in, sum.out + t.out, sum.reads + t.reads, sum.writes + t.writes}
	}
	return sum
}

// resetTraffic sets the counters to 0. The clients stay.
func (s *Server) resetTraffic() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.loops {
		for _, n := range []*atomic.Int64{&l.moved.in, &l.moved.out, &l.moved.reads, &l.moved.writes} {
			n.Store(0)
		}
	}
}
