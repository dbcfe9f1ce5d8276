// Package assembly makes servers. It is the only package that knows all parts of one, the order in
// which they are joined and the order in which they end:
//
//	New ─▶ Add, parameters ─▶ Listen ─▶ Run: Load, serve, Close
//
//	engine ◀─ Join ─ engine       MULTI, SUBSCRIBE, INFO ...
//	                 commands     GET, HGET, ZADD, SLOWLOG, LATENCY ...
//	                 scripting    EVAL, FCALL ...
//	                 replication  SYNC, WAIT ...
//	                 payload      DUMP, RESTORE, MIGRATE ...
//	                 snapshot     SAVE ...
//	                 journal      BGREWRITEAOF ...
//	                 group        GROUP; SENTINEL
//	                 testkit      MINI.* ...
//
// The program, the servers inside Go programs, the sandboxes of the console, and the engines
// without a server that run scripts are options of one maker. It is here, and not in package
// miniserver, because the console makes servers as well: it is below whatever imports it. Tests
// that bring an engine of their own only Join the parts.
package assembly

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/replication"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/fixture"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// Options say what is made, and how it is joined.
type Options struct {
	Engine   engine.Options   // of the engine that New makes; its clock is the machine's if nil
	Server   *server.Options  // how it serves; nil for an engine without a server. New completes them
	Log      io.Writer        // nil for no log
	Disk     disk.Disk        // for snapshots; the system's if nil
	Spawn    func(run func()) // starts a goroutine for slow work; go run() if nil
	Volatile bool             // without persistence and its commands
	TestKit  bool             // with the test kit
	Group    NewMember        // of a server that is a member of a group, which is no test server; else nil
}

// Cluster makes a server a whole cluster of nodes, if the settings ask for it: see package shards.
type Cluster interface {
	Part() engine.Part
	Open() error // once the server runs
	Dialer(others payload.Dialer) payload.Dialer
}

// newCluster makes that of a server, in a program that brings it; nil otherwise.
var newCluster func(e *engine.Engine, kit *testkit.Kit) Cluster

// BringCluster lets the program's servers be clusters. It is called when the program starts: see
// commands.Bring.
func BringCluster(make func(e *engine.Engine, kit *testkit.Kit) Cluster) { newCluster = make }

// NewMember makes the part by which a server is a member of a group. It is an option, and not a
// part like the others, because most programs have no groups, and the Raft library is large.
type NewMember func(e *engine.Engine, log func(level byte, format string, args ...any)) Member

// Member makes a server a member of a group: see package group.
type Member interface {
	Part() engine.Part
	Messages() engine.Part     // GROUP, its command
	Configure(id uint64) error // once all parameters are set
	Open() error               // loads the log
	Close()
	server.Barrier
}

// Assembly is a server with all its parts, or an engine without a server.
type Assembly struct {
	Engine *engine.Engine
	Server *server.Server // nil without a server
	Parts

	fixtureDone, fixtureSize atomic.Int64 // bytes read of a fixture, and its size
}

// New makes a server. Parameters have their defaults, and nothing is loaded.
func New(o Options) *Assembly {
	if o.Engine.Clock == nil {
		o.Engine.Clock = server.Clock()
	}
	a := &Assembly{Engine: engine.New(o.Engine)}
	a.Parts = Join(a.Engine, o)
	if o.Server == nil {
		return a
	}
	how := *o.Server
	how.Log, how.Spawn, how.Barrier = a.Log, o.Spawn, a.barrier()
	if a.Journal != nil {
		how.Journal = a.Journal
	}
	if o.TestKit {
		how.Guarded = testkit.Setting
	}
	if how.Load == nil {
		how.Load = func() error { return a.Load() }
	}
	a.Server = server.New(a.Engine, how)
	return a
}

// Add joins further parts. Those that have a method Close end before the others.
func (a *Assembly) Add(parts ...interface{ Part() engine.Part }) {
	for _, p := range parts {
		a.Engine.Join(p.Part())
		if c, ends := p.(interface{ Close() }); ends {
			a.ends = append(a.ends, func(error) { c.Close() })
		}
	}
}

// Load loads the saved data, then the fixtures, which are paths of files that are never written.
func (a *Assembly) Load(fixtures ...string) error {
	if err := a.Parts.Load(); err != nil {
		return err
	}
	if err := a.LoadFixtures(fixtures...); err != nil || a.Cluster == nil {
		return err
	}
	return a.Cluster.Open()
}

// LoadFixtures loads fixtures beside the data that are there.
func (a *Assembly) LoadFixtures(paths ...string) error {
	return fixture.Loader{Engine: a.Engine, Snapshots: a.Snapshots, Progress: func(done, total int64) {
		a.fixtureDone.Store(done)
		a.fixtureSize.Store(total)
	}}.Load(paths...)
}

// Loading returns how many bytes Load has read of a file, and its size; 0 and 0 if it does not run.
func (a *Assembly) Loading() (done, total int64) {
	if done, total = a.Parts.loading(); total == 0 {
		done, total = a.fixtureDone.Load(), a.fixtureSize.Load()
	}
	return done, total
}

