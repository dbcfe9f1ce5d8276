package consensus

import (
	"cmp"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// transport carries Raft's requests between members. It keeps a member that must not vote or lead
// from doing so, and notes which followers have answered.
type transport struct {
	*raft.NetworkTransport
	stream           *stream
	node             *Node
	mayVote, mayLead func() error
	logger           hclog.Logger
	arrived          chan raft.RPC // from receive to filter
	requests         chan raft.RPC // from there to Raft
	heartbeat        atomic.Pointer[func(raft.RPC)]
	closed           chan struct{}
	tasks            sync.WaitGroup

	isMember func(raft.ServerID) bool

	mu      sync.Mutex
	peers   map[raft.ServerID]peer
	removed time.Time // when another member refused this one because it is no member
}

// peer is what a follower has answered.
type peer struct {
	term    uint64
	asked   time.Time // when the newest request of that term was sent that it has answered as a follower
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
	t := &transport{stream: newStream(listener, address, o), logger: logger, arrived: make(chan raft.RPC),
		requests: make(chan raft.RPC), closed: make(chan struct{}), peers: make(map[raft.ServerID]peer)}
	t.NetworkTransport = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: t.stream, Logger: logger, MaxPool: connectionsPerMember, MaxRPCsInFlight: 1, Timeout: o.patience,
	})
	return t, nil
}

// serve begins to accept connections, and to hand requests to Raft.
func (t *transport) serve() {
	t.tasks.Go(t.receive)
	t.tasks.Go(t.filter)
}

func (t *transport) filter() {
	for {
		select {
		case r := <-t.arrived:
			if t.answers(r) {
				continue
			}
			select {
			case t.requests <- t.watched(r):
			case <-t.closed:
				return
			}
		case <-t.closed:
			return
		}
	}
}

// answers answers what is not for Raft.
func (t *transport) answers(r raft.RPC) bool {
	if a := t.answer(r); a != nil {
		go func() {
			if r.Reader != nil {
				io.Copy(io.Discard, r.Reader)
			}
			r.Respond(a, nil)
		}()
		return true
	}
	err := t.refusal(r.Command)
	if err != nil {
		r.Respond(nil, err)
	}
	return err != nil
}

// answer returns what is replied to newcomers, and to leaders of a term in which this member has
// lost entries; nil for what Raft replies to.
func (t *transport) answer(r raft.RPC) any {
	hole := t.node.hole()
	switch q := r.Command.(type) {
	case *raft.RequestPreVoteRequest:
		if q.Term == 0 {
			return t.node.tell(q)
		}
	case *raft.AppendEntriesRequest:
		if q.Term <= hole && hole != unknownHole {
			return &raft.AppendEntriesResponse{Term: hole + 1}
		}
	case *raft.InstallSnapshotRequest:
		if q.Term <= hole && hole != unknownHole {
			return &raft.InstallSnapshotResponse{Term: hole + 1}
		}
	}
	return nil
}

func (t *transport) refusal(command any) error {
	switch q := command.(type) {
	case *raft.AppendEntriesRequest:
		if t.node.hole() == unknownHole {
			t.node.newcomer.meet(raft.ServerID(q.ID), raft.ServerAddress(q.RPCHeader.Addr))
			return errNewcomer
		}
		t.node.heard(q)
	case *raft.InstallSnapshotRequest:
		if t.node.hole() == unknownHole {
			return errNewcomer
		}
	case *raft.RequestPreVoteRequest:
		if !t.isMember(raft.ServerID(q.ID)) {
			return errRemoved
		}
		return cmp.Or(t.mayVote(), t.node.lease.promise())
	case *raft.RequestVoteRequest:
		if err := t.mayVote(); err != nil || q.LeadershipTransfer {
			return err
		}
		return t.node.lease.promise()
	case *raft.TimeoutNowRequest:
		return t.node.obey(q)
	}
	return nil
}

// watched returns a request whose answer, if it is a vote, is taken back should this member have
// heard from a leader meanwhile.
func (t *transport) watched(r raft.RPC) raft.RPC {
	q, ok := r.Command.(*raft.RequestVoteRequest)
	if !ok || q.LeadershipTransfer {
		return r
	}
	answers, to := make(chan raft.RPCResponse, 1), r.RespChan
	r.RespChan = answers
	t.tasks.Go(func() {
		select {
		case a := <-answers:
			if v, ok := a.Response.(*raft.RequestVoteResponse); ok && t.node.lease.promise() != nil {
				v.Granted = false
			}
			to <- a
		case <-t.closed:
		}
	})
	return r
}

