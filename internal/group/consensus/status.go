package consensus

import (
	"math/bits"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// Status is what a member knows of its group.
type Status struct {
	State       string // leader, follower, candidate or closed
	Term        uint64
	Leader      uint64 // ID of the leader, 0: unknown
	Seat        uint64 // ID of this member's seat, 0: it has none
	First, Last uint64 // entries in the log
	Committed   uint64
	Applied     uint64
	Contact     time.Time // when this member heard from the leader last; a leader: the zero time
	Removed     bool      // the group has this member no longer
	Hole        bool      // this member has lost entries, and has no vote until it has them again
	Disk        error     // why it cannot store entries at the moment; nil: it can
	Members     []MemberStatus
	Connections int     // that others have opened to this member
	Incoming    int     // bytes of requests on them that are being read or handled
	Latency     Latency // from Append to done
}

// MemberStatus is what this member knows of one member. Of the others only the leader knows more
// than who they are, and a follower when the leader called.
type MemberStatus struct {
	Member
	Voter   bool
	HasLast bool      // Last is known: it is this member, or has answered this leader
	Last    uint64    // its last entry, when it answered last
	HasLag  bool      // Lag is known: this member leads, and has Last
	Lag     uint64    // entries that it does not have yet
	Contact time.Time // when this member heard from it; zero: it never did, or it is itself
	Card    string    // Options.Card of the member; "" while it is not known
}

// Latency says how long entries took.
type Latency struct {
	Count         uint64
	P50, P99, Max time.Duration
}

// Status tells how this member sees the group now. It waits for nothing.
func (n *Node) Status() Status {
	_, leader := n.raft.LeaderWithID()
	s := Status{State: n.state(), Term: n.raft.CurrentTerm(), Leader: memberID(leader), Seat: n.seat.current(),
		First: n.log.first(), Last: n.raft.LastIndex(),
		Removed: n.isRemoved(), Committed: n.raft.CommitIndex(), Applied: n.raft.AppliedIndex(),
		Hole: n.mayVote() != nil, Disk: n.log.failure(), Latency: n.latency.read()}
	if n.raft.State() != raft.Leader {
		s.Contact = n.raft.LastContact()
	}
	s.Connections, s.Incoming = n.transport.stream.guests.held()
	for _, m := range n.configuration() {
		s.Members = append(s.Members, n.memberStatus(m, s))
	}
	return s
}

func (n *Node) memberStatus(m raft.Server, s Status) MemberStatus {
	status := MemberStatus{Member: Member{memberID(m.ID), string(m.Address)}, Voter: m.Suffrage == raft.Voter}
	leads := s.State == "leader"
	switch {
	case status.ID == n.options.ID:
		status.HasLast, status.Last, status.Card = true, s.Last, n.options.Card
	case status.ID == s.Leader:
		status.Contact = s.Contact
	case leads:
		p := n.transport.peer(m.ID)
		status.Contact, status.Card = p.contact, n.transport.stream.cardOf(m.Address)
		if p.term == s.Term {
			status.HasLast, status.Last = true, p.last
		}
	}
	if status.HasLag = leads && status.HasLast; status.HasLag {
		status.Lag = s.Last - min(status.Last, s.Last)
	}
	return status
}

var states = []string{"follower", "candidate", "leader", "closed"}

func (n *Node) state() string {
	return states[n.raft.State()]
}

// histogram counts durations in buckets of a quarter of a power of two of microseconds.
type histogram struct {
	mu     sync.Mutex
	counts [4 * 64]uint64
	total  uint64
	max    time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[bucket(uint64(d.Microseconds()))]++
	h.total++
	h.max = max(h.max, d)
}

func bucket(n uint64) int {
	if n < 4 {
		return int(n)
	}
	shift := bits.Len64(n) - 3
	return (shift+1)<<2 + int(n>>shift)&3
}

func upperBound(b int) time.Duration {
	if b < 4 {
		return time.Duration(b) * time.Microsecond
	}
	return time.Duration((4+b&3+1)<<(b>>2-1)-1) * time.Microsecond
}

func (h *histogram) read() Latency {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Latency{Count: h.total, P50: h.percentile(50), P99: h.percentile(99), Max: h.max}
}

func (h *histogram) percentile(p uint64) time.Duration {
	seen := uint64(0)
	for b, n := range h.counts {
		if seen += n; n > 0 && seen*100 >= h.total*p {
			return min(upperBound(b), h.max)
		}
	}
	return 0
}