// Run loads the data and serves until the context ends or SHUTDOWN is called. Then all parts have
// ended.
func (a *Assembly) Run(ctx context.Context) error {
	err := a.Server.Run(ctx)
	a.Close(err)
	return err
}

// Parts are the parts with methods of their own.
type Parts struct {
	Log         *server.Log // nil for no log
	Scripts     *scripting.Scripts
	Replication *replication.Master
	Snapshots   *snapshot.Saver  // nil if volatile
	Journal     *journal.Journal // nil if volatile
	Group       Member           // nil without a group
	Kit         *testkit.Kit     // nil without the test kit
	Cluster     Cluster          // nil in a program without it

	ends []func(err error) // what Close calls, the last one first
}

// Close ends all parts. The server must have stopped, and err says why, if not by itself: then
// nothing is saved.
func (p Parts) Close(err error) {
	for _, end := range slices.Backward(p.ends) {
		end(err)
	}
}

// Join adds all parts except the server to an engine. It does not load the data.
func Join(e *engine.Engine, o Options) Parts {
	if !o.TestKit {
		return join(e, o, nil)
	}
	kit := testkit.New(e) // first, since parts read the clock
	p := join(e, o, kit)
	e.Join(kit.Part())
	kit.Watch()
	p.Kit = kit
	return p
}

func join(e *engine.Engine, o Options, kit *testkit.Kit) Parts {
	if o.Spawn == nil {
		o.Spawn = func(run func()) { go run() }
	}
	p := Parts{Scripts: scripting.New(e)}
	log := func(byte, string, ...any) {}
	p.Scripts.Nanos = server.Nanos()
	if o.Log != nil {
		p.Log = server.NewLog(e, o.Log)
		log = p.Log.Print
		// Debug, verbose, notice, warning.
		p.Scripts.Log = func(level int, text string) { log(".-*#"[level], "%s", text) }
	}
	dial := payload.Dialer(dialer{})
	if newCluster != nil && o.Server != nil {
		p.Cluster = newCluster(e, kit)
		dial = p.Cluster.Dialer(dial)
	}
	e.Join(payload.Part(), payload.Migration(dial))
	e.Join(commands.Parts(e)...)
	e.Join(p.Scripts.Part())
	if p.Cluster != nil {
		e.Join(p.Cluster.Part())
	}
	if o.Volatile {
		p.Replication = replication.New(e, replication.Options{Dial: Dial(e)})
		e.Join(p.Replication.Part())
		p.ends = []func(error){func(error) { p.Replication.Close() }}
		return p
	}
	background := func(run func()) { go run() }
	p.Journal = journal.New(e, journal.Options{Log: log, Spawn: o.Spawn, Background: background,
		Loaded: func(keys, skipped int64) { p.Snapshots.CountLoaded(keys, skipped) },
		Stream: func() journal.Stream { return p.Replication }})
	p.Replication = replication.New(e, replication.Options{Journal: p.Journal, Log: log, Dial: Dial(e)})
	p.Snapshots = snapshot.New(e, snapshot.Options{Disk: o.Disk, Log: log, Spawn: o.Spawn, Background: background,
		History: p.Replication.History, Resume: p.Replication.Resume})
	// Replication ticks before snapshots: a replica that waits for a snapshot comes before save
	// points.
	e.Join(p.Replication.Part(), p.Snapshots.Part(), p.Journal.Part(), p.Journal.BackupPart())
	if o.Group != nil {
		p.Group = o.Group(e, log)
		e.Join(p.Group.Part(), p.Group.Messages())
	}
	p.ends = p.inOrder()
	return p
}

// inOrder returns the ways to end in the order of opening: the journal ends last, since it has what
// the others still change.
func (p *Parts) inOrder() (ends []func(err error)) {
	journal, replication, group, snapshots := p.Journal, p.Replication, p.Group, p.Snapshots
	ends = append(ends, func(error) { journal.Close() }, func(error) { replication.Close() })
	if group != nil {
		ends = append(ends, func(error) { group.Close() })
	}
	return append(ends, func(err error) {
		if err == nil {
			snapshots.Close()
		}
	})
}

// Load loads the saved data: the journal if it is enabled, else the snapshot. The data of a group
// are in its log.
func (p Parts) Load() error {
	if p.Group != nil {
		return p.Group.Open()
	}
	if err := p.Snapshots.Load(p.Journal.Enabled()); err != nil {
		return err
	}
	return p.Journal.Load()
}

// barrier returns what replies wait for; nil without a group.
func (p Parts) barrier() server.Barrier {
	if p.Group == nil {
		return nil
	}
	return p.Group
}

// loading returns how many bytes of the saved data Load has read, and the size of the file; 0 and 0
// if it does not run.
func (p Parts) loading() (done, total int64) {
	if done, total = p.Snapshots.Loading(); total == 0 {
		done, total = p.Journal.Loading()
	}
	return done, total
}
