package engine

import "sync/atomic"

// What clients make the server hold: input that waits, replies that are not read, queued and
// blocked commands, watches, subscriptions. Each session counts its own bytes, and every change
// also goes to one total, so that memory in use, eviction and maxmemory-clients know the total
// without asking the sessions. A session that holds nothing pays nothing. Sessions fall into groups
// with a total each: maxmemory-clients does not count replicas, and not all other sessions may be
// evicted.

// holdings is what one session holds.
type holdings struct {
	// The bytes that the connection holds and keeps up to date: input that is not parsed, the room
	// behind it, arguments that wait for the rest of their command, and unsent output. Query is
	// stored last.
	Query, QueryFree, Args, Unsent Tally

	Received, Sent atomic.Int64 // bytes, since the connection was opened; the connection counts them

	// Announced is what the connection does not hold yet of a large argument whose length it knows.
	// maxmemory-clients counts it, as in Redis; used_memory and maxmemory do not, else a few bytes
	// would evict keys and end the replies of others.
	Announced Tally

	kept    Tally  // what commands made the engine keep: queued, watched, subscribed ...
	waiting Tally  // the buffers of replies and messages, when they were last counted
	group   *group // whose totals the tallies belong to
}

// Tally is a number of bytes that a session makes the server hold. It may be used from any
// goroutine.
type Tally struct {
	bytes atomic.Int64
	of    *total // of the session's group; nil for a script's, which nothing counts
}

// Load returns the number of bytes.
func (t *Tally) Load() int64 { return t.bytes.Load() }

// Store changes the number of bytes.
func (t *Tally) Store(n int64) {
	if t.bytes.Load() != n {
		t.of.add(n - t.bytes.Swap(n))
	}
}

// Add adds n bytes, which may be negative.
func (t *Tally) Add(n int) {
	t.bytes.Add(int64(n))
	t.of.add(int64(n))
}

// ReplicaTally returns a tally of what is held for the replicas together.
func (e *Engine) ReplicaTally() *Tally { return &Tally{of: &e.Sessions.held.replicas.kept} }

// held is the totals of all sessions.
type held struct {
	evictable group
	spared    group // CLIENT NO-EVICT, and sessions without a connection
	replicas  group
	limit     atomic.Int64 // maxmemory-clients in bytes; 0 for none
	alarm     func(int64)  // asks the host for a Tick; may be nil
}

// Held returns the bytes that clients make the server hold. It may be called without the lock.
func (e *Engine) Held() int64 { return e.Sessions.held.bytes() }

// link makes the groups know what they are part of.
func (h *held) link() {
	for _, g := range []*group{&h.evictable, &h.spared, &h.replicas} {
		g.kept.of, g.announced.of = h, h
	}
}

// group is the total of some sessions.
type group struct {
	kept      total
	announced total        // see Session.Announced
	sessions  atomic.Int64 // that are connected
}

// total is the sum of tallies.
type total struct {
	bytes atomic.Int64
	of    *held
}

func (t *total) add(n int64) {
	if t == nil {
		return
	}
	if t.bytes.Add(n); n > 0 && t.of.alarm != nil && t.of.exceeded() {
		t.of.alarm(0)
	}
}

// memory returns the bytes of the group's sessions with what they hold.
func (g *group) memory() int64 { return g.sessions.Load()*sessionBytes + g.kept.bytes.Load() }

// claim returns the bytes of the group's sessions for maxmemory-clients.
func (g *group) claim() int64 { return g.memory() + g.announced.bytes.Load() }

// bytes returns what all sessions hold.
func (h *held) bytes() int64 {
	return h.evictable.kept.bytes.Load() + h.spared.kept.bytes.Load() + h.replicas.kept.bytes.Load()
}

// limited reports whether clients may be evicted at all.
func (h *held) limited() bool { return h.limit.Load() > 0 }

// exceeded reports whether clients that may be evicted must be, because they and those that are
// spared hold too much.
func (h *held) exceeded() bool {
	limit := h.limit.Load()
	return limit > 0 && h.evictable.sessions.Load() > 0 && h.evictable.claim()+h.spared.claim() >= limit
}

// regroup counts the session to the group that it belongs to now. Its own event loop calls it,
// under the lock.
func (s *Session) regroup() {
	h := &s.engine.Sessions.held
	to := &h.evictable
	switch {
	case s.attached():
		to = &h.replicas
	case s.modes.NoEvict || s.master || s.Peer == nil:
		to = &h.spared
	}
	if to != s.group {
		s.ungroup()
		s.moveTo(to)
		to.sessions.Add(1)
	}
}

// ungroup takes the session out of the number of its group, where its bytes remain.
func (s *Session) ungroup() {
	if s.group != nil {
		s.group.sessions.Add(-1)
	}
}

// moveTo moves the session's bytes to another group.
func (s *Session) moveTo(g *group) {
	s.group = g
	for _, t := range s.tallies() {
		t.moveTo(&g.kept)
	}
	s.Announced.moveTo(&g.announced)
}

func (t *Tally) moveTo(of *total) {
	t.of.add(-t.bytes.Load())
	t.of = of
	t.of.add(t.bytes.Load())
}

// release takes the session's bytes out of the total. Its connection must not count any more.
func (s *Session) release() {
	for _, t := range s.tallies() {
		t.Store(0)
	}
	s.Announced.Store(0)
}

// memory returns the bytes of a session with what it holds.
func (s *Session) memory() int64 {
	sum := sessionBytes + s.Announced.Load()
	for _, t := range s.tallies() {
		sum += t.Load()
	}
	return sum
}

// Output returns the bytes of replies and messages that the client has not got.
func (s *Session) Output() int {
	return s.Reply.Len() + int(s.Unsent.Load()+s.shared())
}

// inputRoom returns the bytes of the room behind the input, as Redis has it.
func (s *Session) inputRoom() int64 { return s.QueryFree.Load() + s.Announced.Load() }

// tallies returns all that the session keeps.
func (s *Session) tallies() [6]*Tally {
	return [...]*Tally{&s.Query, &s.QueryFree, &s.Args, &s.Unsent, &s.kept, &s.waiting}
}

// What the server's own tables take for one thing that a session keeps, about, in bytes, beside its
// text.
const (
	argBytes    = 24 // of a queued or blocked command
	queuedBytes = 48 // a queued command
)

// commandBytes returns the bytes of a copied command.
func commandBytes(args [][]byte) int { return argsBytes(args) + len(args)*argBytes + queuedBytes }

func argsBytes(args [][]byte) (n int) {
	for _, a := range args {
		n += len(a)
	}
	return n
}
