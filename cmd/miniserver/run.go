package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/server"
)

const usage = `Usage: miniserver [/path/to/redis.conf] [options] [-]
       miniserver - (read the configuration from stdin)
       miniserver eval [--profile] script.lua [key ...] [, argument ...]
       miniserver check-aof [--fix|--truncate-to-timestamp <seconds>] <file.manifest|file.aof>
       miniserver check-rdb <file.rdb>
       miniserver convert json|resp <file.rdb> [output]
       miniserver convert rdb <file.json> <file.rdb>
       miniserver -v or --version
       miniserver -h or --help

miniserver serves the Redis protocol, at 127.0.0.1:6379 if nothing else is said. eval runs a Lua script without
a server; check-aof and check-rdb look for damage in files, convert shows a snapshot as text or makes one of it.

Options are the lines of a configuration file, with two dashes in front:

       miniserver --port 7777
       miniserver --port 0 --unixsocket /tmp/redis.sock
       miniserver /etc/redis.conf --requirepass "my password" --maxmemory 100mb
       echo 'maxmemory 128mb' | miniserver -

CONFIG GET * shows all parameters. They are those of redis-server and two more:

       --load <file>     loads a snapshot, an append-only file or a text with one command on each line at the
                         start; the file is never written
       --seed <number>   makes everything random repeatable
`

// run is the program: it serves until the context ends or SHUTDOWN is called, or runs one script.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if wantsHelp(args) {
		_, err := io.WriteString(out, usage)
		return err
	}
	if len(args) > 0 {
		switch args[0] {
		case "eval":
			return eval(ctx, args[1:], out)
		case "check-aof":
			return checkAOF(args[1:], in, out)
		case "convert":
			return convert(args[1:], out)
		case "check-rdb":
			return checkRDB(args[1:], out)
		}
	}
	if len(args) == 1 && (args[0] == "-v" || args[0] == "--version") {
		_, err := fmt.Fprintf(out, "miniserver v=%s redis=%s go=%s bits=%d\n", engine.Version, engine.RedisVersion,
			runtime.Version(), strconv.IntSize)
		return err
	}
	var input bytes.Buffer
	conf, err := readConfig(args, io.TeeReader(in, &input))
	if err != nil {
		return err
	}
	p, err := newProgram(conf, out)
	if err != nil {
		return err
	}
	behind := background()
	if p.daemonizes() && !behind {
		return detach(args, input.Bytes())
	}
	defer p.close()
	if err = errors.Join(p.log.open(), p.writePID()); err == nil {
		err = p.serve(ctx)
	}
	if err != nil && behind {
		server.Log(&p.log, '#', "%v", err) // it is printed nowhere else
	}
	return err
}

// wantsHelp reports whether the arguments are -h or --help, alone or behind the name of a tool.
func wantsHelp(args []string) bool {
	if len(args) == 2 && slices.Contains([]string{"eval", "check-aof", "check-rdb", "convert"}, args[0]) {
		args = args[1:]
	}
	return len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

// program is an engine with its server and what the process owns.
type program struct {
	engine      *engine.Engine
	server      *server.Server
	parts       assembly.Parts
	conf        *config
	first       map[string]string // the parameters before the configuration was read
	log         logFile
	users       userFile
	fixturePath string // of what is loaded at the start besides
	pid         string // path of the file with the process id; "" for none
	daemonize   bool
	supervised  string
	seed        uint64

	fixtureDone, fixtureSize atomic.Int64 // bytes of a fixture that is being read
}

// newProgram builds the engine and the server that the configuration asks for.
func newProgram(conf *config, out io.Writer) (*program, error) {
	p := &program{conf: conf, log: logFile{Writer: out}, seed: randomSeed(), supervised: "no"}
	databases := int64(16)
	early := []engine.Param{
		engine.IntParam("databases", &databases, 1, 1<<31-1),
		engine.IntParam("seed", &p.seed, 0, 1<<63-1),
	}
	for i := range early {
		if err := conf.apply(early[i].Name, &early[i]); err != nil {
			return nil, err
		}
	}
	p.engine = engine.New(engine.Options{Databases: int(databases), Clock: server.Clock(), Seed: p.seed})
	p.parts = assembly.Join(p.engine, assembly.Options{Log: &p.log, Beside: beside})
	p.server = server.New(p.engine, server.Options{Port: 6379, Log: &p.log, Beside: beside, Journal: p.parts.Journal, Load: func() error {
		err := pacing.fill(p.loadShown)
		if err == nil {
			p.tellReady()
		}
		return err
	}})
	p.engine.Join(p.part(early[1].AtStart()))
	p.first = values(p.engine)
	for _, s := range conf.settings {
		var err error
		switch {
		case s.applied || s.name() == "user":
		case s.name() == "rename-command":
			err = s.rename(p.engine)
		default:
			err = s.set(p.engine.Param(s.name()))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.admitUsers(); err != nil {
		return nil, err
	}
	return p, nil
}

// part returns what the program adds to its engine.
func (p *program) part(seed engine.Param) engine.Part {
	return engine.Part{
		Name: "program",
		Params: []engine.Param{
			seed,
			engine.StringParam("logfile", &p.log.path).AtStart(),
			engine.StringParam("pidfile", &p.pid).AtStart(),
			engine.StringParam("load", &p.fixturePath).AtStart(),
			engine.StringParam("aclfile", &p.users.path).AtStart(),
			engine.BoolParam("daemonize", &p.daemonize).AtStart(),
			engine.EnumParam("supervised", &p.supervised, "upstart", "systemd", "auto", "no").AtStart(),
		},
		Host: engine.Host{Limit: bound, Rewrite: p.rewrite, Users: &p.users},
	}
}

func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 1
}

// serve runs the server.
func (p *program) serve(ctx context.Context) error {
	tune()
	if p.engine.Param("tls-port").Get() != "0" {
		addProcessors(1) // TLS is spoken beside the loops
	}
	if err := p.server.Listen(); err != nil {
		return fmt.Errorf("could not listen: %w", err)
	}
	p.introduce()
	err := p.server.Run(ctx)
	if err == nil {
		p.parts.Snapshots.Close()
	}
	p.parts.Journal.Close()
	if err == nil {
		server.Log(&p.log, '*', "Stopped")
	}
	return err
}

// introduce writes the first line of the log: what this is, how it was set up, and where the data are kept.
func (p *program) introduce() {
	source, keeping := "no configuration file", "data are kept in memory only"
	if p.conf.file != "" {
		source = p.conf.file
	}
	if p.engine.Param("appendonly").Get() == "yes" || p.engine.Param("save").Get() != "" {
		keeping = "data are kept in " + p.engine.Param("dir").Get()
	}
	server.Log(&p.log, '*', "miniserver %s, compatible with Redis %s; %s; %s", engine.Version, engine.RedisVersion, source, keeping)
}

func (p *program) writePID() error {
	if p.pid == "" {
		return nil
	}
	return os.WriteFile(p.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
}

func (p *program) close() {
	if p.pid != "" {
		_ = os.Remove(p.pid)
	}
	p.log.close()
}

// logFile is where the log goes: standard output, or the file of the parameter logfile.
type logFile struct {
	io.Writer
	path string
	file *os.File
}

func (l *logFile) open() (err error) {
	if l.path == "" {
		return nil
	}
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	l.Writer = l.file
	return err
}

func (l *logFile) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}
