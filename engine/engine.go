// Package engine is what a command is and how it runs. It has no socket and no goroutine; its clock
// and its dice are handed to it.
//
//	server ──batch──▶ Do ──▶ Resolve ─▶ gate ─▶ Handler(Call) ─▶ Changed ─▶ journal, waiters
//	                 lock     table     flags    ask check change tell
//
// The life of a request, in order: Do takes the one lock for a batch of commands, samples the clock
// once and has the keys of a pipeline fetched from memory together; each command is resolved in the
// table; the gate, one function, reads its flags against the state of session and server; the handler
// runs; what changed is reported once through Call.Changed; waiters whose keys became ready are
// served, oldest first.
//
// Invariants:
//  1. Everything below Do runs under the lock. One lock held for a batch is the definition of
//     atomicity.
//  2. Errors are sent before anything is changed.
//  3. Every change goes through Changed, so that WATCH, keyspace events, waiters and the journal
//     cannot be forgotten.
//  4. The table is the only seam between a command and its callers: COMMAND, MULTI, scripts and the
//     journal all go through it.
package engine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"

	"github.com/miniserver-go/miniserver/keyspace"
)

// Engine executes commands on a keyspace for its sessions.
type Engine struct {
	Keyspace *keyspace.Keyspace
	Config   *Config

	mu     sync.Mutex
	runID  string
	time   timing
	random randomness

	// What there is to run, and what runs.
	commands commandTable
	Parts    parts
	stack    stack
	slow     slowScript

	// Clients.
	Sessions sessions
	users    users
	blocked  blockedClients
	watched  map[dbKey][]*Session
	pubsub   pubsub
	tracking tracking
	pause    pause

	// Data.
	eviction    eviction
	propagation propagation
	persistence persistence

	// Figures.
	stats     stats
	stopwatch stopwatch
	slowlog   slowlog
	latency   latency
}

// Options are what an engine needs from outside.
type Options struct {
	Databases int          // 16 if 0
	Clock     func() int64 // microseconds since the epoch
	Seed      uint64       // of hash functions and dice
}

// timing is what the engine knows of time. Invariant: within a batch it stands still.
type timing struct {
	clock    func() int64 // microseconds since the epoch
	micros   int64        // the clock at the start of the batch
	started  int64        // microseconds
	nextTick int64        // when the host is to call Tick next; milliseconds
}

// randomness is the engine's one source of random numbers.
type randomness struct {
	source *rand.Rand
	dice   func(n uint64) uint64 // Dice, for callees through which it escapes
}

// stack is the calls under way, and memory that they share.
type stack struct {
	calls     []*Call // one for each depth of nesting
	depth     int
	buffer    []byte               // see Call.Buffer
	perEngine map[reflect.Type]any // see Kept
}

// RunID returns what identifies this engine among all: 40 hexadecimal digits.
func (e *Engine) RunID() string { return e.runID }

// NewID returns 40 random hexadecimal digits.
func (e *Engine) NewID() string {
	return fmt.Sprintf("%016x%016x%08x", e.random.source.Uint64(), e.random.source.Uint64(), e.random.source.Uint32())
}

// Dice returns a random number below n.
func (e *Engine) Dice(n uint64) uint64 { return e.random.source.Uint64N(n) }

// Random returns 64 random bits.
func (e *Engine) Random() uint64 { return e.random.source.Uint64() }

// Micros returns the time of the batch in microseconds since the epoch.
func (e *Engine) Micros() int64 { return e.time.micros }

// readClock reads the clock for the batch.
func (e *Engine) readClock() {
	now := e.time.clock()
	e.stopwatch.since = now
	if e.slow.session != nil {
		return // a script that is still running sees the time of its start
	}
	e.time.micros = now
	e.Keyspace.Now = now / 1000
}

// due asks the host for a Tick at a time that is earlier than the next one it knows of.
func (e *Engine) TickBy(deadline int64) {
	if e.Parts.host.Due != nil && (e.time.nextTick == 0 || deadline < e.time.nextTick) {
		e.time.nextTick = deadline
		e.Parts.host.Due(deadline)
	}
}
