// Package miniredis is miniserver for tests that were written for github.com/alicebob/miniredis/v2:
// it has the names and signatures of that package, so that they go on with another import.
//
//	s := miniredis.RunT(t)
//	s.Set("session", "alice")
//	s.SetTTL("session", time.Hour)
//	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
//	s.FastForward(time.Hour)
//	s.Exists("session") // false
//
// The server behind them is the one of package miniserver, with all of its commands, scripts, error
// texts and the test kit. What a test does with methods it does to the same data as its clients. It
// may do so at any time: before Start, after Close, and in commands and hooks of Server.
//
// There are three times. Keys and fields of hashes live by one that stands still but for
// FastForward. TIME, IDs of streams, and dates in EXPIREAT show the machine's clock, or what
// SetTime has set. Clients that block wait by the machine's clock, whatever the others show.
//
// The page docs/start/miniredis.md says what differs.
package miniredis

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/miniredis/server"
	"github.com/miniserver-go/miniserver/persistence/disk"
	mini "github.com/miniserver-go/miniserver/server"
)

// Miniredis is a server for a test. The zero value is not usable. Its methods may be called from
// any goroutine.
type Miniredis struct {
	// The mutex is there since it is in the original. It locks nothing of the server.
	sync.Mutex

	Ctx       context.Context // ends with Close
	CtxCancel context.CancelFunc

	engine   *engine.Engine
	hands    *hands
	ticker   *ticker
	selected atomic.Int64
	calls    atomic.Int64 // commands that scripts have called

	net     network
	logins  logins
	methods methods
}

// network is how clients come in.
type network struct {
	mu     sync.Mutex
	server *server.Server // nil unless started
	addr   string         // of the last listener; "" before the first
	cfg    *tls.Config    // of the last listener; nil without TLS
	hook   server.Hook    // for a server that is not started
}

// Tester is the part of testing.TB that RunT uses.
type Tester interface {
	Fatalf(string, ...any)
	Cleanup(func())
	Logf(format string, args ...any)
}

// anyPort is the address of a server that was given none.
const anyPort = "127.0.0.1:0"

// NewMiniRedis returns a server that is not started. It can be given data already.
func NewMiniRedis() *Miniredis {
	m := &Miniredis{}
	m.Ctx, m.CtxCancel = context.WithCancel(context.Background())
	startup := assembly.NewStartup()
	unlocked(func() {
		made := assembly.New(assembly.Options{Engine: startup.Engine(), Server: &mini.Options{InProcess: true},
			Disk: new(disk.Memory), TestKit: true})
		m.engine = made.Engine
		m.engine.Config.LikeCluster = true
		m.ticker = newTicker(m.engine)
		m.hands = newHands(m.engine)
		m.engine.Join(engine.Part{Name: "miniredis", Precise: true, Executed: m.countCalls})
	})
	return m
}

// Run starts a server on a free port of the loopback interface. The caller must Close it.
func Run() (*Miniredis, error) {
	m := NewMiniRedis()
	return m, m.Start()
}

// RunT is Run for a test, which closes the server at its end and fails if it cannot start.
func RunT(t Tester) *Miniredis {
	m, err := Run()
	if err != nil {
		t.Fatalf("miniredis: %v", err)
		return nil
	}
	t.Cleanup(m.Close)
	return m
}

// RunTLS is Run for a server that speaks TLS.
func RunTLS(cfg *tls.Config) (*Miniredis, error) {
	m := NewMiniRedis()
	return m, m.StartTLS(cfg)
}

// Start starts the server on a free port of the loopback interface; after Close, where it listened
// before.
func (m *Miniredis) Start() error { return m.start(m.again(), nil) }

// StartTLS is Start for a server that speaks TLS.
func (m *Miniredis) StartTLS(cfg *tls.Config) error { return m.start(m.again(), cfg) }

// StartAddr starts the server on an address, such as "127.0.0.1:6379" or ":0".
func (m *Miniredis) StartAddr(addr string) error { return m.start(addr, nil) }

// StartAddrTLS is StartAddr for a server that speaks TLS.
func (m *Miniredis) StartAddrTLS(addr string, cfg *tls.Config) error { return m.start(addr, cfg) }

