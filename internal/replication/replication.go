// Package replication copies data and all changes from a master to its replicas. A server is either
// or both: a replica may have replicas of its own.
//
//	   master's stream
//	         │ link                              the connection to this server's master, if any
//	         ▼
//	commands of the master ─▶ data
//	         │                 │
//	         │ as it is        │ changes by clients, where there is no master
//	         ▼                 ▼
//	       stream ──▶ buffer ─┬─▶ replicas       each with a position; waits for its snapshot
//	                          └─▶ backlog        for replicas that reconnect
//
// The stream is one sequence of bytes: the commands that reproduce each change, as in the journal.
// Masters and replicas count its bytes; the count is the offset. An id names the history that an
// offset belongs to. A replica passes the stream of its master on, byte by byte, so that ids and
// offsets are the same along a chain. When it becomes a master, its history gets a new id. The old
// id stays valid up to that offset, so that replicas of the former master, and that master itself,
// go on without a snapshot.
//
// As a master (type Master; replica is a session that receives the stream):
//
//	sync        PSYNC: the backlog, or else a transfer
//	older       what a replica of another release cannot follow
//	transfer    sends a snapshot while it is taken
//	attach      a replica comes, catches up, and goes; limit: how much may wait for it
//	history     what the stream is, and which replicas may go on with it
//	stream      what is passed on
//	buffer      its end: the backlog, and what replicas have not received
//	wait, good  WAIT, and how many replicas writes need
//	handover    FAILOVER: hands the role over to a replica; failover: how that ends
//
// In a group (package sentinel says more of what clients see), nothing of this runs, and group.go
// answers ROLE and INFO.
//
// As a replica (type link; package psync speaks the protocol):
//
//	follow          REPLICAOF: who is the master
//	role            what becomes of the history
//	link            connects, and connects again: link_connect, link_handshake
//	link_sync       asks for the stream, loads a snapshot
//	link_stream     executes the stream, which an event loop reads if possible; acknowledges
//
// Invariants:
//  1. The stream of a master runs from the first replica's snapshot until repl-backlog-ttl after
//     the last replica has disconnected. At all other times changes are not propagated here, and
//     cost nothing. That of a replica runs from its first synchronization on.
//  2. A replica receives every byte of the stream after its snapshot, in order. A replica that
//     cannot is disconnected.
//  3. A replica's offset counts what it has executed, and is never within a transaction.
//  4. Old data stay, and are served, until a snapshot is loaded completely. Then it replaces them
//     at once.
//  5. Everything happens under the engine's lock, except input and output: the transfer of a
//     snapshot takes the lock for one slice at a time, and a snapshot that arrives is loaded
//     without it.
//
// Unlike Redis, a replica keeps no file of a snapshot that arrives, and never replies LOADING while
// it has data; with repl-diskless-load flush-before-load it does, and needs memory only once.
package replication

import (
	"context"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Options are what a master needs from other packages. Each may be nil.
type Options struct {
	// Journal is what WAITAOF waits for; nil for a server without a journal.
	Journal Journal
	// Log writes a line to the log. The mark is the level, as in Redis: # warning, * notice.
	Log func(mark byte, format string, args ...any)
	// Spawn starts a goroutine that runs a function; go run() if nil.
	Spawn func(run func())
	// Dial connects to a master while ctx lasts. Without it there is no replica.
	Dial func(ctx context.Context, host, port string) (net.Conn, error)
}

// Journal knows which changes are on disk. It is called under the engine's lock.
type Journal interface {
	// Synced reports whether the journal is on, and whether all changes so far are on disk.
	Synced() (enabled, synced bool)
	// Await calls done, under the lock, when all changes so far are on disk.
	Await(done func())
	// Restart begins the journal anew with the data that there are now, which have replaced others.
	Restart()
}

// noJournal is the journal of a server without one.
type noJournal struct{}

func (noJournal) Synced() (enabled, synced bool) { return false, false }
func (noJournal) Await(func())                   {}
func (noJournal) Restart()                       {}

// Master is the master's side of replication.
type Master struct {
	engine *engine.Engine
	opts   Options

	stream     stream
	unreceived *engine.Tally // bytes that only replicas need, see bufferBytes
	replicas   []*replica    // attached, in the order in which they attached
	waits      []*wait       // clients that are blocked in WAIT and WAITAOF
	asked      int64         // the offset for which SHUTDOWN has asked replicas to acknowledge
	denies     bool          // writes are refused, because replicas are missing

	// Microseconds since the epoch: the last cron, the last PING in the stream, the last disconnect
	// of a replica.
	cronAt, pingAt, leftAt int64

	link     *link // to this server's master; nil if it has none
	downFor  int64 // seconds that masters were lost, up to the last one that was connected
	started  bool  // the link, if there was one at the start
	failover failover

	retryAfter time.Duration // the pause of the link after a failed attempt

	warned  map[string]bool // lines about replicas that were logged, see older.go
	syncs   syncs
	traffic traffic
	params  params
}

// syncs counts synchronizations.
type syncs struct{ full, partial, partialFailed int64 }

// traffic is the bytes of streams and snapshots, and their rates.
type traffic struct {
	in, out         int64
	inRate, outRate engine.Rate
}

// partName is the master's name in the engine.
const partName = "replication"

// wait is a client blocked in WAIT or WAITAOF.
type wait struct {
	blocked  *engine.Blocked
	offset   int64 // that replicas must acknowledge
	replicas int
	fsynced  bool // they must have synced it
	local    bool // this server must sync it, and has not yet
	reply    func(s *engine.Session, replicas int)
}

// A failover hands the role of the master over to a replica, without losing a write:
//
//	none ─FAILOVER─▶ waitForSync ─ a replica has all ─▶ inProgress ─ PSYNC ─▶ none, its replica
//	                     │ writes wait                     │ refused, ABORT
//	                     └─ timeout, ABORT ─▶ none         └─▶ none, as the master
type failover struct {
	state    failoverState
	host     string // of the replica; empty for any
	port     int64
	force    bool  // at the deadline the replica takes over in any case
	deadline int64 // milliseconds since the epoch; 0 for none
}

type failoverState int

const (
	noFailover failoverState = iota
	waitForSync
	inProgress
)

// failoverStates are the names of the states in INFO.
var failoverStates = [...]string{noFailover: "no-failover", waitForSync: "waiting-for-sync",
	inProgress: "failover-in-progress"}

// backlogBytes returns the size of the backlog.
func (m *Master) backlogBytes() int { return int(max(m.params.backlogSize, minBacklog)) }
