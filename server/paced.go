package server

import (
	"sync/atomic"
	"time"
)

// paced are connections that a loop wakes together, but not more often than once in a pace. So what
// is written to them meanwhile leaves in one piece: the stream for a replica is many small changes,
// and each piece of it wakes a thread at the other end.
type paced struct {
	due   atomic.Bool // there are some
	conns []*conn     // under the loop's lock
	next  time.Time   // when they may be woken; for the loop only
}

const pace = time.Millisecond

// add adds a connection, under the loop's lock. It reports whether that is the first.
func (p *paced) add(c *conn) (first bool) {
	p.conns = append(p.conns, c)
	return !p.due.Swap(true)
}

// wait returns how long the connections have to wait, at most 0 for those that may be woken.
func (p *paced) wait() time.Duration { return time.Until(p.next) }

// take removes the connections and returns them, under the loop's lock.
func (p *paced) take() (conns []*conn) {
	p.due.Store(false)
	conns, p.conns, p.next = p.conns, nil, time.Now().Add(pace)
	return conns
}
