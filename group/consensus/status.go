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
	Members     []MemberStatus
	Latency     Latency // from Append to done
}

// MemberStatus is what this member knows of one member.
type MemberStatus struct {
	Member
	Voter bool
}

// Latency says how long entries took.
type Latency struct {
	Count         uint64
	P50, P99, Max time.Duration
}

// Status tells how this member sees the group now. It waits for nothing.
func (n *Node) Status() Status {
	s := Status{State: n.state(), Term: n.raft.CurrentTerm(), Seat: n.seat.current(), Last: n.raft.LastIndex(),
		Committed: n.raft.CommitIndex(), Applied: n.raft.AppliedIndex(), Latency: n.latency.read()}
	_, leader := n.raft.LeaderWithID()
	s.Leader = memberID(leader)
	s.First, _ = n.log.FirstIndex()
	for _, m := range n.raft.GetConfiguration().Configuration().Servers {
		s.Members = append(s.Members, MemberStatus{Member: Member{memberID(m.ID), string(m.Address)}, Voter: m.Suffrage == 0})
	}
	return s
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
