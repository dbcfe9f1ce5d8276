package consensus

import (
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// seat is the leader's seat, if this member has it. A member may take it more than once in a term:
// an entry that could not be appended ends the seat, because the entries after it would miss it.
//
// An ID is the term and how often this member has taken the seat in it, so IDs grow from one seat
// to the next in the whole group, and an entry tells in which term its seat was taken.
type seat struct {
	mu       sync.Mutex // of all fields; no other lock is taken under it
	id       uint64     // 0: not the leader
	term     uint64     // of the last seat, which may be lost
	taken    uint64     // how often in this term
	number   uint64     // of the seat's last entry, from 1
	isClosed bool       // nothing more is appended, and what waits is answered

	waiting  []*appended   // in the order of the log, which is that of the Appends
	wake     chan struct{} // something waits; has room for one, as answer takes all
	resigned chan uint64   // IDs of seats whose entries have a gap; one is enough
}

func (s *seat) init() {
	s.wake = make(chan struct{}, 1)
	s.resigned = make(chan uint64, 1)
}

// maxTaken is how often one member can take the seat in one term.
const maxTaken = 1 << 16

// take begins a new seat.
func (s *seat) take(term uint64) Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	if term != s.term {
		s.term, s.taken = term, 0
	}
	s.taken = min(s.taken+1, maxTaken-1)
	s.id, s.number = term*maxTaken+s.taken, 0
	return Seat{Leader: true, Term: term, ID: s.id}
}

// lose ends the seat, and reports which it was; had is false if there was none. Appends get
// ErrNotAppended from here on.
func (s *seat) lose() (lost Seat, had bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost = Seat{Term: s.term, ID: s.id}
	s.id = 0
	return lost, lost.ID != 0
}

// resign ends a seat whose entries have a gap. It is watch that ends it, so that losing and taking
// are told in the order in which they happened.
func (s *seat) resign(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != id {
		return
	}
	select {
	case s.resigned <- id:
	default:
	}
}

func (s *seat) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClosed = true
	notify(s.wake)
}

// Seats tells when this member takes or loses the leader's seat. A seat is taken when all earlier
// entries have been applied here.
func (n *Node) Seats() <-chan Seat {
	return n.seats
}

// watch follows who leads: Raft's word, a barrier for each new seat, and resignations. It never
// keeps Raft waiting for the receiver of seats: what is not received yet is kept in a list. A
// member that resigned is still Raft's leader, so it asks for the next barrier at once.
func (n *Node) watch(leads <-chan bool) {
	var pending []Seat
	var leader bool
	var ready chan uint64 // tells the term whose barrier has passed; 0: it has not
	give := func(s Seat, ok bool) {
		if ok {
			pending = append(pending, s)
		}
	}
	for {
		var out chan Seat
		var next Seat
		if len(pending) > 0 {
			out, next = n.seats, pending[0]
		}
		select {
		case leader = <-leads:
			give(n.seat.lose())
			ready = n.barrierIf(leader)
		case id := <-n.seat.resigned:
			if id == n.seat.current() {
				give(n.seat.lose())
				ready = n.barrierIf(leader)
			}
		case term := <-ready:
			if ready = nil; term != 0 {
				give(n.seat.take(term), true)
			} else {
				ready = n.barrierIf(leader)
			}
		case out <- next:
			pending = pending[1:]
		case <-n.closed:
			return
		}
	}
}

func (s *seat) current() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// barrierPause is how long a leader waits before it tries again: while the seat is handed over Raft
// refuses every barrier at once.
const barrierPause = 5 * time.Millisecond

// barrierIf waits, as a leader, until all earlier entries have been applied. The channel gets the
// term in which the barrier passed; 0 if it failed, or if another term has begun meanwhile, whose
// entries it says nothing about. A channel that watch has dropped has room for its answer.
func (n *Node) barrierIf(leader bool) chan uint64 {
	if !leader {
		return nil
	}
	ready := make(chan uint64, 1)
	term := n.raft.CurrentTerm()
	n.tasks.Go(func() {
		if n.raft.Barrier(0).Error() != nil || n.raft.State() != raft.Leader || n.raft.CurrentTerm() != term {
			term = 0
			time.Sleep(barrierPause)
		}
		ready <- term
	})
	return ready
}