// Restart starts the server again after Close, where it listened before and with TLS if it did. The
// data, the users and the time are still there; connections, counts, and what was added to Server
// are not.
func (m *Miniredis) Restart() error {
	m.net.mu.Lock()
	cfg := m.net.cfg
	m.net.mu.Unlock()
	return m.start(m.again(), cfg)
}

// again returns the address where the server listened before, or any port.
func (m *Miniredis) again() string {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	if m.net.addr == "" {
		return anyPort
	}
	return m.net.addr
}

// start listens on an address, with TLS if cfg is not nil. A server that only Dial has started gets
// the listener.
func (m *Miniredis) start(addr string, cfg *tls.Config) error {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	if m.net.server != nil && m.net.server.Addr() != nil {
		return errors.New("the server has been started")
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	m.net.addr, m.net.cfg = l.Addr().String(), cfg
	if cfg != nil {
		l = tls.NewListener(l, cfg)
	}
	m.serving().Serve(l)
	return nil
}

// serving returns the server, and makes it if there is none. The caller holds the lock of net.
func (m *Miniredis) serving() *server.Server {
	if m.net.server == nil {
		unlocked(m.engine.Slow.Enable)
		m.net.server = m.newServer()
		m.net.server.SetPreHook(m.net.hook)
	}
	return m.net.server
}

// Dial returns a connection that does not leave the process, such as Options.Dialer of go-redis
// wants, for a bubble of testing/synctest. A server that is not started is started without a
// listener.
func (m *Miniredis) Dial() (net.Conn, error) {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	client, conn := net.Pipe()
	m.serving().ServeConn(conn)
	return client, nil
}

// Close ends the server and its connections, and waits until their commands are over. The data
// stay. Further calls do nothing.
func (m *Miniredis) Close() {
	m.CtxCancel()
	m.net.mu.Lock()
	s := m.net.server
	m.net.server, m.net.hook = nil, nil
	m.net.mu.Unlock()
	if s != nil {
		s.Close()
	}
	unlocked(m.engine.Slow.Disable)
}

// Server returns what serves the connections, for commands and hooks of a test; nil before Start
// and after Close.
func (m *Miniredis) Server() *server.Server {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	return m.net.server
}

// Addr returns the address to connect to, such as "127.0.0.1:43125". It stays the same after Close;
// "" if the server never listened.
func (m *Miniredis) Addr() string {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	return m.net.addr
}

// Host returns the host of Addr.
func (m *Miniredis) Host() string {
	host, _, _ := net.SplitHostPort(m.Addr())
	return host
}

// Port returns the port of Addr.
func (m *Miniredis) Port() string {
	_, port, _ := net.SplitHostPort(m.Addr())
	return port
}

// SetError lets every command of a client get an error, such as "LOADING Redis is loading the
// dataset in memory"; "" for none. It is the hook of Server, and so replaces another one. Methods
// work all the same, and so do the commands of a script that runs already.
func (m *Miniredis) SetError(msg string) {
	hook := server.Hook(func(c *server.Peer, _ string, _ ...string) bool {
		c.WriteError(msg)
		return true
	})
	if msg == "" {
		hook = nil
	}
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	if m.net.hook = hook; m.net.server != nil {
		m.net.server.SetPreHook(hook)
	}
}

// CommandCount returns how many commands clients have sent since Start, and their scripts called.
// What a hook has done, what there is not, and what methods do does not count.
func (m *Miniredis) CommandCount() int {
	if s := m.Server(); s != nil {
		return s.TotalCommands() + int(m.calls.Load())
	}
	return 0
}

// countCalls is called after each command.
func (m *Miniredis) countCalls(x engine.Executed) {
	if x.Session.InScript() {
		m.calls.Add(int64(x.Times))
	}
}

// CurrentConnectionCount returns how many connections there are.
func (m *Miniredis) CurrentConnectionCount() int {
	if s := m.Server(); s != nil {
		return s.ClientsLen()
	}
	return 0
}

// TotalConnectionCount returns how many connections there have been since Start, with those that
// there are.
func (m *Miniredis) TotalConnectionCount() int {
	if s := m.Server(); s != nil {
		return s.TotalConnections()
	}
	return 0
}

// IsReadOnlyCommand reports whether a command changes no data. It is false before Start.
func (m *Miniredis) IsReadOnlyCommand(cmd string) bool {
	s := m.Server()
	return s != nil && s.IsReadOnlyCommand(cmd)
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
