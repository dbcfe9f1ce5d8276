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
// It is the complete server of the command miniserver, with the same commands, scripts and replies,
// over real sockets. Four things differ. The port is a free one. Snapshots stay in memory: SAVE
// writes no file. Tests control the clock: they can stop, set and advance it. And the commands of
// the test kit are there (see package testkit), unless the setting "test-kit no" takes them away.
//
// A program may run as many servers as it likes. They share nothing. One server can also have many
// worlds, which share nothing either and cost less: see NewWorld. And in a bubble of
// testing/synctest a server has the bubble's time: see RunInProcess.
package miniserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/server"
)

// Server is a running server. It is also its world of new connections, so it has the methods of
// World. They may be called from any goroutine.
type Server struct {
	World
	made     *assembly.Assembly
	engine   *engine.Engine
	server   *server.Server
	stop     context.CancelFunc
	ended    chan struct{} // closed when err is final
	err      error
	mu       sync.Mutex
	numbered int // worlds of NewWorld and Fork
}

// TB is the part of testing.TB that this package uses.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Run starts a server for a test and closes it when the test ends. Its log is part of the test's.
// If it cannot start, the test fails. For the settings see Start.
func Run(t TB, settings ...string) *Server {
	t.Helper()
	return run(t, false, settings)
}

// RunInProcess is Run for a server that does not listen: clients connect by Dial, which is what
// Options.Dialer of go-redis wants. Neither it nor its clients use the network, so it works in a
// bubble of testing/synctest, and then its clock is the bubble's.
func RunInProcess(t TB, settings ...string) *Server {
	t.Helper()
	return run(t, true, settings)
}

func run(t TB, inProcess bool, settings []string) (s *Server) {
	t.Helper()
	var err error
	unlocked(func() { s, err = start(settings, testLog{t}, server.Options{InProcess: inProcess}) })
	if err != nil {
		t.Fatalf("miniserver: %v", err)
		return nil
	}
	t.Cleanup(func() {
		s.logFaults(t)
		_ = s.Close()
	})
	return s
}

// testLog writes the server's log to a test's.
type testLog struct{ TB }

