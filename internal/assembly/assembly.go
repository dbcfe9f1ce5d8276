// Package assembly puts the parts of a server together. It is the only package that knows all of them:
//
//	engine ◀─ Join ─ engine       MULTI, SUBSCRIBE, INFO ...
//	                 commands     GET, HGET, ZADD, SLOWLOG, LATENCY ...
//	                 scripting    EVAL, FCALL ...
//	                 replication  SYNC, WAIT ...
//	                 sentinel     SENTINEL, in a group
//	                 payload      DUMP, RESTORE, MIGRATE ...
//	                 snapshot     SAVE ...
//	                 journal      BGREWRITEAOF ...
//	                 group        GROUP
//	                 testkit      MINI.* ...
//
// It does nothing else. cmd/miniserver sets up the process, and the module's root package embeds a server in
// a program; both get their parts here, and so do the tests that run all commands.
package assembly

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/miniserver-go/miniserver/commands"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/group"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/replication"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/sentinel"
	"github.com/miniserver-go/miniserver/server"
	"github.com/miniserver-go/miniserver/testkit"
)

// Options configure the parts.
type Options struct {
	Log      *server.Log      // nil for no log
	Disk     disk.Disk        // for snapshots; the system's if nil
	Spawn    func(run func()) // starts a goroutine for slow work; go run() if nil
	Volatile bool             // without persistence and its commands
	TestKit  bool             // with the test kit
	Group    bool             // the server is a member of a group: it gets a topology before it serves, and is no test server
}

// Parts are the parts with methods of their own.
type Parts struct {
	Scripts     *scripting.Scripts
	Replication *replication.Master
	Snapshots   *snapshot.Saver  // nil if volatile
	Journal     *journal.Journal // nil if volatile
	Group       *group.Group     // nil without a group
	Kit         *testkit.Kit     // nil without the test kit
}

// Join adds all parts except the server to an engine. It does not load the data.
func Join(e *engine.Engine, o Options) Parts {
	if !o.TestKit {
		return join(e, o)
	}
	kit := testkit.New(e) // first, since parts read the clock
	p := join(e, o)
	e.Join(kit.Part())
	kit.Watch()
	p.Kit = kit
	return p
}

func join(e *engine.Engine, o Options) Parts {
	if o.Spawn == nil {
		o.Spawn = func(run func()) { go run() }
	}
	p := Parts{Scripts: scripting.New(e)}
	log := func(byte, string, ...any) {}
	p.Scripts.Nanos = server.Nanos()
	if o.Log != nil {
		log = o.Log.Print
		p.Scripts.Log = func(level int, text string) { log(".-*#"[level], "%s", text) } // debug, verbose, notice, warning
	}
	e.Join(engine.Commands(engine.Families()...), payload.Part(), payload.Migration(dialer{}))
	e.Join(commands.Parts(e)...)
	e.Join(p.Scripts.Part())
	if o.Group {
		e.Join(sentinel.New(e).Part())
	}
	if o.Volatile {
		p.Replication = replication.New(e, replication.Options{Dial: dialMaster(e)})
		e.Join(p.Replication.Part())
		return p
	}
	background := func(run func()) { go run() }
	p.Journal = journal.New(e, journal.Options{Log: log, Spawn: o.Spawn, Background: background,
		Loaded: func(keys int64) { p.Snapshots.CountLoaded(keys) }, Stream: func() journal.Stream { return p.Replication }})
	p.Replication = replication.New(e, replication.Options{Journal: p.Journal, Log: log, Dial: dialMaster(e)})
	p.Snapshots = snapshot.New(e, snapshot.Options{Disk: o.Disk, Log: log, Spawn: o.Spawn, Background: background,
		History: p.Replication.History, Resume: p.Replication.Resume})
	// Replication ticks before snapshots: a replica that waits for a snapshot comes before save points.
	e.Join(p.Replication.Part(), p.Snapshots.Part(), p.Journal.Part())
	if o.Group {
		p.Group = group.New(e, group.Options{Log: log, Wall: server.Clock(), Nanos: server.Nanos(), Spawn: o.Spawn})
		e.Join(p.Group.Part(), p.Group.Messages())
	}
	return p
}

// Load loads the saved data: the journal if it is enabled, else the snapshot. The data of a group are in its log.
func (p Parts) Load() error {
	if p.Group != nil {
		return p.Group.Open()
	}
	if err := p.Snapshots.Load(p.Journal.Enabled()); err != nil {
		return err
	}
	return p.Journal.Load()
}

// Barrier returns what replies wait for; nil without a group.
func (p Parts) Barrier() server.Barrier {
	if p.Group == nil {
		return nil
	}
	return p.Group
}

// Loading returns how many bytes Load has read, and the size of the file; 0 and 0 if it does not run.
func (p Parts) Loading() (done, total int64) {
	if done, total = p.Snapshots.Loading(); total == 0 {
		done, total = p.Journal.Loading()
	}
	return done, total
}

// Seed returns a seed by chance.
func Seed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 1
}
