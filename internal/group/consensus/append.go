package consensus

import "time"

// appended is an entry under way.
type appended struct {
	seat  uint64
	parts [][]byte
	index uint64 // of the last part, which makes the entry count; 0: it is not in the log
	begin int64  // for the latency that Status tells
	err   error
	done  func(error) // is called once, on the goroutine of the machine
}

// isKnown reports whether it is known what became of the entry.
func (a *appended) isKnown(applied uint64) bool {
	return a.index == 0 || a.err != nil || a.index <= applied
}

// Append puts an entry into the log, if this member still has that seat. It does not wait. Later it
// calls done, in the order of the Appends: with nil after the entry has been applied here, with
// ErrNotAppended or with ErrUnknown. The entries of a seat that get into the log are always the
// first ones, without a gap, so after an error the seat is lost.
func (n *Node) Append(seat uint64, data []byte, done func(error)) {
	a := &appended{seat: seat, parts: parts(seat, data), begin: n.clock(), done: done}
	n.ending.RLock()
	defer n.ending.RUnlock()
	if n.ended {
		go done(ErrNotAppended)
		return
	}
	n.underWay.Add(1)
	n.inbox.append(a)
}

// Seats tells when this member takes or loses the leader's seat. A seat is taken when all earlier
// entries have been applied here.
func (n *Node) Seats() <-chan Seat { return n.seats }

// tellSeats hands over what Seats tells.
func (n *Node) tellSeats() {
	n.seatNews.run(n.closed, func(list []Seat) {
		for _, s := range list {
			select {
			case n.seats <- s:
			case <-n.closed:
				return
			}
		}
	})
}

// sleep waits; false: the member is being closed.
func (n *Node) sleep(pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-n.closed:
		return false
	}
}
