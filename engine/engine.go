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
	"slices"
	"strings"
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

// timing is what the engine knows of time. Invariant: within a batch it stands still.
type timing struct {
	clock   func() int64 // microseconds since the epoch
	micros  int64        // the clock at the start of the batch
	started int64        // microseconds
	dueAt   int64        // when the host is to call Tick next; milliseconds
}

// randomness is the engine's one source of random numbers.
type randomness struct {
	source *rand.Rand
	dice   func(n uint64) uint64 // Dice, for callees through which it escapes
}

// stack is the calls under way, and memory that they share.
type stack struct {
	calls  []*Call // one for each depth of nesting
	depth  int
	buffer []byte               // see Call.Buffer
	kept   map[reflect.Type]any // see Kept
}

// Options are what an engine needs from outside.
type Options struct {
	Databases int          // 16 if 0
	Clock     func() int64 // microseconds since the epoch
	Seed      uint64       // of hash functions and dice
}

type stats struct {
	hits, misses, expired, commands, connections int64
	expiredElements                              int64 // elements
	totalErrors                                  int64
	errors                                       map[string]int64
	peak                                         int // of the bytes in use
	rates                                        rates
}

// New returns an engine with empty databases and no commands.
func New(o Options) *Engine {
	if o.Databases == 0 {
		o.Databases = 16
	}
	e := &Engine{
		Config:   newConfig(),
		time:     timing{clock: o.Clock, started: o.Clock()},
		random:   randomness{source: rand.New(rand.NewPCG(o.Seed, o.Seed^0x9e3779b97f4a7c15))},
		commands: commandTable{byName: make(map[string]*Command)},
		Parts:    parts{params: make(map[string]*Param), libraries: noLibraries{}},
		Sessions: newSessions(),
		users:    newUsers(),
		blocked:  newBlockedClients(),
		watched:  make(map[dbKey][]*Session),
		pubsub:   newPubSub(),
		tracking: tracking{most: 1000000},
		eviction: newEviction(),
		slowlog:  slowlog{slower: 10000, most: 128},
	}
	e.stats.errors = make(map[string]int64)
	e.Config.Hash.Seed, e.Config.Set.Seed = o.Seed, o.Seed
	e.random.dice = e.Dice
	e.Keyspace = keyspace.New(o.Databases, o.Seed, e.random.dice)
	e.Keyspace.OnExpire, e.Keyspace.OnCreate, e.Keyspace.OnExpireElements = e.keyExpired, e.keyCreated, e.elementsExpired
	e.runID = e.NewID()
	e.Join(Part{Params: slices.Concat(e.coreParams(), e.evictionParams(), ignoredParams()),
		Sections: e.coreSections()})
	e.readClock()
	return e
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

// Outcome is what a connection must know after its commands ran.
type Outcome struct {
	Executed int    // commands executed; the rest of the batch must wait
	Out      []byte // the replies, valid until the session's next Do or Collect
	Blocked  bool   // no further command may run until the session's Peer is woken
	Closing  bool   // close once Out is sent

	Class Class // of clients, by which its output is limited
}

// Do executes the commands of a batch for a session, in order. It takes fewer than all when the
// session is parked or is to be closed.
func (e *Engine) Do(s *Session, batch [][][]byte) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readClock()
	s.seen = e.time.micros
	taken := 0
	s.useLentBuffer()
	for i, args := range batch {
		if i%keyspace.PrefetchKeys == 0 && len(batch) > 1 {
			e.prefetch(s, batch[i:])
		}
		if s.isStopped() || !e.execute(s, args) {
			break
		}
		taken++
		if e.blocked.ready != nil {
			e.serveBlocked()
		}
	}
	e.stopTimer()
	e.endBatch()
	o := s.takeReplies()
	o.Executed = taken
	return o
}

// prefetch has the keys of the next commands of a batch fetched together. That a command's key is its first
// argument is true of nearly all of them, and so is that keys are short.
func (e *Engine) prefetch(s *Session, batch [][][]byte) {
	const longest = 64
	db := e.Keyspace.DB(s.db)
	if !db.Cold() {
		return
	}
	var keys [keyspace.PrefetchKeys][]byte
	n := 0
	for _, args := range batch[:min(len(batch), len(keys))] {
		if len(args) > 1 && len(args[1]) <= longest {
			keys[n] = args[1]
			n++
		}
	}
	db.Prefetch(keys[:n], 1)
}

