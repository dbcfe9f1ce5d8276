// Package server serves the engine on the network: listeners, event loops, connections, output.
//
//	socket ─read─▶ traffic ─▶ batch.parse ─▶ engine.Do ─▶ group ─▶ one write
//	                 ▲                          │
//	                 └────────── Wake ◀─────────┘ of sessions that another session's command wrote to
//
// Each connection belongs to one event loop, see loop.go. The loop reads from the socket, parses complete
// commands without copying, and executes them as one batch under the engine's lock. The replies of a batch
// leave in one write: at once, or at the end of the loop's round together with those of other connections,
// see group. Messages and replies that another connection's command writes to a session stay in the session's
// reply buffer until its own loop is woken. Goroutines beside the loops handle TLS, see tls.go.
//
// Invariants:
//  1. Only its loop touches the fields of a connection; Wake is the one call from outside.
//  2. A blocked session executes nothing; its input is kept, up to client-query-buffer-limit.
//  3. A protocol error ends the connection after the commands before it were executed.
//  4. A dying connection closes when its output is sent, or is not read for closeTimeout. One that another client, a limit or a
//     time-out has ended closes in the loop's next round, whatever is unsent.
//  5. An idle connection holds no buffers, but for the bytes of a command that is not complete.
//  6. One client has its event loop for as many bytes as a read returns; then the other connections have their turn.
//
// On two cores there is one loop: execution is serial, and a second loop costs each request a tenth more CPU time, which
// the clients then lack (measured). With more cores, parsing and writing spread over half of them, up to the number of
// loops that one lock can serve. The setting io-threads chooses another number. A process that does nothing else should
// give Go one processor more than there are loops, and say so (OwnProcess): see epollLoop.pause.
package server

import (
	"context"
	"io"
	"io/fs"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
)

// Options configure a server.
type Options struct {
	Bind       []string       // addresses; 127.0.0.1, and ::1 where it exists, if empty
	Port       int            // 0 picks a free one, or none if there is a unix socket; negative for none
	UnixSocket string         // path; empty for none
	UnixPerm   fs.FileMode    // of the unix socket; 0 for the process' default
	Listeners  []net.Listener // more listeners, of TCP or unix sockets; closed by Run
	Loops      int            // event loops, up to 128; 0 for as many as suit the machine
	MaxClients int            // 10000 if 0
	Log        *Log           // nil for no log
	// Journal delays replies until it has saved the changes that they promise. It may be nil.
	Journal Journal
	// Barrier holds replies back until what they tell is certain. It may be nil.
	Barrier Barrier
	// Load loads the saved data before the server is ready; meanwhile clients get LOADING errors. An error ends Run.
	// It may be nil.
	Load func() error
	// Ready is called when the data are loaded and commands are served. An error ends Run. It may be nil.
	Ready func() error
	// Spawn starts a goroutine that runs the rest of a slow script; go run() if nil.
	Spawn func(run func())
	// Guarded is the setting because of which strangers must not reach the server; "" for none. With it the server accepts
	// only local connections while the default user needs no password, even with protected-mode no.
	Guarded string
	// OwnProcess says that the process does nothing else, so that event loops may keep their processors while they wait for input.
	OwnProcess bool
	// InProcess is for a server that clients reach only by Dial: it has no listeners.
	InProcess bool
}

// Server serves an engine's commands on sockets.
type Server struct {
	engine     *engine.Engine
	opts       Options
	listeners  []listener // changed under mu while accepting
	accepting  bool       // under mu
	acceptors  sync.WaitGroup
	tls        tlsConfig
	sockets    socketLoops   // unless InProcess
	pipes      netLoops      // for InProcess
	alarm      chan struct{} // the engine has work earlier than Tick announced
	ending     chan struct{} // closed by SHUTDOWN
	end        sync.Once
	counts     counts
	manners    manners
	maxBulk    atomic.Int64
	maxQuery   atomic.Int64
	maxClients atomic.Int64
	keepAlive  atomic.Int64 // seconds
	protected  atomic.Bool  // protected-mode
	forwards   atomic.Bool  // group-forward
	relays     relays
	output     atomic.Pointer[outputLimits]

	mu       sync.Mutex
	draining []*conn // connections with unsent output
	roomy    []*conn // connections whose input has room to release
	loops    []*loop // while it runs, by their numbers
}

