package consensus

import (
	"crypto/tls"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// transport carries Raft's requests between members. It keeps a member that must not vote or lead from doing so, and notes which followers have answered.
type transport struct {
	*raft.NetworkTransport
	stream           *stream
	mayVote, mayLead func() error
	requests         chan raft.RPC
	closed           chan struct{}
	tasks            sync.WaitGroup

	isMember func(raft.ServerID) bool

	mu      sync.Mutex
	peers   map[raft.ServerID]peer
	removed time.Time // when another member refused this one because it is no member
}

// peer is what a follower has answered.
type peer struct {
	asked   time.Time // when the newest request was sent that it has answered as a follower
	contact time.Time // when an answer came last
	last    uint64    // its last entry
}

const connectionsPerMember = 3 // heartbeats, entries and a vote

func openTransport(address string, o Options, logger hclog.Logger) (*transport, error) {
	listener := o.Listener
	if listener == nil {
		var err error
		if listener, err = listen(address); err != nil {
			return nil, err
		}
	}
	if o.TLS != nil {
		listener = tls.NewListener(listener, o.TLS)
	}
	t := &transport{stream: newStream(listener, address, o), requests: make(chan raft.RPC), closed: make(chan struct{}), peers: make(map[raft.ServerID]peer)}
	t.NetworkTransport = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: t.stream, Logger: logger, MaxPool: connectionsPerMember, MaxRPCsInFlight: 1, Timeout: transportTimeout,
	})
	return t, nil
}

// serve begins to hand requests to Raft.
func (t *transport) serve() { t.tasks.Go(t.filter) }

func (t *transport) filter() {
	for {
		select {
		case r := <-t.NetworkTransport.Consumer():
			if err := t.refusal(r.Command); err != nil {
				r.Respond(nil, err)
				continue
			}
			select {
			case t.requests <- r:
			case <-t.closed:
				return
			}
		case <-t.closed:
			return
		}
	}
}

func (t *transport) refusal(command any) error {
	switch q := command.(type) {
	case *raft.RequestPreVoteRequest:
		if !t.isMember(raft.ServerID(q.ID)) {
			return errRemoved
		}
		return t.mayVote()
	case *raft.RequestVoteRequest:
		return t.mayVote()
	case *raft.TimeoutNowRequest:
		return t.mayLead()
	}
	return nil
}

// Consumer implements raft.Transport.
func (t *transport) Consumer() <-chan raft.RPC { return t.requests }

// RequestPreVote implements raft.WithPreVote.
func (t *transport) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
	if err := t.mayLead(); err != nil {
		return err
	}
	err := t.NetworkTransport.RequestPreVote(id, to, q, a)
	if err != nil && err.Error() == errRemoved.Error() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.removed = time.Now()
	}
	return err
}

func (t *transport) refused() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.removed
}

// RequestVote implements raft.Transport.
func (t *transport) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	if err := t.mayLead(); err != nil {
		return err
	}
	return t.NetworkTransport.RequestVote(id, to, q, a)
}

// AppendEntries implements raft.Transport.
func (t *transport) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	asked := time.Now()
	err := t.NetworkTransport.AppendEntries(id, to, q, a)
	if err == nil && a.Term == q.Term {
		t.answered(id, asked, a.LastLog, q)
	}
	return err
}

func (t *transport) answered(id raft.ServerID, asked time.Time, last uint64, q *raft.AppendEntriesRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peers[id]
	if asked.After(p.asked) {
		p.asked = asked
	}
	p.contact = time.Now()
	p.last = last
	if len(q.Entries) > 0 {
		p.last = max(last, q.Entries[len(q.Entries)-1].Index)
	}
	t.peers[id] = p
}

func (t *transport) peer(id raft.ServerID) peer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peers[id]
}

// forget makes a member that is added again prove that it has the entries.
func (t *transport) forget(id raft.ServerID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.peers, id)
}

// Close implements raft.WithClose.
func (t *transport) Close() error {
	return t.NetworkTransport.Close()
}

// end stops the rest, when Raft has stopped.
func (t *transport) end() {
	t.Close()
	t.CloseStreams()
	close(t.closed)
	t.tasks.Wait()
}
