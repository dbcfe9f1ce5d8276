// Package serve is the server as a process: it reads the configuration, makes the server that it asks for, and does what an operating system
// wants of a server: a log, a file with the process id, signals, daemons, limits of the Go runtime.
package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/miniserver-go/miniserver/console"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/persistence/fixture"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/server"
	"github.com/miniserver-go/miniserver/testkit"
)

// Options say where the server runs, which no user can set.
type Options struct {
	// OwnProcess makes the server set the Go runtime and heed signals. One that is a part of another process leaves both as they are.
	OwnProcess  bool
	Subcommands []string // names that may be meant by a configuration file that is not there
}

// Subcommand returns the sub-command of the server, whose arguments are settings: see Run.
func Subcommand() *subcommand.Subcommand {
	return &subcommand.Subcommand{Name: "serve", Forms: []string{"[/path/to/redis.conf] [options] [-]"},
		Purpose: "serves the Redis protocol; this is what miniserver does without a sub-command"}
}

// Settings returns the settings of a server without a configuration.
func Settings() (*config.Table, error) {
	p, err := newProgram(new(configuration), io.Discard, false)
	if err != nil {
		return nil, err
	}
	return p.engine.Params, nil
}

// Run runs the server until the context ends, a client calls SHUTDOWN or, in a process of its own, a signal comes. As a daemon
// it only starts another process that does.
func Run(ctx context.Context, args []string, in io.Reader, out io.Writer, o Options) error {
	var input bytes.Buffer
	conf, err := readConfig(args, io.TeeReader(in, &input), o.Subcommands)
	if err == nil {
		err = conf.addEnvironment()
	}
	if err != nil {
		return err
	}
	p, err := newProgram(conf, out, o.OwnProcess)
	if err != nil {
		return err
	}
	switch {
	case !p.daemonizes():
	case p.withParent:
		return errors.New("exit-with-parent: a daemon has no parent")
	case !isDaemon():
		return detach(args, input.Bytes())
	}
	defer p.close()
	if p.withParent {
		var stop context.CancelFunc
		ctx, stop = whileParentLives(ctx)
		defer stop()
	}
	if err = errors.Join(p.openLog(), p.writePID()); err == nil {
		err = p.serve(ctx)
	}
	return p.logEnd(err)
}

// program is an engine with its server and the files of the process.
type program struct {
	engine     *engine.Engine
	server     *server.Server
	parts      assembly.Parts
	console    *console.Console
	conf       *configuration
	defaults   map[string]string // values of the parameters before the configuration was read
	log        *server.Log
	logFile    logFile
	users      userFile
	fixtures   []string // paths of what is loaded at the start after the saved data
	pid        string   // path of the file with the process id; "" for none
	daemonize  bool
	supervised string
	seed       uint64
	testKit    bool
	groupID    uint64 // 0 without a group
	ready      ready
	withParent bool // exit-with-parent
	tuner      tuner
	ownProcess bool // the process is the server's own
	onSignal   onSignal

	fixtureDone, fixtureSize atomic.Int64 // bytes read of the fixtures, and their size
}

