// Package assembly puts the parts of a server together. It is the only package that knows all of them:
//
//	engine ◀─ Join ─ engine       MULTI, SUBSCRIBE, INFO ...
//	                 commands     GET, HGET, ZADD ...
//	                 scripting    EVAL, FCALL ...
//	                 replication  SYNC, WAIT ...
//	                 snapshot     SAVE ...
//	                 journal      BGREWRITEAOF ...
//
// It decides nothing else. How the process is set up is the matter of cmd/miniserver, how a program
// embeds a server that of the module's own package; both take their parts from here, and so do the
// tests that run all commands.
package assembly

import (
	"io"

	"github.com/miniserver-go/miniserver/commands"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/replication"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// Options are what the parts need from outside.
type Options struct {
	Log      io.Writer        // one line for each event worth telling; nil for silence
	Disk     snapshot.Disk    // where snapshots go; that of the system if nil
	Beside   func(run func()) // runs what takes long beside the commands; go run() if nil
	Volatile bool             // without persistence, and without its commands
}

// Parts are those that have more to offer than commands.
type Parts struct {
	Scripts   *scripting.Scripts
	Snapshots *snapshot.Saver  // nil if volatile
	Journal   *journal.Journal // nil if volatile
}

// Join adds all parts to an engine, but for the server. The data are not loaded yet.
func Join(e *engine.Engine, o Options) Parts {
	if o.Beside == nil {
		o.Beside = func(run func()) { go run() }
	}
	p := Parts{Scripts: scripting.New(e)}
	if o.Log != nil {
		p.Scripts.Log = o.logScript
	}
	e.Join(engine.Commands(engine.Families()...), engine.Commands(snapshot.Payloads(), snapshot.Migration(dialer{})))
	e.Join(commands.Parts()...)
	e.Join(p.Scripts.Part())
	if o.Volatile {
		e.Join(replication.New(e, replication.Options{}).Part())
		return p
	}
	p.Snapshots = snapshot.New(e, snapshot.Options{Disk: o.Disk, Log: o.log, Beside: o.Beside})
	p.Journal = journal.New(e, journal.Options{Log: o.log, Beside: o.Beside})
	master := replication.New(e, replication.Options{Journal: p.Journal, Log: o.log, Beside: o.Beside})
	// Replicas that wait for a snapshot come before save points: the first that ticks begins.
	e.Join(master.Part(), p.Snapshots.Part(), p.Journal.Part())
	return p
}

func (o Options) log(mark byte, format string, args ...any) {
	if o.Log != nil {
		server.Log(o.Log, mark, format, args...)
	}
}

// logScript logs what a script says at one of redis.log's levels: debug, verbose, notice, warning.
func (o Options) logScript(level int, text string) { o.log(".-*#"[level], "%s", text) }

// Load takes in what was saved: the journal if there is to be one, else the snapshot.
func (p Parts) Load() error {
	if err := p.Snapshots.Load(p.Journal.Enabled()); err != nil {
		return err
	}
	return p.Journal.Load()
}

// Loading returns how many bytes of how many Load has read; 0 of 0 if it does not run.
func (p Parts) Loading() (done, total int64) {
	if done, total = p.Snapshots.Loading(); total == 0 {
		done, total = p.Journal.Loading()
	}
	return done, total
}
