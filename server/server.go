// Package server serves the engine on the network: listeners, event loops, connections, output.
//
//	socket ─read─▶ traffic ─▶ batch.cut ─▶ engine.Do ─▶ group ─▶ one write
//	                 ▲                        │
//	                 └───────── Wake ◀────────┘ of sessions served by others
//
// Each connection belongs to one event loop (gnet). The loop reads what the socket has, cuts
// complete commands off it without copying, and executes them as one batch under the engine's lock.
// The batch's replies leave in one write: at once, or at the end of the loop's round together with
// those of other connections, see group. What another connection's command writes to a session waits in
// the session's reply buffer until its own loop is woken. TLS is spoken beside the loops, see tls.go.
//
// Invariants:
//  1. A connection's fields are touched by its loop only; Wake is the one call from outside.
//  2. A parked session executes nothing; what it sends is held back, up to client-query-buffer-limit.
//  3. A protocol error ends the connection after the commands before it were executed.
//  4. A connection that is to end does so when its output is sent.
//  5. An idle connection holds no buffers.
//
// The number of loops is 1 on two cores: executing is serial, and a second loop would only contend
// for the lock (measured). With more cores, parsing and writing spread over half of them, but over no
// more than the lock can feed. A process
// that does nothing else should give Go as many processors as there are loops: an idle one makes the
// runtime wake a thread for each round of the loop, a sixth of the CPU time of a request (measured).
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"github.com/panjf2000/gnet/v2/pkg/logging"

	"github.com/miniserver-go/miniserver/engine"
)

// Options say where a server listens and how.
type Options struct {
	Bind       []string       // addresses; 127.0.0.1, and ::1 where it exists, if empty
	Port       int            // 0 picks a free one, or none if there is a unix socket; negative for none
	UnixSocket string         // path; empty for none
	UnixPerm   fs.FileMode    // of the unix socket; 0 for the process' default
	Listeners  []net.Listener // further ones, of TCP or unix sockets; closed by Run
	Loops      int            // event loops; 0 for as many as suit the machine
	MaxClients int            // 10000 if 0
	Log        io.Writer      // one line for each event worth telling; nil for silence
	// Journal, if it is not nil, is waited for before replies leave.
	Journal Journal
	// Load takes in the data that was kept, before the server is ready; clients hear LOADING
	// meanwhile if the engine knows. An error ends Run. It may be nil.
	Load func() error
	// Beside runs what goes on beside the event loops: a script that takes long. go run() if nil.
	Beside func(run func())
}

// Server serves an engine's commands on sockets.
type Server struct {
	engine     *engine.Engine
	opts       Options
	listeners  []listener // changed under mu while accepting
	accepting  bool       // under mu
	acceptors  sync.WaitGroup
	tls        secrecy
	loops      *gnet.Client
	alarm      chan struct{} // the engine has work earlier than it said
	ending     chan struct{} // closed by Shutdown
	end        sync.Once
	counts     counts
	maxBulk    atomic.Int64
	maxQuery   atomic.Int64
	maxClients atomic.Int64
	keepAlive  atomic.Int64 // seconds
	output     atomic.Pointer[outputLimits]

	mu       sync.Mutex
	draining []*conn // dying connections whose output is not sent yet
	groups   map[gnet.EventLoop]*group
	gnet.BuiltinEventEngine
}

// New returns a server for an engine, which it joins: it adds parameters and sections of INFO, and is its host.
func New(e *engine.Engine, opts Options) *Server {
	if opts.MaxClients == 0 {
		opts.MaxClients = 10000
	}
	if len(opts.Bind) == 0 {
		opts.Bind = []string{"127.0.0.1", "-::1"}
	}
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	if opts.Loops == 0 {
		opts.Loops = Loops()
	}
	if opts.Beside == nil {
		opts.Beside = func(run func()) { go run() }
	}
	s := &Server{engine: e, opts: opts, alarm: make(chan struct{}, 1), ending: make(chan struct{}),
		groups: make(map[gnet.EventLoop]*group)}
	s.maxBulk.Store(e.Config.ProtoMaxBulk)
	s.maxQuery.Store(1 << 30)
	s.maxClients.Store(int64(opts.MaxClients))
	s.keepAlive.Store(300)
	s.output.Store(defaultOutput())
	e.Join(engine.Part{Name: "server", Params: s.params(), Sections: s.sections(), Host: s.host()})
	return s
}

// host returns what the server does for its engine.
func (s *Server) host() engine.Host {
	return engine.Host{
		Due:     s.due,
		Beside:  s.opts.Beside,
		Exit:    s.exit,
		Sleep:   sleep,
		Purge:   purge,
		Memory:  processMemory,
		Traffic: func() (in, out int64) { return s.counts.in.Load(), s.counts.out.Load() },
	}
}

// maxLoops is where reading and writing, four fifths of a request, are spread as far as executing allows.
const maxLoops = 4

// Loops returns how many event loops suit the machine.
func Loops() int { return min(maxLoops, max(1, runtime.NumCPU()/2)) }

// Listen opens the listeners. Run does it otherwise.
func (s *Server) Listen() error {
	err := s.listen()
	if err != nil {
		s.closeListeners()
	}
	return err
}

// Addrs returns the addresses the server listens on, "127.0.0.1:6379" or "/path/of.sock", after
// Listen.
func (s *Server) Addrs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, ln := range s.listeners {
		list = append(list, ln.Addr().String())
	}
	return list
}

