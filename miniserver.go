// Package miniserver runs the server inside a Go program, above all inside its tests:
//
//	func TestSessionExpires(t *testing.T) {
//		s := miniserver.Run(t)
//		client := redis.NewClient(&redis.Options{Addr: s.Addr()}) // any client
//		client.Set(t.Context(), "session", "alice", time.Hour)
//		s.Advance(time.Hour) // returns at once
//		require.Zero(t, client.Exists(t.Context(), "session").Val())
//	}
//
// It is the complete server of the command miniserver, with the same commands, scripts and replies, over real
// sockets. Four things differ. The port is a free one. Snapshots stay in memory: SAVE writes no file. Tests
// control the clock: they can stop, set and advance it. And the commands of the test kit are there (see package
// testkit), unless the setting "test-kit no" takes them away.
//
// A program may run as many servers as it likes. They share nothing.
package miniserver

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/server"
	"github.com/miniserver-go/miniserver/testkit"
)

// Server is a running server. Its methods may be called from any goroutine.
type Server struct {
	engine *engine.Engine
	server *server.Server
	parts  assembly.Parts
	clock  *testkit.Clock
	stop   context.CancelFunc
	ended  chan struct{} // closed when err is final
	err    error
	own    client
}

// TB is the part of testing.TB that Run uses.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Run starts a server for a test and closes it when the test ends. If it cannot start, the test fails.
func Run(t TB, settings ...string) *Server {
	t.Helper()
	s, err := Start(settings...)
	if err != nil {
		t.Fatalf("miniserver: %v", err)
		return nil
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Start starts a server on a free port of the loopback interface. The settings are lines of a redis.conf,
// such as "requirepass secret" or "port 7777". Settings of the command miniserver are not supported:
// aclfile, databases, include, load, logfile, pidfile, rename-command, seed and user. The caller must Close the server.
func Start(settings ...string) (s *Server, err error) {
	unlocked(func() { s, err = start(settings) })
	return s, err
}

func start(settings []string) (*Server, error) {
	s := &Server{ended: make(chan struct{})}
	like, kit := &release.Default, true
	early := []engine.Param{engine.ReleaseParam(&like), testkit.Param(&kit)}
	settings, err := applyEarly(settings, early)
	if err != nil {
		return nil, err
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:])
	s.engine = engine.New(engine.Options{Release: like, Clock: server.Clock(), Seed: binary.LittleEndian.Uint64(seed[:])})
	parts, serving := assembly.Options{Disk: new(snapshot.MemDisk), TestKit: kit}, server.Options{Bind: []string{"127.0.0.1"}}
	s.parts = assembly.Join(s.engine, parts)
	if kit {
		s.clock, serving.Guarded = s.parts.Kit.Clock, testkit.Setting
	} else {
		s.clock = testkit.NewClock(s.engine)
	}
	s.engine.Join(engine.Part{Params: early[1:]})
	serving.Journal, serving.Load = s.parts.Journal, s.parts.Load
	ready := make(chan struct{})
	serving.Ready = func() error {
		close(ready)
		return nil
	}
	s.server = server.New(s.engine, serving)
	for _, line := range settings {
		if err := apply(line, s.engine.Param); err != nil {
			return nil, err
		}
	}
	if err := s.server.Listen(); err != nil {
		return nil, err
	}
	s.own.addr = s.Addr()
	if err := s.run(ready); err != nil {
		return nil, err
	}
	return s, nil
}

// run starts to serve, and returns once the server is ready: before, clients get LOADING.
func (s *Server) run(ready <-chan struct{}) error {
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() {
		s.err = s.server.Run(ctx)
		s.parts.Journal.Close()
		close(s.ended)
	}()
	select {
	case <-ready:
		return nil
	case <-s.ended:
		return s.err
	}
}

// applyEarly applies the settings of parameters that the engine needs when it is made, and returns the others.
func applyEarly(settings []string, early []engine.Param) (others []string, err error) {
	for _, line := range settings {
		name, _, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(early, func(p engine.Param) bool { return strings.EqualFold(name, p.Name) })
		if i < 0 {
			others = append(others, line)
			continue
		}
		if err = apply(line, func(string) *engine.Param { return &early[i] }); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// apply applies a line of a redis.conf to the parameter that lookup finds.
func apply(line string, lookup func(name string) *engine.Param) error {
	words, ok := resp.Words([]byte(line), nil)
	if !ok || len(words) < 2 {
		return fmt.Errorf("setting %q: name or value is missing", line)
	}
	p := lookup(strings.ToLower(string(words[0])))
	if p == nil || p.Set == nil {
		return fmt.Errorf("setting %q: there is no such parameter", line)
	}
	values := make([]string, len(words)-1)
	for i, w := range words[1:] {
		values[i] = string(w)
	}
	if err := p.Set(strings.Join(values, " ")); err != nil {
		return fmt.Errorf("setting %q: %s", line, err)
	}
	return nil
}

// Addr returns the address to connect to, such as "127.0.0.1:43125".
func (s *Server) Addr() string { return s.server.Addrs()[0] }

// Do executes a command and returns its RESP2 reply; the reply's String is what redis-cli prints. All calls
// share one connection: SELECT, AUTH and MULTI apply to later calls, and other calls wait for
// a blocking command. That ends when it is served, at its timeout by the server's clock, or with the server. Without
// words, and if the server has ended, Do returns an error reply that says so.
func (s *Server) Do(words ...string) resp.Value { return s.own.do(words) }

// Advance moves the clock ahead. When it returns, everything due until then has happened in order: keys and elements
// have expired, and blocked clients have timed out. MINI.CLOCK ADVANCE does the same for clients.
func (s *Server) Advance(d time.Duration) {
	unlocked(func() {
		s.engine.With(func() { s.clock.Advance(s.engine, d) })
	})
}

// unlocked runs fn on a goroutine that is not locked to a thread, as the caller's may be. Coroutines of the engine,
// of scripts and of snapshots, can only be resumed by a goroutine with the same lock as the one that made them.
func unlocked(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// Freeze sets the clock and stops it: then only Advance moves it, or MINI.CLOCK. On the way ahead, what is due happens in
// order. Deadlines do not move with the clock: when it is set back, keys live longer.
func (s *Server) Freeze(at time.Time) {
	unlocked(func() {
		s.engine.With(func() {
			s.clock.Freeze()
			s.clock.MoveTo(s.engine, at.UnixMicro())
		})
	})
}

// Close ends the server and its connections. If the server has ended with an error before, Close returns it. Further
// calls do nothing.
func (s *Server) Close() error {
	s.stop()
	<-s.ended
	s.own.close()
	return s.err
}