// Write implements io.Writer. It is called with one line.
func (l testLog) Write(line []byte) (int, error) {
	l.Logf("%s", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Start starts a server on a free port of the loopback interface. The settings are lines of a
// redis.conf, such as "requirepass secret" or "port 7777"; "load dump.rdb more.txt" loads data to
// start with. Other settings of the command miniserver are not supported: aclfile, include,
// logfile, pidfile, rename-command and user. The caller must Close the server.
func Start(settings ...string) (s *Server, err error) {
	unlocked(func() { s, err = start(settings, io.Discard, server.Options{}) })
	return s, err
}

func start(lines []string, log io.Writer, how server.Options) (*Server, error) {
	startup, others, err := early(lines)
	if err != nil {
		return nil, err
	}
	s := &Server{ended: make(chan struct{})}
	ready := make(chan struct{})
	how.Bind = []string{"127.0.0.1"}
	how.Load = func() error { return s.made.Load(startup.Fixtures...) }
	how.Ready = func() error {
		close(ready)
		return nil
	}
	s.made = assembly.New(assembly.Options{Engine: startup.Engine(), Server: &how, Log: log,
		Disk: new(disk.Memory), TestKit: startup.TestKit})
	s.made.Add(startup)
	s.engine, s.server = s.made.Engine, s.made.Server
	in := &inside{engine: s.engine, world: s.engine.Home(), ended: s.ended}
	s.World = World{home: s, name: defaultWorld, steer: in}
	if s.made.Kit != nil {
		in.clock = s.made.Kit.Clock
	} else {
		in.clock = testkit.NewClock(s.engine)
	}
	for _, line := range others {
		if err == nil {
			err = apply(line, s.engine.Params.Named, s.engine.Params.Unknown)
		}
	}
	if err == nil {
		err = s.server.Listen()
	}
	if err != nil {
		s.made.Close(err)
		return nil, err
	}
	s.own = newClient(s.enter)
	s.run()
	select {
	case <-ready:
	case <-s.ended:
		return nil, s.err
	}
	return s, nil
}

// run runs the server until Close.
func (s *Server) run() {
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() {
		s.err = s.made.Run(ctx)
		close(s.ended)
	}()
}

// Addr returns the address to connect to, such as "127.0.0.1:43125"; "pipe" if the server does not
// listen.
func (s *Server) Addr() string {
	if addrs := s.server.Addrs(); len(addrs) > 0 {
		return addrs[0]
	}
	return "pipe"
}

// Addrs returns all addresses to connect to: those of the nodes, if the server is a cluster.
func (s *Server) Addrs() []string { return s.server.Addrs() }

// Steer executes a command of the test kit without a connection, which no outage strikes.
func (s *Server) Steer(words ...string) error { return s.kit(words...) }

// scheme returns that of the URL of Addr.
func (s *Server) scheme() (scheme string) {
	_, port, _ := net.SplitHostPort(s.Addr())
	unlocked(func() {
		s.engine.With(func() {
			if scheme = "redis"; port == s.engine.Params.Named("tls-port").Get() {
				scheme = "rediss"
			}
		})
	})
	return scheme
}

func (s *Server) certificate() string { return s.server.Certificate() }

// Dial connects to the server, whatever the network and the address. It may serve as the dialer of
// a client. The connection is never encrypted: to a server that speaks only TLS it leads within the
// process. While the server is down the connection is refused.
func (s *Server) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := s.server.Refusal(); err != nil {
		return nil, err
	}
	return s.dial(ctx)
}

// dial is Dial also while the server is down.
func (s *Server) dial(ctx context.Context) (net.Conn, error) {
	select {
	case <-s.ended:
		return nil, errEnded
	default:
	}
	addrs := s.server.Addrs()
	if len(addrs) > 0 && (s.scheme() == "rediss" || s.server.Refusal() != nil) {
		return s.server.Connect(engine.Endpoint{Addr: "127.0.0.1:0", LocalAddr: addrs[0]}, nil)
	}
	if len(addrs) > 0 {
		return new(net.Dialer).DialContext(ctx, "tcp", addrs[0])
	}
	return s.server.Dial(), nil
}

// Restart does to clients what a restart of the server at the same address does: their connections
// end, and cached scripts are gone. The data of all worlds stay.
func (s *Server) Restart() error { return s.kit("MINI.OUTAGE", "RESTART") }

// RestartEmpty is Restart of a server that has saved nothing: all worlds are as after Reset, but
// for their clocks.
func (s *Server) RestartEmpty() error { return s.kit("MINI.OUTAGE", "RESTART", "EMPTY") }

// errEnded is what everything returns after Close.
var errEnded = errors.New("the server has ended")

// Close ends the server and its connections, and frees its data. If the server has ended with an
// error before, Close returns it. Further calls do nothing.
func (s *Server) Close() error {
	s.stop()
	<-s.ended
	s.own.close()
	s.engine.Discard()
	return s.err
}

// unlocked runs fn on a goroutine that is not locked to a thread, as the caller's may be.
// Coroutines of the engine, of scripts and of snapshots, can only be resumed by a goroutine with
// the same lock as the one that made them.
func unlocked(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// early applies the settings that count when the engine is made, and returns the others.
func early(settings []string) (startup *assembly.Startup, others []string, err error) {
	first := assembly.NewStartup()
	first.TestKit = true
	params := first.Early()
	for _, line := range settings {
		name, _, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(params, func(p config.Param) bool { return strings.EqualFold(name, p.Name) })
		if i < 0 {
			others = append(others, line)
			continue
		}
		if err = apply(line, func(string) *config.Param { return &params[i] }, nil); err != nil {
			return nil, nil, err
		}
	}
	return &first, others, nil
}

// apply applies a line of a redis.conf to the parameter that lookup finds; unknown returns the
// error if it finds none.
func apply(line string, lookup func(name string) *config.Param,
	unknown func(name string, others ...string) error) error {
	words, ok := resp.Words([]byte(line), nil)
	if !ok || len(words) < 2 {
		return fmt.Errorf("setting %q: name or value is missing", line)
	}
	name := strings.ToLower(string(words[0]))
	p := lookup(name)
	if p == nil || p.Set == nil {
		return fmt.Errorf("setting %q: %w", line, unknown(name))
	}
	values := make([]string, len(words)-1)
	for i, w := range words[1:] {
		values[i] = string(w)
	}
	if err := p.SetWords(values); err != nil {
		return fmt.Errorf("setting %q: %s", line, err)
	}
	return nil
}
