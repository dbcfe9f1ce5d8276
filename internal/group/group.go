// Package group makes an engine the member of a group: several servers with the same data, one of
// which leads. A confirmed change is at most of the members, and stays there if any minority of
// them is lost.
//
//	              leader                                            the others
//	commands ─▶ data ─▶ effects ─▶ entry ─▶ log (consensus) ─▶ entry ─▶ effects ─▶ data
//	   ▲                                     │
//	   └──── replies ◀──── barrier ◀─────────┘ most members have stored the entry
//
// The log holds effects: the commands that reproduce each change, as a journal does and replicas
// receive them. It does not hold the commands of clients, because what those choose at random or by
// the clock, and what they evict, depends on more than the data. An entry is what one round of an
// event loop has changed.
//
// The leader executes a command at once, and the next command sees its changes. But replies and
// messages wait: they leave the server when all changes before them are committed. If there are
// none, the leader asks most members whether it still leads. Most reads wait for neither: a lease
// tells the leader that it leads, and no change of their keys is under way (settled.go). So what
// clients see is linearizable, reads too. If the leader loses its seat meanwhile, the connections
// end without a reply: the client cannot know what became of its command.
//
// Files: effects are collected (effects.go), become entries (entry.go), and these are under way in
// rounds (rounds.go, append.go). Members apply entries (machine.go), take and lose the seat
// (seat.go, role.go), write and load snapshots (snapshot.go). clock.go has the time, and part.go
// puts a member together. In a cluster of several groups share.go has which slots the group owns,
// hearsay.go what others own.
//
// Invariants:
//  1. The data of a member are those of the log up to the last entry it has applied, and at the
//     leader those of its own entries behind it.
//  2. A member that has executed what does not get into the log does not serve it: it rebuilds its
//     data from a snapshot and the log.
//  3. What leaves a leader tells only of entries that are committed, and of a moment at which it
//     led.
//  4. Only the leader expires, evicts and serves blocked clients. The others get the effects.
//  5. The time of the data is in the entries. It never goes back at a leader, and does not jump.
//
// Not here: Raft and its files (package consensus), what clients are told of the group
// (package topology, package sentinel).
//
// Unlike replicas of Redis a member never loses a confirmed write, and unlike WAIT this costs
// clients no command. A leader without a majority serves nothing.
package group

import (
	"context"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// Log is the group's log: a *consensus.Node.
type Log interface {
	Append(seat uint64, data []byte, done func(error))
	Verify(done func(error))
	Leased() bool
	Seats() <-chan consensus.Seat
	Rebuild(index uint64) error
	RebuildAll() error
	Transfer(id uint64) error
	Add(m consensus.Member) error
	Remove(id uint64) error
	Status() consensus.Status
	Close() error
}

// Options are what a member needs from outside.
type Options struct {
	Open  func(consensus.Options) (Log, error) // consensus.Open if nil
	Log   func(mark byte, format string, args ...any)
	Wall  func() int64     // the wall clock, microseconds since the epoch
	Nanos func() int64     // a clock that never jumps
	Spawn func(run func()) // starts a goroutine that runs a function, if possible on another processor; go run() if nil
	// Dial connects to a member of another group; without TLS if nil.
	Dial func(ctx context.Context, host, port string) (net.Conn, error)
}

// Group is one member. Its fields are used under the engine's lock.
type Group struct {
	engine  *engine.Engine
	opts    Options
	params  params
	log     Log
	session *engine.Session // of the log, whose commands the engine applies
	clock   clock

	leading   bool
	lost      chan struct{} // closed when the seat is lost
	handing   bool          // the seat over: nothing is appended
	questions []*question
	own       own
	effects   effects
	settled   settled
	rounds    rounds
	stored    []*stored
	scanner   *scanner

	seen    seen
	once    once
	clients map[uint64]string // where clients reach the members, as clientAddress returns it
	known   *topology.Group   // what clients are told
	sharing sharing
	asks    chan struct{} // see wakeHearsay

	moving   *export              // that runs; nil for none
	incoming map[string]*incoming // by the IDs of moves
	staging  bool                 // commands run that concern slots which move or have moved
	wakes    wakes
	failing  map[string]time.Time // since when moves fail; of their goroutine
	ended    chan struct{}
}

// own is what this member has executed as the leader. It outlasts the seat until the next leader's
// first entry tells whether all of it is in the log.
type own struct {
	seat              uint64 // 0: none
	term              uint64
	executed, applied uint64           // entries of the seat
	rebuilds          bool             // the data are being rebuilt
	keys              []command.KeyUse // room for those of one effect
}

// isAhead reports whether the data have changes that the log does not have yet.
func (o *own) isAhead() bool { return o.executed > o.applied }

// seen is what this member has applied.
type seen struct {
	index   uint64 // of the last entry
	replays uint64 // the last index of the log at the start: what is up to it is no news
	live    bool   // an entry was news
	at      int64  // when the last entry was applied, in nanoseconds
	skip    skip
}

// skip says which entries a snapshot held already when it was taken, though they come after its
// index.
type skip struct {
	Seat, Entries uint64
}

// wakes have the goroutines look that care for moves of slots.
type wakes struct{ moves, requests, trim chan struct{} }

func newWakes() wakes {
	return wakes{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}
}

// The names of the parts.
const (
	partName     = "group"
	messagesName = "group-messages"
)

// question is a command that the leader cannot answer at once.
type question struct {
	client    *engine.Blocked
	handsOver bool // the seat: when that is lost, the client has got what it asked for
	err       error
}

// stored is somebody who wants to know how many other members have what the leader had executed at
// a moment: WAIT.
type stored struct {
	seat, entry uint64 // the last entry with it
	index       uint64 // of the entry or a later one; 0 until it is applied
	told        func(members int) (enough bool)
}