// Run serves until the context ends or SHUTDOWN is called. It returns an error if it cannot listen.
func (s *Server) Run(ctx context.Context) (err error) {
	if s.listeners == nil {
		if err := s.Listen(); err != nil {
			return err
		}
	}
	s.fitClients()
	s.loops, err = gnet.NewClient(s, gnet.WithNumEventLoop(s.opts.Loops), gnet.WithReadBufferCap(64<<10),
		gnet.WithTCPNoDelay(gnet.TCPDelay), // Go has set it already
		gnet.WithLogLevel(logging.ErrorLevel), gnet.WithLogger(silent{}))
	if err != nil {
		return err
	}
	if err := s.loops.Start(); err != nil {
		return err
	}
	err = errors.Join(s.serve(ctx), s.loops.Stop())
	s.engine.DisableSlow()
	return err
}

// load takes in the data, and tells that the server is ready. Clients hear LOADING already, see serve.
func (s *Server) load() error {
	if s.opts.Load != nil {
		if err := s.opts.Load(); err != nil {
			return err
		}
		s.engine.StopLoading()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ln := range s.listeners {
		s.log('*', "Ready to accept connections %s %s", ln.kind, ln.Addr())
	}
	return nil
}

// serve accepts connections until the end.
func (s *Server) serve(ctx context.Context) error {
	if s.opts.Load != nil {
		s.engine.StartLoading() // before the first client comes, who would find nothing
	}
	s.mu.Lock()
	s.accepting = true
	for _, ln := range s.listeners {
		s.acceptors.Go(func() { s.accept(ln) })
	}
	s.mu.Unlock()
	ticking, stop := make(chan struct{}), make(chan struct{})
	go func() {
		s.tick(stop)
		close(ticking)
	}()
	err := s.load()
	if err == nil {
		select {
		case <-ctx.Done():
		case <-s.ending:
		}
	}
	s.closeListeners()
	s.acceptors.Wait()
	close(stop)
	<-ticking
	return err
}

func (s *Server) closeListeners() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepting = false
	for _, ln := range s.listeners {
		_ = ln.Close()
	}
}

// fitClients lowers maxclients to what the process has file descriptors for.
func (s *Server) fitClients() {
	want := s.maxClients.Load()
	if fit := fewerClients(want); fit < want {
		s.log('#', "Current maximum open files allow %d clients; maxclients has been reduced from %d.", fit, want)
		s.maxClients.Store(fit)
	}
}

// OnOpen implements gnet.EventHandler.
func (s *Server) OnOpen(gc gnet.Conn) ([]byte, gnet.Action) {
	c := gc.Context().(*conn)
	c.gc = gc
	c.group = s.groupOf(gc.EventLoop())
	c.from.FD = gc.Fd()
	c.session = s.engine.Connect(c, c.from)
	return nil, gnet.None
}

// OnClose implements gnet.EventHandler.
func (s *Server) OnClose(gc gnet.Conn, _ error) gnet.Action {
	s.counts.clients.Add(-1)
	c := gc.Context().(*conn)
	c.dying = true
	s.engine.Close(c.session)
	// What it waited for may have come just before it was seen to hang up, and who closed only the
	// way to us still reads.
	if o := s.engine.Collect(c.session); len(o.Out) > 0 || c.held > 0 {
		c.write(o.Out, false)
		if c.held > 0 {
			c.group.flush()
		}
	}
	c.broken, c.closed = true, true
	c.ended()
	return gnet.None
}

// OnTraffic implements gnet.EventHandler.
func (s *Server) OnTraffic(gc gnet.Conn) gnet.Action { return gc.Context().(*conn).traffic() }

// tick drives the engine's own work: when the next deadline says so, and ten times a second.
func (s *Server) tick(stop <-chan struct{}) {
	const longest, shortest = 100 * time.Millisecond, time.Millisecond
	timer := time.NewTimer(longest)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		case <-s.alarm:
		}
		wait := longest
		if next := s.engine.Tick(); next != 0 {
			wait = min(longest, max(shortest, s.engine.Until(next)))
		}
		s.wakeDraining()
		timer.Reset(wait)
	}
}

// due is the engine's word that it has work earlier than it said.
func (s *Server) due(int64) {
	select {
	case s.alarm <- struct{}{}:
	default:
	}
}

// drain has a dying connection looked at again, until its output is sent.
func (s *Server) drain(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = append(s.draining, c)
}

func (s *Server) wakeDraining() {
	s.mu.Lock()
	list := s.draining
	s.draining = nil
	s.mu.Unlock()
	for _, c := range list {
		c.Wake()
	}
}

// exit ends Run, for SHUTDOWN.
func (s *Server) exit() {
	s.log('#', "User requested shutdown...")
	s.end.Do(func() { close(s.ending) })
}

func sleep(micros int64) { time.Sleep(time.Duration(micros) * time.Microsecond) }

// log writes a line of the server's log, as redis-server's are. The mark tells how much it matters:
// # warning, * notice.
func (s *Server) log(mark byte, format string, args ...any) { Log(s.opts.Log, mark, format, args...) }

// Log writes a line as those of a server's log are.
func Log(to io.Writer, mark byte, format string, args ...any) {
	now := time.Now().Format("02 Jan 2006 15:04:05.000")
	fmt.Fprintf(to, "%d:M %s %c %s\n", os.Getpid(), now, mark, fmt.Sprintf(format, args...))
}

// silent drops gnet's own log lines: what matters of them reaches us as errors.
type silent struct{}

func (silent) Debugf(string, ...any) {}
func (silent) Infof(string, ...any)  {}
func (silent) Warnf(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}
