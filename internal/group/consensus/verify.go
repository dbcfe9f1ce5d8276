package consensus

import (
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// verifier asks whether this member still leads. Those who ask while a question is under way share
// the next one.
//
// A question must begin after the call that it answers. So those who come while one is under way
// cannot have its answer, and one more is enough for all of them.
type verifier struct {
	node    *Node
	mu      sync.Mutex
	waiting []func(error) // for the next question
	running bool          // there is a goroutine that asks
}

// Verify finds out whether this member has been the leader after this call: most members have said
// so. It does not wait; done gets nil or ErrNotLeader.
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
		err := v.node.verify(time.Now())
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

// verify asks until most members have answered a request that was sent after begin. Raft alone also
// counts late answers to earlier ones, by which a leader that was cut off would seem to lead. It
// ends, as Raft gives the seat up when it hears from nobody.
func (n *Node) verify(begin time.Time) error {
	for {
		if n.raft.VerifyLeader().Error() != nil {
			return ErrNotLeader
		}
		if n.answeredSince(begin) {
			return nil
		}
	}
}

// answeredSince reports whether most of those who vote, this member among them, have answered a
// request that was sent after begin.
func (n *Node) answeredSince(begin time.Time) bool {
	voters, answers := 0, 0
	for _, s := range n.configuration() {
		if s.Suffrage != raft.Voter {
			continue
		}
		voters++
		if s.ID == serverID(n.options.ID) || n.transport.peer(s.ID).asked.After(begin) {
			answers++
		}
	}
	return 2*answers > voters
}

// close lets no further question begin. It is under the lock, so that no task starts that Close
// would not wait for.
func (v *verifier) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	close(v.node.closed)
}

func (n *Node) isClosed() bool {
	select {
	case <-n.closed:
		return true
	default:
		return false
	}
}
