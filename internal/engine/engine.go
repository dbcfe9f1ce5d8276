// Package engine is how a command runs; what it is, package command says. It has no socket, no
// goroutine of its own, no clock and no source of randomness: Options and Host provide them. So a
// test that controls time and seed gets the same replies every time.
//
// The life of a request:
//
//	server ── batch ──▶ Do                  takes the lock, reads the clock, prefetches keys
//	                     │ each command
//	                     ▼
//	                  execute               finds the line in the table: Resolve
//	                     │
//	                     ▼
//	                   gate                 flags of the line against session and server ──▶ error
//	                     │
//	                     ├──▶ hinder        CLIENT PAUSE, faults
//	                     ├──▶ queued        after MULTI
//	                     ├──▶ runSlow       EVAL and the like, on a coroutine
//	                     ├──▶ runGradually  searches, on another one
//	                     ▼
//	                    run                 a Call for this depth of nesting
//	                     │
//	                     ▼
//	                handler(Call)           parse, check, change, reply
//	                     │ Changed          observers, keyspace events, ready keys
//	                     ▼
//	                 propagate              to the journal and the replicas
//	                     │
//	                     ▼
//	               serveBlocked             runs blocked commands again whose keys are ready
//	                     │ end of the batch
//	                     ▼
//	                  Outcome               the replies, and what the connection must do next
//
// The files, by what they are about:
//
//	nouns            engine, world, hands, session, call, executions, part, type, config, observer
//	many commands    dispatch: batches; slowscript, debugged, gradual; tick: what is due
//	one command      gate, cluster, acl, faults, pause, run, transaction, blocked, evict
//	effects          change, propagation, databases, lookup, connections
//	clients          replies, output, held, evict_clients
//	the server       role, persistence, memory, stats, stopwatch, info
//
// Their types know one another: a command gets a call, a call has a session, and a session is in a
// world. What does not need them is a package below, such as topology, eviction and permission;
// what only some commands need is a part above, such as SHUTDOWN and active defragmentation.
//
// Invariants:
//  1. Everything below Do runs under the lock, which is held for a whole batch. This makes
//     commands, transactions and scripts atomic. A slow script releases it: see slowscript.go.
//  2. The clock stands still within a batch. A key cannot expire between two steps of a command.
//  3. A handler replies with an error before it changes anything. Nothing is rolled back.
//  4. Every change of a key goes through Changed, so that no handler can forget WATCH, keyspace
//     events, client-side caches, blocked clients or the journal.
//  5. The table is the only seam between a command and its callers. Clients, MULTI, scripts and the
//     journal all run its lines.
//  6. The gate is the only place that decides whether a command may run. A new condition is a new
//     flag.
//  7. A blocked command has taken nothing. It runs again from its start, under the lock, when a key
//     is ready.
//
// Not here: the data commands (package commands and below), sockets and output limits (server),
// files (persistence), sending to replicas (replication), Lua (scripting). They join as values of
// type Part.
//
// Unlike Redis, which has one thread, the engine has one lock, because several event loops and
// callers in process share it. A script past its time limit continues on another goroutine; Redis'
// script calls the event loop from within. And Tick says when it is next needed, so that a deadline
// is met on time; Redis' cron runs at a fixed rate.
package engine

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// Engine executes commands on a keyspace for its sessions. Its fields are grouped by the files that
// own them.
type Engine struct {
	Config  *Config
	Release *release.Release // as which it behaves; it never changes

	mu    sync.Mutex
	RunID string // 40 hexadecimal digits that identify the engine
	// The machine's clock in microseconds, for durations: they pass also if a part steers the clock
	// of a world.
	Machine func() int64
	home    *World
	worlds  []*World // all of them, home first
	// Those whose followers have to execute changes: see following.go.
	unsettled []*World
	others    atomic.Int64 // when a world but home needs a Tick, by the machine's clock; 0 for never

	// What there is to run, and what runs.
	Commands   *command.Table
	executions []execution // by the commands' ids
	Parts      parts
	Params     *config.Table // of CONFIG
	stack      stack
	Slow       SlowScript
	gradual    gradual

	// Clients.
	Sessions sessions
	Users    *acl.Users

	asReplica   replicaRules // of the home world, if it is one
	logsReplica atomic.Bool  // it is one: see RoleLetter

	// Data.
	access      keyspace.Access // what lookups record, in all worlds
	eviction    evicting
	accounts    accounts
	persistence persistence

	// Figures.
	stats     stats
	stopwatch stopwatch
	pace      pace
	expiring  expiring
}

// Options are what an engine needs from outside.
type Options struct {
	Databases int              // 16 if 0
	Release   *release.Release // as which it behaves; the default if nil
	Clock     func() int64     // microseconds since the epoch
	Seed      uint64           // of hash functions and dice
	// About maxmemory: scripts and transactions that have begun to write are refused more memory,
	// too.
	Strict bool
}

// stack is the calls under way, and memory that they share.
type stack struct {
	calls     []*Call // one for each depth of nesting
	depth     int
	buffer    []byte               // see Call.Buffer
	perEngine map[reflect.Type]any // see PerEngine
}

// runs reports whether a command of the session is under way. O(depth of nesting).
func (st *stack) runs(s *Session) bool {
	if s.running && s.debugger == nil {
		return true
	}
	for _, c := range st.calls[:st.depth] {
		if c.Session == s {
			return true
		}
	}
	return false
}

// Group returns the group of the home world as this member knows it; nil without a group. It is
// called under the lock.
func (e *Engine) Group() *topology.Group { return e.home.Group() }

// Group returns the world's group as this member knows it; nil without a group. The masters and
// replicas of a cluster's shard are one.
func (w *World) Group() *topology.Group {
	if w.Topology == nil {
		return nil
	}
	return w.Topology.Group()
}

// NewID returns 40 random hexadecimal digits.
func (w *World) NewID() string {
	return fmt.Sprintf("%016x%016x%08x", w.random.source.Uint64(), w.random.source.Uint64(), w.random.source.Uint32())
}

// readClock reads the clock for the batch.
func (w *World) readClock() {
	e := w.engine
	if !e.pace.active {
		e.begin()
	}
	now := w.time.clock()
	if e.stopwatch.since = now; w.time.steered != nil {
		e.stopwatch.since = e.Machine()
	}
	if w.isMidScript() {
		return // a script that is still running sees the time of its start
	}
	w.time.micros = now
	w.Keyspace.Now = w.readHands() / 1000
}

// TickBy asks the host to call Tick at deadline, in milliseconds since the epoch, unless it will do
// so earlier anyway.
func (w *World) TickBy(deadline int64) {
	if w.engine.Parts.Host.Due != nil && (w.time.nextTick == 0 || deadline < w.time.nextTick) {
		w.time.nextTick = deadline
		w.engine.Parts.Host.Due(deadline)
	}
}