// Collect returns the replies and pushes that were written to a session outside of its own Do, and
// its state.
func (e *Engine) Collect(s *Session) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := s.takeReplies()
	if o.Class != Ordinary && cap(o.Out) <= maxPushed {
		s.spare = o.Out // it was not lent
	}
	return o
}

// With runs fn under the lock, with the clock sampled, for work that is not a command.
func (e *Engine) With(fn func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readClock()
	fn()
	if e.blocked.ready != nil {
		e.serveBlocked()
	}
	e.endBatch()
}

// endBatch sends what waits for the end of a batch.
func (e *Engine) endBatch() {
	if e.tracking.changes != nil {
		e.broadcastChanges()
	}
	if e.tracking.readers != nil {
		e.trimReaders()
	}
}

// due asks the host for a Tick at a time that is earlier than the next one it knows of.
func (e *Engine) TickBy(deadline int64) {
	if e.Parts.host.Due != nil && (e.time.dueAt == 0 || deadline < e.time.dueAt) {
		e.time.dueAt = deadline
		e.Parts.host.Due(deadline)
	}
}

// execute takes one command through table and gate. It returns false if the command has to wait for
// the end of a pause and was not taken.
func (e *Engine) execute(s *Session, args [][]byte) bool {
	if len(args) == 0 {
		return true
	}
	start := s.Reply.Len()
	cmd, err := e.Resolve(args)
	if err == nil {
		err = e.gate(s, cmd, args)
	}
	switch {
	case err != nil:
		e.reject(s, cmd, err)
	case e.pause.deadline != 0 && e.isPaused(s, cmd, args):
		e.postponeSession(s)
		return false
	case s.tx != nil && cmd.Flags&AllowTx == 0:
		s.queue(cmd, args)
		s.Reply.Status("QUEUED")
	case cmd.Flags&MayBeSlow != 0 && e.slow.enabled:
		e.startTimer(s, cmd, args)
		e.runSlow(s, cmd, args, start)
	default:
		e.startTimer(s, cmd, args)
		e.run(s, cmd, args)
	}
	if !s.running {
		s.afterCommand(start)
		if s.tracker != nil {
			e.endTrackedCommand(s, cmd)
		}
	}
	return true
}

// endTrackedCommand ends a command of a session that tracks keys.
func (e *Engine) endTrackedCommand(s *Session, cmd *Command) {
	t := s.tracker
	if t.own != nil || t.ownFlush {
		e.pushOwnInvalidations(s)
	}
	if t.once && s.tx == nil && (cmd == nil || cmd.Flags&KeepsCaching == 0) {
		t.once = false
	}
}

// reject sends the gate's error and spoils an open transaction; EXEC ends it.
func (e *Engine) reject(s *Session, cmd *Command, err error) {
	if cmd != nil {
		cmd.stats.rejected++
	}
	if s.tx != nil {
		s.tx.spoiled = true
	}
	if cmd != nil && cmd.Flags&RunsTx != 0 {
		err = fmt.Errorf(ErrExecRefused, strings.TrimPrefix(err.Error(), "ERR "))
		s.tx = nil
		e.unwatch(s)
	}
	e.countError(err.Error())
	s.Reply.Error(err)
}

// run executes a command that passed the gate. Calls nest: EXEC and scripts run others.
func (e *Engine) run(s *Session, cmd *Command, args [][]byte) *Call {
	c := e.enter(s, cmd, args)
	start := s.Reply.Len()
	cmd.Run(c)
	e.leave(c, start)
	return c
}

// enter takes the call for the next depth. Calls are reused, so that running one costs no memory.
func (e *Engine) enter(s *Session, cmd *Command, args [][]byte) *Call {
	if e.stack.depth == len(e.stack.calls) {
		e.stack.calls = append(e.stack.calls, &Call{Engine: e})
	}
	c := e.stack.calls[e.stack.depth]
	e.stack.depth++
	e.Keyspace.Begin()
	e.Keyspace.Access.NoTouch = s.noTouch
	c.Session, c.DB, c.Cmd, c.Args, c.Reply = s, e.Keyspace.DB(s.db), cmd, args, s.Reply
	c.at, c.err, c.dirty = 1, nil, 0
	if cmd.parent != nil {
		c.at = 2
	}
	c.logged, c.woken, c.blocked, c.shown = false, false, false, nil
	return c
}