// New returns a server for an engine. It joins the engine: it adds parameters and sections of INFO, and is its host.
func New(e *engine.Engine, opts Options) *Server {
	if opts.MaxClients == 0 {
		opts.MaxClients = 10000
	}
	if len(opts.Bind) == 0 {
		opts.Bind = []string{"127.0.0.1", "-::1"}
	}
	if opts.Log == nil {
		opts.Log = NewLog(e, io.Discard)
	}
	if opts.Loops == 0 {
		opts.Loops = suitableLoops()
	}
	if opts.Spawn == nil {
		opts.Spawn = func(run func()) { go run() }
	}
	s := &Server{engine: e, opts: opts, manners: mannersOf(e.Release), alarm: make(chan struct{}, 1), ending: make(chan struct{})}
	e.Config.ReplyMemory = replyMemory()
	if opts.InProcess {
		s.pipes = newNetLoops(s, 1)
	}
	s.maxBulk.Store(e.Config.ProtoMaxBulk)
	s.maxQuery.Store(1 << 30)
	s.maxClients.Store(int64(opts.MaxClients))
	s.keepAlive.Store(300)
	s.protected.Store(true)
	s.relays.patience = relayWait
	s.output.Store(defaultOutput(e.Config))
	e.Join(engine.Part{Name: "server", Families: []command.Family{{Wordings: wordings}}, Params: s.params(), Sections: s.sections(), Host: s.host(),
		Tick: s.tendRelays})
	return s
}

// host returns the functions by which the engine uses the server.
func (s *Server) host() engine.Host {
	return engine.Host{
		Due:     s.due,
		Spawn:   s.opts.Spawn,
		InTurns: s.inTurns,
		Feed:    s.feed,
		Exit:    s.exit,
		Sleep:   sleep,
		Log:     s.log,
		Purge:   purge,
		CPU:     processorTime,
		Memory:  processMemory,
		Machine: memoryLimit(),
		Traffic: func() (in, out, cycles int64) {
			all := s.traffic()
			return all.in, all.out, all.reads
		},
	}
}

// usualLoops is the most event loops there are without a setting. A request spends a tenth of its CPU time under the engine's lock, in a
// pipeline a third, and as a script four fifths (measured): more loops would mostly wait for each other.
const usualLoops = 4

// mostLoops is the most that io-threads may be, as in Redis.
const mostLoops = 128

// suitableLoops returns the number of event loops that suits the processors that Go may use, in a container its share of the machine.
func suitableLoops() int { return min(usualLoops, max(1, runtime.GOMAXPROCS(0)/2)) }

// Loops returns the number of event loops with which the server runs: the setting io-threads.
func (s *Server) Loops() int {
	if s.opts.InProcess {
		return 1
	}
	return s.opts.Loops
}

// Listen opens the listeners. Run does so if Listen was not called.
func (s *Server) Listen() error {
	if s.opts.InProcess {
		return nil
	}
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
	defer s.engine.DisableSlowScripts()
	if s.opts.InProcess {
		return s.runPipes(ctx)
	}
	if s.listeners == nil {
		if err := s.Listen(); err != nil {
			return err
		}
	}
	s.limitClients()
	if s.sockets, err = startSocketLoops(s); err != nil {
		return err
	}
	defer s.sockets.stop()
	return s.serve(ctx)
}

// load loads the data and logs that the server is ready. Clients already get LOADING errors, see serve.
func (s *Server) load() error {
	if s.opts.Load != nil {
		if err := s.opts.Load(); err != nil {
			return err
		}
		s.engine.StopLoading()
	}
	s.logReady()
	if s.opts.Ready != nil {
		return s.opts.Ready()
	}
	return nil
}

