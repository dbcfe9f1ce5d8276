package consensus

import (
	"errors"
	"time"

	"github.com/hashicorp/raft"
)

// appended is an entry under way.
type appended struct {
	seat   uint64
	future raft.ApplyFuture // of the last part, which makes the entry count; nil: not given to Raft
	begin  time.Time        // for the latency that Status tells
	done   func(error)      // is called once, on the goroutine of answer
}

// Append puts an entry into the log, if this member still has that seat. It does not wait. Later it
// calls done, in the order of the Appends: with nil after the entry has been applied here, with
// ErrNotAppended or with ErrUnknown. The entries of a seat that get into the log are always the
// first ones, without a gap: an entry is void if one before it is not in the log. So after an error
// the seat is lost. At most 256 entries should be under way: Raft may refuse more, which costs the
// seat.
func (n *Node) Append(seat uint64, data []byte, done func(error)) {
	s := &n.seat
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		go done(ErrNotAppended)
		return
	}
	a := &appended{seat: seat, begin: time.Now(), done: done}
	if seat == s.id && seat != 0 {
		list := parts(data)
		for i, part := range list {
			s.number++
			number := s.number
			if i < len(list)-1 {
				number |= moreParts
			}
			a.future = n.raft.Apply(envelope(seat, number, part), enqueueLimit)
		}
	}
	s.waiting = append(s.waiting, a)
	notify(s.wake)
}

// enqueueLimit is how long Append may wait for room in Raft's queue.
const enqueueLimit = 10 * time.Millisecond

// answer calls done for one entry after the other. It waits for the first one although later ones
// may fail sooner: callers rely on the order. After close it goes on until nobody waits any more.
func (n *Node) answer() {
	for range n.seat.wake {
		for n.answerAll() {
		}
		if n.seat.finished() {
			return
		}
	}
}

func (n *Node) answerAll() bool {
	s := &n.seat
	s.mu.Lock()
	batch := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, a := range batch {
		err := a.outcome()
		if err == nil {
			n.latency.add(time.Since(a.begin))
		} else {
			s.resign(a.seat)
		}
		a.done(err)
	}
	return len(batch) > 0
}

func (s *seat) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isClosed && len(s.waiting) == 0
}

// outcome waits until it is known what became of an entry.
func (a *appended) outcome() error {
	if a.future == nil {
		return ErrNotAppended
	}
	switch err := a.future.Error(); {
	case err == nil && a.future.Response() == errVoid:
		return ErrNotAppended
	case err == nil:
		return nil
	case neverLogged(err):
		return ErrNotAppended
	}
	return ErrUnknown
}

// neverLogged reports whether an error of Raft's means that an entry did not get into the log.
// Those of the disk do not: the entry may be on it. Nor does ErrLeadershipLost: others may have it.
func neverLogged(err error) bool {
	return errors.Is(err, raft.ErrNotLeader) || errors.Is(err, raft.ErrEnqueueTimeout) ||
		errors.Is(err, raft.ErrLeadershipTransferInProgress)
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
