package consensus

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// A lease is a time in which no other member can be elected, so that the leader may answer reads
// without a question.
//
//	leader      asks ───────────── lease ──────────┤
//	follower          answers ──────────────────── promise ──────────────────────┤ may vote
//
// A follower that answers a leader's request promises not to vote for a while, for itself neither.
// The leader counts from the moment at which it sent the request, which is earlier, and only half
// as long. So the lease ends before the promise does, unless the clock of one machine runs twice as
// fast as that of the other, or stands still while the machine is paused.
//
// Invariants:
//  1. A follower notes a request before Raft sees it, and looks for the note after Raft has decided
//     to vote. So a vote is either not given, or the follower's term is later than the request's
//     and it refuses that.
//  2. A member that starts does not know what it promised, and waits as long as any promise lasts.
//  3. A seat that is handed over breaks promises: voters make an exception for elections that the
//     leader has ordered. The leader has no lease from then on in its term; and an order counts
//     only in the term that it was given in, for the election of the next one.
type lease struct {
	promised atomic.Pointer[time.Time] // when this member heard from a leader last, or started
	until    atomic.Pointer[leased]    // nil: never
	handed   atomic.Uint64             // the term in which this member handed its seat over
	ordered  atomic.Uint64             // the term in which it is to be elected, by order of the leader before

	mu sync.Mutex // held while until is computed
}

// leased is a lease.
type leased struct {
	term uint64
	end  time.Time
}

const (
	promiseTime = 250 * time.Millisecond
	leaseTime   = promiseTime / 2
)

var (
	errPromised = errors.New("this member has heard from a leader a moment ago")
	errOldOrder = errors.New("the order to take the seat is of another term")
)

// begin begins a promise.
func (l *lease) begin() {
	now := time.Now()
	l.promised.Store(&now)
}

// heard notes a leader's request, unless its term is over: Raft refuses such a request.
func (n *Node) heard(q *raft.AppendEntriesRequest) {
	if q.Term >= n.raft.CurrentTerm() {
		n.lease.begin()
	}
}

// promise returns an error while this member must not vote.
func (l *lease) promise() error {
	if time.Since(*l.promised.Load()) < promiseTime {
		return errPromised
	}
	return nil
}

// mayElectSelf returns why this member must not vote for itself in a term.
func (l *lease) mayElectSelf(term uint64) error {
	if term == l.ordered.Load() {
		return nil
	}
	return l.promise()
}

// Leased reports whether no other member has been elected until now: what this one has confirmed is
// all that is confirmed.
func (n *Node) Leased() bool {
	term := n.leads()
	if term == 0 || term == n.lease.handed.Load() {
		return false
	}
	if l := n.lease.until.Load(); l != nil && l.term == term && time.Now().Before(l.end) {
		return true
	}
	return len(n.configuration()) == 1
}

// renew computes the lease anew, after a follower has answered.
func (n *Node) renew(term uint64) {
	n.lease.mu.Lock()
	defer n.lease.mu.Unlock()
	n.lease.until.Store(&leased{term, n.askedMost(term).Add(leaseTime)})
}

// leads returns the term in which this member leads; 0 if it does not.
func (n *Node) leads() uint64 {
	term := n.raft.CurrentTerm()
	if n.raft.State() != raft.Leader || n.raft.CurrentTerm() != term {
		return 0
	}
	return term
}

// An order to take the seat carries its term in place of the leader's address, which Raft does not
// read there.
func (n *Node) order(q raft.TimeoutNowRequest) (*raft.TimeoutNowRequest, error) {
	term := n.leads()
	if term == 0 {
		return nil, ErrNotLeader
	}
	n.lease.handed.Store(term)
	q.Addr = strconv.AppendUint(nil, term, 10)
	return &q, nil
}

// obey notes an order, if it is one of the present term.
func (n *Node) obey(q *raft.TimeoutNowRequest) error {
	if err := n.mayLead(); err != nil {
		return err
	}
	term, err := strconv.ParseUint(string(q.Addr), 10, 64)
	if err != nil || term != n.raft.CurrentTerm() {
		return errOldOrder
	}
	n.lease.ordered.Store(term + 1)
	return nil
}

// isOrdered reports whether a request for votes may make voters break their promises.
func (n *Node) isOrdered(q *raft.RequestVoteRequest) bool {
	return q.LeadershipTransfer && q.Term == n.lease.ordered.Load()
}

// askedMost returns when most of those who vote, this member among them, had been asked in a term
// what they have answered.
func (n *Node) askedMost(term uint64) time.Time {
	var times []time.Time
	for _, s := range n.configuration() {
		switch p := n.transport.peer(s.ID); {
		case s.Suffrage != raft.Voter:
		case s.ID == serverID(n.options.ID):
			times = append(times, time.Now())
		case p.term == term:
			times = append(times, p.asked)
		default:
			times = append(times, time.Time{})
		}
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	if len(times) == 0 {
		return time.Time{}
	}
	return times[len(times)/2]
}
