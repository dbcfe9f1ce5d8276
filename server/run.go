package server

import (
	"context"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// New returns a server for an engine. It joins the engine: it adds parameters and sections of INFO,
// and is its host.
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
	s := &Server{engine: e, opts: opts, manners: mannersOf(e.Release), alarm: make(chan struct{}, 1),
		ending: make(chan struct{}), draining: waiting{after: drainTime}, roomy: waiting{after: roomTime}}
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
	e.Join(engine.Part{Name: "server", Families: []command.Family{{Wordings: wordings}, {Wordings: unexplained}},
		Params: s.params(), Sections: s.sections(), Host: s.host(), Tick: s.tendRelays})
	return s
}

// suitableLoops returns the number of event loops that suits the processors that Go may use, in a
// container its share of the machine.
func suitableLoops() int { return min(usualLoops, max(1, runtime.GOMAXPROCS(0)/2)) }

// usualLoops is the most event loops there are without a setting. A request spends a tenth of its
// CPU time under the engine's lock, in a pipeline a third, and as a script four fifths (measured):
// more loops would mostly wait for each other.
const usualLoops = 4

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
	for _, ln := range slices.Concat(s.closed, s.listeners) {
		list = append(list, ln.Addr().String())
	}
	return list
}

// Refusal returns the error with which a connection fails while Host.Listen has closed the
// listeners; nil while they are open.
func (s *Server) Refusal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		return nil
	}
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// Run serves until the context ends or SHUTDOWN is called. It returns an error if it cannot listen.
func (s *Server) Run(ctx context.Context) (err error) {
	defer s.engine.Slow.Disable()
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

// load loads the data and logs that the server is ready. Clients already get LOADING errors, see
// serve.
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

// logReady logs a line for each kind of listeners, with their addresses. Tools wait for it, and
// some count it.
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
	s.engine.With(func() { waits = shutdown.Await(s.engine, engine.Shutdown{Force: true}) })
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

// tick drives the engine's own work, when it says, and wakes connections that have waited.
func (s *Server) tick(stop <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
		case <-s.alarm:
		}
		wait := s.engine.Wait(s.engine.Tick())
		wait = min(wait, s.wakeAll(&s.draining), s.wakeAll(&s.roomy))
		if s.counts.unread.Swap(0) > muchUnread {
			purge()
		}
		if wait < math.MaxInt64 && !s.opts.InProcess {
			wait = min(wait, clockTime)
		}
		timer.Reset(max(time.Millisecond, wait))
	}
}

// clockTime is how long a server with something to do later waits at most, since the system's clock
// may be set, and does not count the time for which the machine sleeps.
const clockTime = time.Minute

// runPipes is Run for a server without listeners.
func (s *Server) runPipes(ctx context.Context) error {
	s.pipes.start()
	defer s.pipes.stop()
	return s.serve(ctx)
}
