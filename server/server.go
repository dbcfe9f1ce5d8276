// Package server serves the engine on the network: listeners, event loops, connections, output.
//
//	socket ─read─▶ traffic ─▶ batch.parse ─▶ engine.Do ─▶ group ─▶ one write
//	                 ▲                          │
//	                 └────────── Wake ◀─────────┘ of sessions that another session wrote to
//
// Files, from the bottom: server.go, conn.go and loop.go have the nouns; output.go, barrier.go and
// group.go what a connection sends, handle.go what it does with its input, round.go, loops_epoll.go
// and netloop.go when; admit.go, forward.go and listen.go how it comes; run.go starts and ends all
// of that.
//
// Each connection belongs to one event loop, see loop.go. The loop reads from the socket, parses
// complete commands without copying, and executes them as one batch under the engine's lock. The
// replies of a batch leave in one write: at once, or at the end of the loop's round together with
// those of other connections, see group. Messages and replies that another connection's command
// writes to a session stay in the session's reply buffer until its own loop is woken. Goroutines
// beside the loops handle TLS, see tls.go.
//
// Invariants:
//  1. Only its loop touches the fields of a connection; Wake is the one call from outside.
//  2. A blocked session executes nothing; its input is kept, up to client-query-buffer-limit.
//  3. A protocol error ends the connection after the commands before it were executed.
//  4. A dying connection closes when its output is sent, or is not read for closeTimeout. One that
//     another client, a limit or a time-out has ended closes in the loop's next round, whatever is
//     unsent.
//  5. An idle connection holds no buffers, but for the bytes of a command that is not complete.
//  6. One client has its event loop for as many bytes as a read returns; then the other connections
//     have their turn.
//
// On two cores there is one loop: execution is serial, and a second loop costs each request a tenth
// more CPU time, which the clients then lack (measured). With more cores, parsing and writing
// spread over half of them, up to the number of loops that one lock can serve. The setting
// io-threads chooses another number. A process that does nothing else should give Go one processor
// more than there are loops, and say so (OwnProcess): see epollLoop.pause.
package server

import (
	"io/fs"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
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
	// Load loads the saved data before the server is ready; meanwhile clients get LOADING errors.
	// An error ends Run. It may be nil.
	Load func() error
	// Ready is called when the data are loaded and commands are served. An error ends Run. It may
	// be nil.
	Ready func() error
	// Spawn starts a goroutine that runs the rest of a slow script; go run() if nil.
	Spawn func(run func())
	// Guarded is the setting because of which strangers must not reach the server; "" for none.
	// With it the server accepts only local connections while the default user needs no password,
	// even with protected-mode no.
	Guarded string
	// OwnProcess says that the process does nothing else, so that event loops may keep their
	// processors while they wait for input.
	OwnProcess bool
	// InProcess is for a server that clients reach only by Dial: it has no listeners.
	InProcess bool
}

// Server serves an engine's commands on sockets.
type Server struct {
	engine     *engine.Engine
	opts       Options
	listeners  []listener // changed under mu while accepting
	closed     []listener // by Host.Listen, under mu; nil while it listens
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
	draining waiting // with unsent output
	roomy    waiting // whose input has room to release
	loops    []*loop // while it runs, by their numbers
}

// mostLoops is the most that io-threads may be, as in Redis.
const mostLoops = 128

// Loops returns the number of event loops with which the server runs: the setting io-threads.
func (s *Server) Loops() int {
	if s.opts.InProcess {
		return 1
	}
	return s.opts.Loops
}

// ring has tick look now for what is due.
func (s *Server) ring() {
	select {
	case s.alarm <- struct{}{}:
	default:
	}
}

const (
	drainTime = 100 * time.Millisecond // after which connections with unsent output are looked at
	roomTime  = 2 * time.Second        // after which a quiet connection releases the room of its input
)

// waiting are connections that tick wakes together, some time after the first of them has come.
type waiting struct {
	conns []*conn
	after time.Duration
	at    time.Time // of the wake
}

// drain adds a connection to those that tick wakes until their output is sent.
func (s *Server) drain(c *conn) {
	if c.draining.CompareAndSwap(false, true) {
		s.wait(&s.draining, c)
	}
}

// watchRoom adds a connection to those that tick wakes to release the room of their input: one that
// was quiet since the last time does.
func (s *Server) watchRoom(c *conn) { s.wait(&s.roomy, c) }

func (s *Server) wait(list *waiting, c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list.conns = append(list.conns, c); len(list.conns) == 1 {
		list.at = time.Now().Add(list.after)
		s.ring()
	}
}

// wakeAll wakes the connections of a list if it is time. It returns how long that takes otherwise.
func (s *Server) wakeAll(list *waiting) time.Duration {
	s.mu.Lock()
	conns := list.conns
	wait := time.Until(list.at)
	if wait <= 0 {
		list.conns = nil
	}
	s.mu.Unlock()
	switch {
	case len(conns) == 0:
		return math.MaxInt64
	case wait > 0:
		return wait
	}
	for _, c := range conns {
		c.draining.Store(false)
		c.Wake()
	}
	return math.MaxInt64
}

func (s *Server) log(mark byte, format string, args ...any) { s.opts.Log.Print(mark, format, args...) }

// Barrier settles whether what replies tell is certain: see engine.Part.Awaits.
type Barrier interface {
	// Settle finds out whether everything is certain that commands have done up to now, under the
	// number that Awaits gave. It does not wait. It calls done once, from any goroutine: false if
	// it is not certain and the connections are to end without their replies.
	Settle(awaited uint64, done func(certain bool))
}

// Journal saves changes before replies promise them.
type Journal interface {
	// Behind reports whether replies must wait for Commit because changes are not saved yet. It is
	// called after each batch and must be cheap.
	Behind() bool
	// Commit saves all changes. It reports false if that is not possible now.
	Commit() bool
}

// listener accepts connections and passes them to admit.
type listener struct {
	net.Listener
	kind  string // tcp, unix, tls
	admit func(nc net.Conn)
	at    address       // from the parameters bind and port; zero for other listeners
	world *engine.World // to which its connections lead; nil for the home world
}

// address is a listener that the parameters ask for.
type address struct {
	bind string
	port int
	tls  bool
}
