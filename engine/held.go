package engine

import "sync/atomic"

// What clients make the server hold: input that waits, replies that are not read, queued and blocked commands, watches,
// subscriptions. Each session counts its own bytes, and every change also goes to one total, so that memory in use,
// eviction and maxmemory-clients know the total without asking the sessions. A session that holds nothing pays nothing.

// Tally is a number of bytes that a session makes the server hold. It may be used from any goroutine.
type Tally struct {
	bytes atomic.Int64
	all   *held
}

// Load returns the number of bytes.
func (t *Tally) Load() int64 { return t.bytes.Load() }

// Store changes the number of bytes.
func (t *Tally) Store(n int64) {
	if t.bytes.Load() != n {
		t.all.add(n - t.bytes.Swap(n))
	}
}

// Add adds n bytes, which may be negative.
func (t *Tally) Add(n int) {
	t.bytes.Add(int64(n))
	t.all.add(int64(n))
}

// held is the total of all sessions.
type held struct {
	bytes atomic.Int64
	limit atomic.Int64 // maxmemory-clients in bytes; 0 for none
	alarm func(int64)  // asks the host for a Tick; may be nil
}

func (h *held) add(n int64) {
	if h == nil {
		return // a script's session
	}
	if total := h.bytes.Add(n); n > 0 && h.alarm != nil && h.exceeded(total) {
		h.alarm(0)
	}
}

// exceeded reports whether so many bytes are over the limit.
func (h *held) exceeded(bytes int64) bool {
	limit := h.limit.Load()
	return limit > 0 && bytes >= limit
}

// countIn makes the session's bytes part of a total.
func (s *Session) countIn(h *held) {
	for _, t := range s.tallies() {
		t.all = h
	}
}

// release takes the session's bytes out of the total. Its connection must not count any more.
func (s *Session) release() {
	for _, t := range s.tallies() {
		t.Store(0)
	}
}

// memory returns the bytes of a session with what it holds.
func (s *Session) memory() int64 {
	sum := int64(sessionBytes)
	for _, t := range s.tallies() {
		sum += t.Load()
	}
	return sum
}

func (s *Session) tallies() [6]*Tally {
	return [...]*Tally{&s.Query, &s.QueryFree, &s.Args, &s.Unsent, &s.kept, &s.waiting}
}

// What the server's own tables take for one thing that a session keeps, about, in bytes, beside its text.
const (
	argBytes    = 24  // of a queued or blocked command
	queuedBytes = 48  // a queued command
	nameBytes   = 220 // a channel or pattern, in the session's set and in the table of all
	watchBytes  = 160 // a watched key, in the session's list and in the table of all
	prefixBytes = 16  // a prefix of CLIENT TRACKING
	readerBytes = 120 // a key in the table of CLIENT TRACKING
)

// commandBytes returns the bytes of a copied command.
func commandBytes(args [][]byte) int { return argsBytes(args) + len(args)*argBytes + queuedBytes }

func argsBytes(args [][]byte) (n int) {
	for _, a := range args {
		n += len(a)
	}
	return n
}
