package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/internal/eviction"
	"github.com/miniserver-go/miniserver/internal/invariants"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// World is a set of databases with all that depends on them: a clock, random numbers, the clients
// that are blocked, watch or track keys, and the channels. So tests that run side by side on one
// server do not meet. What concerns the process is common to all worlds: connections, users,
// parameters, figures, the slow log.
//
//	Engine ── home        the world of a new connection, and the only one before NewWorld
//	       ├─ world "a"   sessions are in one world each: Session.MoveTo
//	       └─ world "b"
//
// Whatever needs data is a method of World: a command runs in Call.World, which is that of its
// session. Only the home world has a journal, replicas and snapshots. A new world costs a few
// kilobytes.
//
// Its methods and those of Engine that concern worlds are called under the lock.
type World struct {
	Keyspace *keyspace.Keyspace
	Unsaved  int64 // changes since the last save
	// Of the group whose member the world is; nil without a group. Like Node it is set before
	// clients are served.
	Topology topology.Source
	Node     *topology.Node // that the world is in a cluster of several; nil outside of one

	engine      *Engine
	counted     int // bytes of its keyspace in accounts.data: see countData
	time        timing
	random      randomness
	blocked     blockedClients
	pool        eviction.Pool
	observers   observers
	kept        int // bytes that parts keep for the world: see Keep
	pause       pause
	role        Role
	debugged    *Session // whose script is debugged on the data; nil for none
	before      *World   // of a debugger's copy: its data before the first write; nil if there was none
	keeps       bool     // before is to be kept
	keepsDue    bool     // see KeepDue
	reserved    int      // bytes for before, counted from the beginning of the run
	faults      faults
	hinders     bool // a command that the gate lets through may be stopped: see hinder
	propagation propagation
	following   following
	checking    checking
	commands    int64              // that have replied
	clients     map[int64]*Session // that are in this world, by id
	seed        uint64             // of the hash functions of collections
	ofParts     []any              // see PerWorld
}

// timing is what a world knows of time. Invariant: within a batch it stands still.
type timing struct {
	clock    func() int64 // microseconds since the epoch
	steered  Clock        // what a part has put in place of the clock; nil for nothing
	hands    Hands        // nil: there is one time
	micros   int64        // the clock at the start of the batch
	ahead    int64        // of the date before the clock; microseconds
	keys     int64        // the time of keys at the start of the batch; microseconds
	lag      int64        // see Lag; milliseconds
	started  int64        // microseconds
	nextTick int64        // when the host is to call Tick next; milliseconds
	passing  bool         // see Pass
}

// checking is when the databases are to be walked: see checkAfter.
type checking struct {
	saved int   // bytes of which walks are paid
	gone  int64 // what was evicted or due in all worlds, when this one was last asked
}

// randomness is a world's one source of random numbers.
type randomness struct {
	source *rand.Rand
	dice   func(n uint64) uint64 // Dice, for callees through which it escapes
}

// shortDoubles is what Redis 7.2 changed in all replies: before, doubles had 17 digits.
var shortDoubles = release.From("7.2.0")

// newWorld returns an empty world.
func (e *Engine) newWorld(databases int, clock func() int64, seed uint64) *World {
	w := &World{engine: e, time: timing{clock: clock, started: clock()}, blocked: newBlockedClients(),
		clients: make(map[int64]*Session)}
	w.random.source, w.seed = newSource(seed), seed
	w.random.dice = w.Dice
	w.Keyspace = keyspace.New(databases, seed, w.random.dice)
	e.Parts.Types.addTo(w.Keyspace)
	w.Keyspace.Access = &e.access
	w.Keyspace.All17 = !e.Release.Has(shortDoubles)
	w.propagation.atOnce = !e.Release.Has(holdsBack)
	w.nameExpired()
	w.keepExpired()
	w.removeLazily()
	return w
}

// each calls fn for all worlds, for a parameter that their keyspaces must know.
func (e *Engine) each(fn func(w *World)) {
	for _, w := range e.worlds {
		fn(w)
	}
}