// newProgram builds the engine and the server that the configuration asks for.
func newProgram(conf *configuration, out io.Writer, ownProcess bool) (*program, error) {
	p := &program{conf: conf, logFile: logFile{Writer: out}, seed: assembly.Seed(), supervised: "no", ready: ready{out: out}, ownProcess: ownProcess}
	databases, like := int64(16), &release.Default
	early := []config.Param{ // the engine needs their values when it is made
		config.Int("databases", &databases, 1, 1<<31-1),
		config.Int("seed", &p.seed, 0, 1<<63-1),
		config.Release(&like),
		testkit.Param(&p.testKit),
		config.Int("group-id", &p.groupID, 0, math.MaxInt64),
	}
	for i := range early {
		if err := conf.apply(early[i].Name, &early[i]); err != nil {
			return nil, err
		}
	}
	if p.testKit && p.groupID != 0 {
		return nil, errGroupKit
	}
	p.engine = engine.New(engine.Options{Databases: int(databases), Release: like, Clock: server.Clock(), Seed: p.seed})
	p.log = server.NewLog(p.engine, &p.logFile)
	p.tuner.held = p.engine.Held
	guarded := ""
	if p.testKit {
		guarded = testkit.Setting
	}
	p.parts = assembly.Join(p.engine, assembly.Options{Log: p.log, Spawn: spawn, TestKit: p.testKit, Group: p.groupID != 0})
	p.server = server.New(p.engine, server.Options{Port: 6379, Log: p.log, Spawn: spawn, OwnProcess: true, Journal: p.parts.Journal, Barrier: p.parts.Barrier(), Guarded: guarded,
		Load: func() error { return p.tuner.load(p.loadWithMeter) }, Ready: p.tellReady})
	p.console = console.New(console.Options{Engine: p.engine, Connect: p.server.Connect, Log: p.log.Print})
	p.engine.Join(p.part(early[1].AtStart(), early[3]), p.console.Part())
	p.defaults = values(p.engine)
	for _, s := range conf.settings {
		var err error
		switch {
		case s.applied || s.name() == settingUser:
		case s.name() == settingRename:
			err = s.rename(p.engine)
		default:
			err = s.apply(p.engine)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.loadUsers(); err != nil {
		return nil, err
	}
	if p.engine.InCluster() && p.engine.Role().Replica {
		return nil, errClusterReplica
	}
	return p, p.checkGroup()
}

// errClusterReplica is the end of what redis-server says: the nodes of a cluster have commands of their own to follow one another.
var errClusterReplica = errors.New("replicaof directive not allowed in cluster mode")

// load loads the saved data, then the fixtures.
func (p *program) load() error {
	if err := p.parts.Load(); err != nil {
		return err
	}
	return fixture.Loader{Engine: p.engine, Snapshots: p.parts.Snapshots, Progress: func(done, total int64) {
		p.fixtureDone.Store(done)
		p.fixtureSize.Store(total)
	}}.Load(p.fixtures...)
}

// part returns the parameters and hooks that the program adds to its engine.
func (p *program) part(seed, testKit config.Param) engine.Part {
	return engine.Part{
		Name: "program",
		Params: slices.Concat(p.ready.params(), p.onSignal.params(), []config.Param{
			seed,
			testKit,
			config.Text("logfile", &p.logFile.path).AtStart(),
			config.Text("pidfile", &p.pid).AtStart(),
			config.Words("load", &p.fixtures).AtStart(),
			config.Text("aclfile", &p.users.path).AtStart(),
			config.Bool("daemonize", &p.daemonize).AtStart(),
			config.Enum("supervised", &p.supervised, "upstart", "systemd", "auto", "no").AtStart(),
			config.Bool("exit-with-parent", &p.withParent).AtStart().AsSwitch(),
		}),
		Sections: []engine.Section{{Name: "Server", Fill: func(_ *engine.World, b *bytes.Buffer) { engine.Fields(b, "config_file", p.conf.file) }}},
		Host:     engine.Host{Limit: p.tuner.limit.follow, Rewrite: p.rewrite, Users: &p.users},
	}
}

// serve runs the server.
func (p *program) serve(ctx context.Context) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // as redis-server: its terminal and the reader of its log may go
	if p.ownProcess {
		p.tuner.begin(p.processors())
		defer p.heedSignals()()
	}
	if err := p.server.Listen(); err != nil {
		return listenError(err)
	}
	p.logStart()
	if err := p.console.Listen(); err != nil {
		return err
	}
	err := p.server.Run(ctx)
	p.console.Close()
	if err == nil {
		p.parts.Snapshots.Close()
	}
	if p.parts.Group != nil {
		p.parts.Group.Close()
	}
	p.parts.Replication.Close()
	p.parts.Journal.Close()
	if err == nil {
		p.log.Print('#', "miniserver is now ready to exit, bye bye...")
	}
	return err
}

// processors returns how many the runtime needs: one for each event loop, see package server, and one for everything else, or with TLS as many again
// for the goroutines that encrypt.
func (p *program) processors() int {
	loops := p.server.Loops()
	if p.engine.Param("tls-port").Get() != "0" || p.engine.Param("tls-self-signed").Get() == "yes" {
		return 2 * loops
	}
	return loops + 1
}

// tellReady tells those who wait for it that the server serves commands.
func (p *program) tellReady() error {
	p.notifyReady()
	return p.ready.announce(p.server.Addrs(), p.engine.Param("tls-port").Get(), p.server.Certificate())
}

func (p *program) writePID() error {
	if p.pid == "" {
		return nil
	}
	return os.WriteFile(p.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

func (p *program) close() {
	p.ready.withdraw()
	if p.pid != "" {
		_ = os.Remove(p.pid)
	}
	p.logFile.close()
}
