package server

import "sync/atomic"

// moved counts what an event loop has moved. Each loop has counters of its own, since processors
// slow each other down that write to the same ones.
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
