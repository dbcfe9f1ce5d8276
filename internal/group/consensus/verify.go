package consensus

import "sync"

// verifier has the questions whether this member still leads. An answer counts for a question that
// was asked before the call which it answers was sent; all questions share the calls.
type verifier struct {
	node    *Node
	mu      sync.Mutex
	waiting []question // in the order of their times
}

type question struct {
	asked int64
	done  func(error)
}

// Verify finds out whether this member has been the leader after this call: most members have said
// so. It does not wait; done gets nil, ErrNotLeader or ErrClosed.
func (n *Node) Verify(done func(error)) {
	n.ending.RLock()
	defer n.ending.RUnlock()
	if n.ended {
		go done(ErrClosed)
		return
	}
	if !n.verifier.add(done) {
		n.answers.add(func() { done(ErrNotLeader) })
		return
	}
	n.transport.beatNow()
	n.verifier.look(n.leads())
}

// add takes a question, if this member leads. What it sees of that is not later than what fail
// follows.
func (v *verifier) add(done func(error)) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.node.leads() == 0 {
		return false
	}
	v.waiting = append(v.waiting, question{v.node.clock(), done})
	return true
}

// look answers the questions that most members have answered in a term.
func (v *verifier) look(term uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if term == 0 || v.node.leads() != term || len(v.waiting) == 0 {
		return
	}
	asked := v.node.lease.most(term, v.node.clock(), askedAt)
	for len(v.waiting) > 0 && v.waiting[0].asked <= asked {
		done := v.waiting[0].done
		v.node.answers.add(func() { done(nil) })
		v.waiting = v.waiting[1:]
	}
}

// fail answers all questions.
func (v *verifier) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, q := range v.waiting {
		if err == ErrClosed {
			go q.done(err) // nobody else does any more
		} else {
			v.node.answers.add(func() { q.done(err) })
		}
	}
	v.waiting = nil
}