// Reseed starts all that is random in the world anew, from a seed: the dice, the hash functions,
// and what parts draw from. From then on it repeats what another world with the seed does. A
// database that has keys keeps its hash function, and so their order, until it is emptied; so does
// a collection.
func (w *World) Reseed(seed uint64) {
	w.random.source, w.seed = newSource(seed), seed
	w.Keyspace.Reseed(seed)
	for _, p := range w.engine.Parts.List {
		if p.Reseed != nil {
			p.Reseed(w, seed)
		}
	}
}

func newSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)) }

// Engine returns the engine that has the world.
func (w *World) Engine() *Engine { return w.engine }

// Home returns the world of new connections.
func (e *Engine) Home() *World { return e.home }

// IsHome reports whether it is the home world.
func (w *World) IsHome() bool { return w == w.engine.home }

// Worlds returns all worlds, the home world first. The slice belongs to the engine.
func (e *Engine) Worlds() []*World { return e.worlds }

// RemoveWorld forgets a world that has no sessions, and gives its memory back. The home world
// cannot be removed.
func (e *Engine) RemoveWorld(w *World) {
	if w == e.home || len(w.clients) > 0 {
		panic("engine: the world is in use")
	}
	if invariants.Enabled && !slices.Contains(e.worlds, w) {
		panic("engine: the world is removed twice")
	}
	e.worlds = slices.DeleteFunc(e.worlds, func(other *World) bool { return other == w })
	e.accounts.data -= w.counted + WorldBytes
	w.Keyspace.Release()
}

// World returns the world in which the session is.
func (s *Session) World() *World { return s.world }

// PerWorld returns the world's only T, at first a zero T. A part keeps there what belongs to a
// world.
func PerWorld[T any](w *World) *T {
	for _, kept := range w.ofParts {
		if t, ok := kept.(*T); ok {
			return t
		}
	}
	kept := new(T)
	w.ofParts = append(w.ofParts, kept)
	return kept
}

// Keep counts bytes that a part keeps for the world beside its keys, or fewer of them: n may be
// negative.
func (w *World) Keep(n int) { w.kept += n }

// Client returns the session in the world with an ID; nil for none.
func (w *World) Client(id int64) *Session { return w.clients[id] }

// Dice returns a random number below n. The seed determines the sequence, so that a test can repeat
// it.
func (w *World) Dice(n uint64) uint64 { return w.random.source.Uint64N(n) }

// HashLimits returns the sizes up to which hashes are packed, with the world's seed for larger
// ones.
func (w *World) HashLimits() hash.Limits {
	limits := w.engine.Config.Hash
	limits.Seed = w.seed
	return limits
}

// SetLimits is HashLimits for sets.
func (w *World) SetLimits() set.Limits {
	limits := w.engine.Config.Set
	limits.Seed = w.seed
	return limits
}

// Seed returns the seed from which the world's random numbers come.
func (w *World) Seed() uint64 { return w.seed }

// Random returns 64 random bits.
func (w *World) Random() uint64 { return w.random.source.Uint64() }

// Micros returns the time of the batch in microseconds since the epoch.
func (w *World) Micros() int64 { return w.time.micros }

// Clock reads the clock, in microseconds since the epoch, past the time frozen for the batch.
func (w *World) Clock() int64 { return w.time.clock() }

// Steer replaces the world's clock. It is called under the lock, between commands.
func (w *World) Steer(clock Clock) { w.time.steered, w.time.clock = clock, clock.Now }

// wait returns how long it takes, by the machine's clock, until a Tick is needed at a time of the
// world's clock in milliseconds since the epoch; 0 for never.
func (w *World) wait(next int64) time.Duration {
	switch {
	case w.time.steered != nil:
		return w.time.steered.Wait(next)
	case next == 0:
		return math.MaxInt64
	}
	return time.Duration(next*1000-w.time.clock()) * time.Microsecond
}

// earlier returns the earlier of two times, of which 0 is never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