// logReady logs a line for each kind of listeners, with their addresses. Tools wait for it, and some count it.
func (s *Server) logReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kinds []string
	addresses := map[string]string{}
	for _, ln := range s.listeners {
		if addresses[ln.kind] == "" {
			kinds = append(kinds, ln.kind)
		}
		addresses[ln.kind] += " " + ln.Addr().String()
	}
	for _, kind := range kinds {
		s.log('*', "Ready to accept connections %s%s", kind, addresses[kind])
	}
}

// serve accepts connections until the end.
func (s *Server) serve(ctx context.Context) error {
	if s.opts.Load != nil {
		s.engine.StartLoading() // before the first client connects, which would find no data
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
			s.awaitReplicas()
		case <-s.ending:
		}
	}
	s.closeListeners()
	s.relays.close(true, func(*relay) bool { return true })
	s.acceptors.Wait()
	close(stop)
	<-ticking
	return err
}

// awaitReplicas waits until the replicas have everything, as SHUTDOWN does.
func (s *Server) awaitReplicas() {
	waits := false
	s.engine.With(func() { waits = s.engine.AwaitShutdown(engine.Shutdown{Force: true}) })
	if waits {
		<-s.ending
	}
}

func (s *Server) closeListeners() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepting = false
	for _, ln := range s.listeners {
		_ = ln.Close()
	}
}

// limitClients lowers maxclients to the file descriptors that the process may have.
func (s *Server) limitClients() {
	want := s.maxClients.Load()
	if fit := clientsThatFit(want); fit < want {
		s.log('#', "Current maximum open files allow %d clients; maxclients has been reduced from %d.", fit, want)
		s.maxClients.Store(fit)
	}
}

// tick drives the engine's own work: at its next deadline, and ten times a second, or five times while nothing comes in and no output waits.
func (s *Server) tick(stop <-chan struct{}) {
	const whenQuiet, whenBusy, shortest = 200 * time.Millisecond, 100 * time.Millisecond, time.Millisecond
	timer := time.NewTimer(whenBusy)
	defer timer.Stop()
	room := time.NewTicker(roomTime)
	defer room.Stop()
	var reads int64
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		case <-s.alarm:
		case <-room.C:
			s.wakeAll(&s.roomy)
		}
		wait, longest, before := s.engine.Wait(s.engine.Tick()), whenQuiet, reads
		if reads = s.traffic().reads; s.wakeAll(&s.draining) || reads != before {
			longest = whenBusy
		}
		if s.counts.unread.Swap(0) > muchUnread {
			purge()
		}
		timer.Reset(min(longest, max(shortest, wait)))
	}
}

// muchUnread is how many bytes that ended connections have not read are worth a collection, which gives their memory back to
// the system at once.
const muchUnread = 16 << 20

// due makes tick run now: the engine has work earlier than its last Tick announced.
func (s *Server) due(int64) {
	select {
	case s.alarm <- struct{}{}:
	default:
	}
}

// drain adds a connection to those that tick wakes until their output is sent.
func (s *Server) drain(c *conn) {
	if !c.draining.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = append(s.draining, c)
}

// roomTime is how often tick wakes connections whose input has room: one that was quiet since the last time releases it.
const roomTime = 2 * time.Second

// watchRoom adds a connection to those that tick wakes to release the room of their input.
func (s *Server) watchRoom(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roomy = append(s.roomy, c)
}

// wakeAll wakes the connections of a list and empties it. It reports whether there were some.
func (s *Server) wakeAll(list *[]*conn) bool {
	s.mu.Lock()
	conns := *list
	*list = nil
	s.mu.Unlock()
	for _, c := range conns {
		c.draining.Store(false)
		c.Wake()
	}
	return len(conns) > 0
}

// exit ends Run, for SHUTDOWN.
func (s *Server) exit() {
	s.end.Do(func() { close(s.ending) })
}

func sleep(micros int64) { time.Sleep(time.Duration(micros) * time.Microsecond) }

func (s *Server) log(mark byte, format string, args ...any) { s.opts.Log.Print(mark, format, args...) }
