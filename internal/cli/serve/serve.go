// Package serve is the server as a process: it reads the configuration, makes the server that it
// asks for, and does what an operating system wants of a server: a log, a file with the process id,
// signals, daemons, limits of the Go runtime.
package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os/signal"
	"slices"
	"syscall"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/goruntime"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/console"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/server"
)

// Options say where the server runs, which no user can set.
type Options struct {
	// OwnProcess makes the server set the Go runtime and heed signals. One that is a part of
	// another process leaves both as they are.
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
	return p.Engine.Params, nil
}

// Run runs the server until the context ends, a client calls SHUTDOWN or, in a process of its own,
// a signal comes. As a daemon it only starts another process that does.
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
	case p.withInput:
		return errors.New("exit-with-input: a daemon has no standard input")
	case !isDaemon():
		return detach(args, input.Bytes())
	}
	defer p.close()
	if p.withParent {
		var stop context.CancelFunc
		ctx, stop = whileParentLives(ctx)
		defer stop()
	}
	if p.withInput {
		var stop context.CancelFunc
		ctx, stop = whileInputLasts(ctx, in)
		defer stop()
	}
	if err = errors.Join(p.openLog(), p.writePID()); err == nil {
		err = p.serve(ctx)
	}
	return p.logEnd(err)
}

// newProgram builds the engine and the server that the configuration asks for.
func newProgram(conf *configuration, out io.Writer, ownProcess bool) (*program, error) {
	p := &program{conf: conf, startup: assembly.NewStartup(), logFile: logFile{logWriter: logWriter{to: out}},
		supervised: "no", ready: ready{out: out}, ownProcess: ownProcess}
	early := append(p.startup.Early(), config.Int("group-id", &p.groupID, 0, math.MaxInt64))
	for i := range early {
		if err := conf.apply(early[i].Name, &early[i]); err != nil {
			return nil, err
		}
	}
	if p.startup.TestKit && p.groupID != 0 {
		return nil, errGroupKit
	}
	var member assembly.NewMember
	if p.groupID != 0 {
		member = newMember
	}
	p.Assembly = assembly.New(assembly.Options{
		Engine: p.startup.Engine(), Log: &p.logFile, Spawn: goruntime.Spawn, TestKit: p.startup.TestKit,
		Group: member, Server: &server.Options{Port: 6379, OwnProcess: true, Ready: p.tellReady,
			Load: func() error { return p.tuner.Load(p.loadWithMeter) }}})
	p.tuner = goruntime.New(p.Engine.Held)
	p.console = console.New(console.Options{Engine: p.Engine, Connect: p.Server.Connect, Log: p.Log.Print})
	p.Add(&p.startup, p, p.console)
	p.defaults = values(p.Engine)
	for _, s := range conf.settings {
		var err error
		switch {
		case s.applied || s.name() == settingUser:
		case s.name() == settingRename:
			err = s.rename(p.Engine)
		default:
			err = s.apply(p.Engine)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.loadUsers(); err != nil {
		return nil, err
	}
	if p.Engine.Config.Cluster && p.Engine.Role().Replica {
		return nil, errClusterReplica
	}
	return p, p.checkGroup()
}

// errClusterReplica is the end of what redis-server says: the nodes of a cluster have commands of
// their own to follow one another.
var errClusterReplica = errors.New("replicaof directive not allowed in cluster mode")

// Part returns the parameters and hooks that the program adds to its engine.
func (p *program) Part() engine.Part {
	return engine.Part{
		Name: "program",
		Params: slices.Concat(p.ready.params(), p.onSignal.params(), []config.Param{
			config.Text("logfile", &p.logFile.path).AtStart(),
			config.Text("pidfile", &p.pid).AtStart(),
			config.Text("aclfile", &p.users.path).AtStart(),
			config.Bool("daemonize", &p.daemonize).AtStart(),
			config.Enum("supervised", &p.supervised, "upstart", "systemd", "auto", "no").AtStart(),
			config.Bool("exit-with-parent", &p.withParent).AtStart().AsSwitch(),
			config.Bool("exit-with-input", &p.withInput).AtStart().AsSwitch(),
		}),
		Sections: []engine.Section{{Name: "Server", Fill: func(_ *engine.World, b *bytes.Buffer) {
			engine.Fields(b, "config_file", p.conf.file)
		}}},
		Host: engine.Host{Limit: p.tuner.SetMaxmemory, Rewrite: p.rewrite, Users: &p.users},
	}
}

// serve runs the server.
func (p *program) serve(ctx context.Context) error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // as redis-server: its terminal and the reader of its log may go
	if p.ownProcess {
		p.tuner.Begin(p.processors())
		defer p.heedSignals()()
	}
	err := p.listen()
	if err != nil {
		p.Close(err)
		return err
	}
	err = p.Run(ctx)
	if err == nil {
		p.Log.Print('#', "miniserver is now ready to exit, bye bye...")
	}
	return err
}

// listen opens the ports of the server and the console, and begins the log.
func (p *program) listen() error {
	if err := p.Server.Listen(); err != nil {
		return listenError(err)
	}
	p.logStart()
	return p.console.Listen()
}
