package consensus

import "sync"

// verifier asks whether this member still leads. Those who ask while a question is under way share the next one.
type verifier struct {
	node    *Node
	mu      sync.Mutex
	waiting []func(error)
	running bool
}

// Verify finds out whether this member has been the leader after this call: most members have said so. It does not wait; done gets nil or ErrNotLeader.
func (n *Node) Verify(done func(error)) {
	v := &n.verifier
	v.mu.Lock()
	defer v.mu.Unlock()
	if n.isClosed() {
		go done(ErrClosed)
		return
	}
	v.waiting = append(v.waiting, done)
	if !v.running {
		v.running = true
		n.tasks.Go(v.run)
	}
}

func (v *verifier) run() {
	for {
		batch := v.next()
		if batch == nil {
			return
		}
		err := v.node.raft.VerifyLeader().Error()
		if err != nil {
			err = ErrNotLeader
		}
		for _, done := range batch {
			done(err)
		}
	}
}

func (v *verifier) next() []func(error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	batch := v.waiting
	v.waiting, v.running = nil, len(batch) > 0
	return batch
}

func (n *Node) isClosed() bool {
	select {
	case <-n.closed:
		return true
	default:
		return false
	}
}