// leave counts the call and journals what it changed. A call that parked its session is counted when
// it has its reply.
func (e *Engine) leave(c *Call, start int) {
	e.stack.depth--
	switch {
	case c.blocked:
		return
	case c.Session.loader:
		c.Session.loaded(c.Reply.Bytes()[start:])
		return
	}
	c.Cmd.stats.calls++
	e.stats.commands++
	if c.shown != nil && e.stack.depth == 0 {
		e.stopwatch.args = c.shown
	}
	if len(e.Sessions.monitors) > 0 && c.Cmd.Flags&(SkipMonitor|Admin) == 0 {
		e.feedMonitors(c)
	}
	if e.tracking.sessions > 0 {
		e.trackReads(c)
	}
	if out := c.Reply.Bytes(); len(out) > start && out[start] == '-' {
		c.Cmd.stats.failed++
		e.countError(string(out[start+1:]))
	}
	if c.dirty > 0 {
		e.persistence.dirty += c.dirty
		if !c.logged {
			e.propagate(c.DB.ID(), c.Args)
		}
	}
}

// countError counts an error by its first word, for INFO errorstats.
func (e *Engine) countError(text string) {
	e.stats.totalErrors++
	for i := range len(text) {
		if ch := text[i]; ch == ' ' || ch == '\r' {
			text = text[:i]
			break
		}
	}
	if len(e.stats.errors) < 128 || e.stats.errors[text] > 0 {
		e.stats.errors[text]++
	}
}

// changed is the one place where a change of a key takes effect beyond its value.
func (e *Engine) changed(db *keyspace.DB, key []byte, event string) {
	removed := db.Commit(key)
	if len(e.watched) > 0 {
		e.touchWatched(db.ID(), key)
	}
	if e.Config.notify != 0 && event != "" {
		e.notify(db, key, event)
		if removed {
			e.notify(db, key, "gdel")
		}
	}
	if len(e.blocked.keys) > 0 && !removed {
		e.blocked.signal(db.ID(), key)
	}
}

// keyExpired is called by the keyspace when it removes a due key.
func (e *Engine) keyExpired(db *keyspace.DB, key string) {
	e.stats.expired++
	e.keyRemoved(db, key, "xexpired")
}

// keyRemoved tells everyone that a key went without a command.
func (e *Engine) keyRemoved(db *keyspace.DB, key, event string) {
	if e.propagation.to != nil {
		e.propagate(db.ID(), [][]byte{[]byte("DEL"), []byte(key)})
	}
	e.invalidateExpired(db, key)
	if len(e.blocked.keys) > 0 {
		e.blocked.signal(db.ID(), []byte(key))
	}
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), event)
	}
}

// invalidateExpired tells those who track or watch a key that time has changed it.
func (e *Engine) invalidateExpired(db *keyspace.DB, key string) {
	if e.tracking.sessions > 0 {
		e.invalidate(key, nil)
	}
	if len(e.watched) > 0 {
		e.touchWatched(db.ID(), []byte(key))
	}
}

// keyCreated is called by the keyspace when it adds a key.
func (e *Engine) keyCreated(db *keyspace.DB, key string) {
	if e.Config.notify != 0 {
		e.notify(db, []byte(key), "nnew")
	}
}

// RunNested takes a command that was resolved for a script's session through the gate for scripts and
// executes it; its reply is then in the session's Reply. It returns the gate's error, if there is one.
// A script past the threshold takes the lock for it.
func (e *Engine) RunNested(s *Session, cmd *Command, args [][]byte) error {
	if e.slow.detached {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	if err := e.scriptGate(s, cmd, args); err != nil {
		return err
	}
	s.wrote = s.wrote || cmd.Flags&Write != 0
	s.Reply.Reset()
	e.run(s, cmd, args)
	return nil
}
