package consensus

import (
	"math/bits"
	"sync"
	"time"
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
	v := n.view()
	s := Status{State: states[v.state], Term: v.term, Leader: v.lead, Seat: v.seat, First: n.log.first(), Last: v.last,
		Committed: v.commit, Applied: v.applied, Removed: n.isRemoved(), Hole: v.hole, Disk: v.disk,
		Latency: n.latency.read()}
	if n.isClosed() {
		s.State = "closed"
	}
	if h := n.lease.heard.Load(); v.leads == 0 && h.term != 0 {
		s.Contact = n.when(h.at)
	}
	s.Connections, s.Incoming = n.transport.guests.held()
	for _, m := range v.members {
		s.Members = append(s.Members, n.memberStatus(m, v, s))
	}
	return s
}

func (n *Node) memberStatus(m member, v *view, s Status) MemberStatus {
	status := MemberStatus{Member: Member{m.ID, m.Address}, Voter: m.Voter}
	switch {
	case m.ID == n.options.ID:
		status.HasLast, status.Last, status.Card = true, s.Last, n.options.Card
	case m.ID == s.Leader:
		status.Contact = s.Contact
	case v.leads != 0:
		var at int64
		status.Last, at = n.matched(m.ID, v.term)
		status.HasLast = at != 0
		if at = max(at, n.lease.contact(m.ID)); at != 0 {
			status.Contact = n.when(at)
		}
		status.Card = n.transport.cardOf(m.ID)
	}
	if status.HasLag = v.leads != 0 && status.HasLast; status.HasLag {
		status.Lag = s.Last - min(status.Last, s.Last)
	}
	return status
}

// when returns the time of a moment of this member's clock.
func (n *Node) when(at int64) time.Time { return n.began.Add(time.Duration(at)) }

var states = []string{"follower", "candidate", "leader", "candidate"}

func (n *Node) isClosed() bool {
	select {
	case <-n.closed:
		return true
	default:
		return false
	}
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
