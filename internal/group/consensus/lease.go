package consensus

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A lease is a time in which no other member can be elected, so that the leader may answer reads
// without a question.
//
//	leader      asks ───────────── lease ──────────┤
//	follower          answers ──────────────────── promise ──────────────────────┤ may vote
//
// A follower that answers a leader's call promises not to vote for a while, for itself neither. The
// leader counts from the moment at which it called, which is earlier, and only half as long. So the
// lease ends before the promise does, unless the clock of one machine runs twice as fast as that of
// the other, or stands still while the machine is paused.
//
// Calls and answers pass the loop by: a connection's own goroutine notes them at once, so a loop
// that does not run, and a disk that hangs, cost neither the lease nor the seat.
//
// Invariants:
//  1. A follower notes a call first, and then looks for its term; if a later one has begun it
//     refuses. A voter publishes the term first, and then looks for calls before it gives its vote.
//     So one of them sees the other.
//  2. A member that starts does not know what it promised, and waits as long as any promise lasts.
//  3. A seat that is handed over breaks promises: voters make an exception for elections that the
//     leader has ordered. The leader has no lease from then on in its term; and an order counts
//     only in the term that it was given in, for the election of the next one.
type lease struct {
	self    uint64
	heard   atomic.Pointer[call] // the last call of a leader, or the start
	handed  atomic.Uint64        // the term in which this member handed its seat over
	ordered atomic.Uint64        // the term in which it is to be elected, by order of the leader before

	mu      sync.Mutex
	voters  []uint64
	answers map[uint64]answer
}

// call is that of a leader, when it came.
type call struct {
	at         int64
	term, from uint64
}

// answer is the newest one of a follower.
type answer struct {
	term  uint64
	asked int64 // when the newest call of that term was sent that it has answered
	at    int64 // when an answer came last
}

const (
	promiseTime = 250 * time.Millisecond
	leaseTime   = promiseTime / 2
)

func newLease(self uint64, now int64) *lease {
	l := &lease{self: self, answers: make(map[uint64]answer)}
	l.heard.Store(&call{at: now})
	return l
}

// hear notes a leader's call.
func (l *lease) hear(from, term uint64, now int64) { l.heard.Store(&call{now, term, from}) }

// promised reports whether this member must not vote.
func (l *lease) promised(now int64) bool { return now-l.heard.Load().at < int64(promiseTime) }

// answered notes that a follower has answered in a term what it was asked at a time.
func (l *lease) answered(id, term uint64, asked, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.answers[id]
	if term > a.term {
		a = answer{term: term}
	}
	if term == a.term {
		a.asked, a.at = max(a.asked, asked), now
		l.answers[id] = a
	}
}

// contact returns when a member answered last; 0: never.
func (l *lease) contact(id uint64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers[id].at
}

// answeredAfter returns who has answered in a term after a time.
func (l *lease) answeredAfter(term uint64, after int64) (ids []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, a := range l.answers {
		if a.term == term && a.at > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func askedAt(a answer) int64    { return a.asked }
func answeredAt(a answer) int64 { return a.at }

// most returns the latest time that is, for most of those who vote, not later than what the
// function says of their answers in a term. This member answers itself, now.
func (l *lease) most(term uint64, now int64, what func(answer) int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var few [8]int64
	times := few[:0]
	for _, id := range l.voters {
		at := int64(math.MinInt64)
		if a := l.answers[id]; id == l.self {
			at = now
		} else if a.term == term {
			at = what(a)
		}
		times = append(times, at)
	}
	if len(times) == 0 {
		return math.MinInt64
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

func (l *lease) setVoters(members []member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.voters = l.voters[:0:0]
	for _, m := range members {
		if m.Voter {
			l.voters = append(l.voters, m.ID)
		}
	}
}

// lasts reports whether the lease of a term has not ended.
func (l *lease) lasts(term uint64, now int64) bool {
	if term == l.handed.Load() {
		return false
	}
	asked := l.most(term, now, askedAt)
	return asked != math.MinInt64 && now < asked+int64(leaseTime)
}

// Leased reports whether no other member has been elected until now: what this one has confirmed is
// all that is confirmed.
func (n *Node) Leased() bool {
	term := n.leads()
	return term != 0 && n.lease.lasts(term, n.clock()) && n.leads() == term
}
