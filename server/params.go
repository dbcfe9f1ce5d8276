package server

import (
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// params returns the parameters of listeners and connections. CONFIG SET changes them under the
// engine's lock, and the event loops read them without it.
func (s *Server) params() []config.Param {
	bulk := s.engine.Params.Named("proto-max-bulk-len")
	*bulk = bulk.Then(func() { s.maxBulk.Store(s.engine.Config.ProtoMaxBulk) })
	return append(s.tls.params(s.engine.Release.Product == "valkey", s.log), []config.Param{
		{Name: "bind", List: true, Get: func() string { return strings.Join(s.opts.Bind, " ") },
			Set:   func(v string) error { s.opts.Bind = strings.Fields(v); return nil },
			Apply: func() error { return s.relistenOr("Failed to bind to specified addresses.") }},
		s.portParam(),
		config.Text("unixsocket", &s.opts.UnixSocket).AtStart(),
		s.loopsParam(),
		{Name: "unixsocketperm", Immutable: true,
			Get: func() string { return strconv.FormatInt(int64(s.opts.UnixPerm), 8) }, Set: s.setUnixPerm},
		atomicParam("maxclients", &s.maxClients, 1, math.MaxUint32),
		atomicParam("tcp-keepalive", &s.keepAlive, 0, math.MaxInt32),
		s.maxQueryParam(),
		atomicBoolParam("protected-mode", &s.protected),
		atomicBoolParam("group-forward", &s.forwards),
		{Name: "client-output-buffer-limit", List: true, Get: func() string { return s.output.Load().String() },
			Set: s.setOutput},
	}...)
}

func (s *Server) portParam() config.Param {
	p := config.Int("port", &s.opts.Port, 0, 65535)
	p.Apply = func() error { return s.relistenOr("Unable to listen on this port. Check server logs.") }
	return p
}

// loopsParam is io-threads, the number of event loops. It shows how many run, also where there can
// be only one.
func (s *Server) loopsParam() config.Param {
	p := config.Int("io-threads", &s.opts.Loops, 1, mostLoops).AtStart()
	p.Get = func() string { return strconv.Itoa(s.Loops()) }
	p.Fitted = true
	return p
}

// relistenOr moves the listeners to the addresses of the parameters, or returns err.
func (s *Server) relistenOr(err command.Error) error {
	if s.relisten() != nil {
		return err
	}
	return nil
}

func (s *Server) setUnixPerm(v string) error {
	perm, err := strconv.ParseUint("0"+v, 8, 32) // "" is 0, as in Redis
	if err != nil || perm > 0o777 {
		return command.Error("argument must be between 0 and 777 inclusive")
	}
	if runtime.GOOS == "windows" && perm != 0 {
		return command.Error("this system has no permissions of sockets")
	}
	s.opts.UnixPerm = fs.FileMode(perm)
	return nil
}

// atomicParam is an integer between lo and hi.
func atomicParam(name string, p *atomic.Int64, lo, hi int64) config.Param {
	n := p.Load()
	return config.Int(name, &n, lo, hi).Then(func() { p.Store(n) })
}

func (s *Server) maxQueryParam() config.Param {
	n := s.maxQuery.Load()
	return config.Memory("client-query-buffer-limit", &n, 1<<20).Then(func() { s.maxQuery.Store(n) })
}

func atomicBoolParam(name string, p *atomic.Bool) config.Param {
	on := p.Load()
	return config.Bool(name, &on).Then(func() { p.Store(on) })
}

// maxOutput is the greatest limit: some blocks more than it still have 63 bits.
const maxOutput = math.MaxInt64 - 1<<20

// Errors of client-output-buffer-limit.
const (
	errBufferWords   = command.Error("Wrong number of arguments in buffer limit configuration.")
	errBufferNumbers = command.Error("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
)

// unexplained are the errors for which CONFIG SET gave no reason before 7.0.
var unexplained = []command.Wording{{Before: "7.0.0", Error: errBufferWords},
	{Before: "7.0.0", Error: errBufferNumbers}}

// setOutput sets limits, written as "class hard soft seconds" for one class or several. The engine
// obeys the hard limits too, while replies are made and messages wait for the event loop, and both
// while a replica gets a snapshot.
func (s *Server) setOutput(v string) error {
	words := strings.Fields(v)
	if len(words)%4 != 0 {
		return errBufferWords
	}
	limits := *s.output.Load()
	for ; len(words) > 0; words = words[4:] {
		class := slices.Index(outputClasses[:], strings.Replace(strings.ToLower(words[0]), "replica", "slave", 1))
		hard, ok1 := config.ParseMemory(words[1])
		soft, ok2 := config.ParseMemory(words[2])
		seconds, err := strconv.ParseInt(words[3], 10, 32)
		switch {
		case class < 0:
			return command.Error("Invalid client class specified in buffer limit configuration.")
		case !ok1 || !ok2 || err != nil || seconds < 0:
			return errBufferNumbers
		}
		limits[class] = outputLimit{int64(min(hard, maxOutput)), int64(min(soft, maxOutput)),
			time.Duration(seconds) * time.Second}
	}
	s.output.Store(&limits)
	for class, lim := range limits {
		s.engine.Config.OutputLimits[class] = lim.hard
		s.engine.Config.SoftLimits[class] = engine.SoftLimit{Bytes: lim.soft,
			Seconds: int64(lim.patience / time.Second)}
	}
	return nil
}