// SetHeartbeatHandler implements raft.Transport. Heartbeats do not wait behind other requests.
func (t *transport) SetHeartbeatHandler(handle func(raft.RPC)) { t.heartbeat.Store(&handle) }

// beat handles a heartbeat. Raft does so beside its other work, and sets its term to that of the
// heartbeat: also after that work has gone on to a later term, which it would forget. So only a
// heartbeat of the present term is handled here, and the term stays while it is.
func (t *transport) beat(r raft.RPC, handle func(raft.RPC)) bool {
	if t.answers(r) {
		return true
	}
	if q := r.Command.(*raft.AppendEntriesRequest); t.node.stable.inTerm(q.Term, func() { handle(r) }) {
		return true
	}
	return t.hand(t.requests, r)
}

// Consumer implements raft.Transport.
func (t *transport) Consumer() <-chan raft.RPC { return t.requests }

// RequestPreVote implements raft.WithPreVote.
func (t *transport) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest,
	a *raft.RequestPreVoteResponse) error {
	if err := t.mayLead(); err != nil {
		return err
	}
	err := t.NetworkTransport.RequestPreVote(id, to, q, a)
	if err != nil && err.Error() == errRemoved.Error() {
		t.noteRemoved()
	}
	return err
}

func (t *transport) noteRemoved() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removed = time.Now()
}

func (t *transport) refused() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.removed
}

// RequestVote implements raft.Transport.
func (t *transport) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest,
	a *raft.RequestVoteResponse) error {
	if err := t.mayLead(); err != nil {
		return err
	}
	if q.LeadershipTransfer && !t.node.isOrdered(q) {
		return errOldOrder
	}
	return t.NetworkTransport.RequestVote(id, to, q, a)
}

// TimeoutNow implements raft.Transport.
func (t *transport) TimeoutNow(id raft.ServerID, to raft.ServerAddress, q *raft.TimeoutNowRequest,
	a *raft.TimeoutNowResponse) error {
	q, err := t.node.order(*q)
	if err != nil {
		return err
	}
	return t.NetworkTransport.TimeoutNow(id, to, q, a)
}

// AppendEntries implements raft.Transport. It sends nothing if this member does not lead. Raft
// would: as long as a hanging disk keeps a former leader from storing the new term, it sends
// heartbeats, and these keep the others from electing another leader.
func (t *transport) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest,
	a *raft.AppendEntriesResponse) error {
	if t.node.raft.State() != raft.Leader {
		return ErrNotLeader
	}
	q.Entries = few(q.Entries)
	asked := time.Now()
	err := t.NetworkTransport.AppendEntries(id, to, q, a)
	if err == nil && a.Term == q.Term {
		t.answered(id, asked, a.LastLog, q)
	}
	return err
}

// maxRequest is how many bytes of entries a request carries, unless it is one entry.
const maxRequest = 8 << 20

// few returns as many of the first entries as one request may carry: Raft sends the rest with the
// next. It counts entries only.
func few(entries []*raft.Log) []*raft.Log {
	bytes := 0
	for i, e := range entries {
		if bytes += len(e.Data); bytes > maxRequest && i > 0 {
			return entries[:i]
		}
	}
	return entries
}

func (t *transport) answered(id raft.ServerID, asked time.Time, last uint64, q *raft.AppendEntriesRequest) {
	t.noteAnswer(id, asked, last, q)
	t.node.renew(q.Term)
}

func (t *transport) noteAnswer(id raft.ServerID, asked time.Time, last uint64, q *raft.AppendEntriesRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peers[id]
	if q.Term > p.term {
		p.term, p.asked = q.Term, time.Time{}
	}
	if q.Term == p.term && asked.After(p.asked) {
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

// end closes all connections, and stops the rest when they have gone.
func (t *transport) end() {
	t.Close()
	t.CloseStreams()
	close(t.closed)
	t.tasks.Wait()
}
