// Package server is the network face: event loops, connections, output.
//
//	socket ─read─▶ traffic ─▶ batch.cut ─▶ engine.Do ─▶ one write
//	                 ▲                        │
//	                 └───────── Wake ◀────────┘ of sessions served by others
//
// Each connection belongs to one event loop (gnet). The loop reads what the socket has, cuts
// complete commands off it without copying (redcon's reader), executes them as one batch under the
// engine's lock, and writes the batch's replies at once. What another connection's command writes to
// a session waits in the session's reply buffer until its own loop is woken.
//
// Invariants:
//  1. A connection's fields are touched by its loop only; Wake is the one call from outside.
//  2. A parked session executes nothing; what it sends is held back, up to the query buffer limit.
//  3. A protocol error ends the connection after the commands before it were executed.
//
// The number of loops is 1 on two cores: executing is serial, and a second loop would only contend
// for the lock (measured). With more cores, parsing and writing spread over cores/2 loops.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"github.com/panjf2000/gnet/v2/pkg/logging"
	"golang.org/x/sys/unix"

	"github.com/miniserver-go/miniserver/engine"
)

// Options say where a server listens.
type Options struct {
	Bind       []string  // addresses; 127.0.0.1 and ::1 if empty
	Port       int       // 0 picks a free one, negative for no TCP
	UnixSocket string    // path; empty for none
	Loops      int       // event loops; 0 for as many as suit the machine
	MaxClients int       // 10000 if 0
	Log        io.Writer // one line for each event worth telling; nil for silence
}

// Server serves an engine's commands on sockets.
type Server struct {
	engine  *engine.Engine
	opts    Options
	logger  *log.Logger
	maxBulk atomic.Int64
	gnet    gnet.Engine
	ready   chan struct{}
	booted  sync.Once
	addrs   []string
	clients atomic.Int64
	gnet.BuiltinEventEngine
}

// New returns a server for an engine.
func New(e *engine.Engine, opts Options) *Server {
	if opts.MaxClients == 0 {
		opts.MaxClients = 10000
	}
	if len(opts.Bind) == 0 {
		opts.Bind = []string{"127.0.0.1", "::1"}
	}
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	s := &Server{engine: e, opts: opts, ready: make(chan struct{}), logger: log.New(opts.Log, "", log.LstdFlags|log.Lmicroseconds)}
	s.maxBulk.Store(512 << 20)
	e.EnableSlow(func(resume func()) { go resume() })
	return s
}

// Addrs returns the addresses the server listens on, "127.0.0.1:6379" or "/path/of.sock", once it is
// ready.
func (s *Server) Addrs() []string {
	<-s.ready
	return s.addrs
}

// Run serves until the context ends. It returns an error if the server cannot listen.
func (s *Server) Run(ctx context.Context) error {
	protos, err := s.listenOn()
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go s.tick(stop)
	go func() {
		select {
		case <-ctx.Done():
			<-s.ready
			_ = s.gnet.Stop(context.Background())
		case <-stop:
		}
	}()
	err = gnet.Rotate(s, protos, gnet.WithNumEventLoop(s.loops()), gnet.WithTCPNoDelay(gnet.TCPNoDelay),
		gnet.WithReuseAddr(true), gnet.WithReadBufferCap(64<<10), gnet.WithLogLevel(logging.ErrorLevel),
		gnet.WithLogger(silent{}), gnet.WithTCPKeepAlive(300*time.Second))
	if s.opts.UnixSocket != "" {
		_ = os.Remove(s.opts.UnixSocket)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *Server) loops() int {
	if s.opts.Loops > 0 {
		return s.opts.Loops
	}
	return max(1, runtime.GOMAXPROCS(0)/2)
}

// listenOn returns the addresses in gnet's form. Port 0 is replaced by a free port, the same for all
// addresses. An address family that the machine lacks is left out, as long as one remains.
func (s *Server) listenOn() (protos []string, err error) {
	port := s.opts.Port
	for _, host := range s.opts.Bind {
		if s.opts.Port < 0 {
			break
		}
		host = strings.TrimPrefix(host, "-")
		if host == "*" {
			host = ""
		}
		ln, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
		if err != nil {
			if errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.EAFNOSUPPORT) {
				continue
			}
			return nil, err
		}
		addr := ln.Addr().(*net.TCPAddr)
		port = addr.Port
		_ = ln.Close()
		s.addrs = append(s.addrs, net.JoinHostPort(host, fmt.Sprint(port)))
		protos = append(protos, "tcp://"+s.addrs[len(s.addrs)-1])
	}
	if path := s.opts.UnixSocket; path != "" {
		_ = os.Remove(path)
		s.addrs = append(s.addrs, path)
		protos = append(protos, "unix://"+path)
	}
	if len(protos) == 0 {
		return nil, errors.New("no address to listen on")
	}
	return protos, nil
}

// OnBoot implements gnet.EventHandler: the listeners are open.
func (s *Server) OnBoot(g gnet.Engine) gnet.Action {
	s.gnet = g
	s.booted.Do(func() { close(s.ready) })
	return gnet.None
}

// OnOpen implements gnet.EventHandler.
func (s *Server) OnOpen(gc gnet.Conn) ([]byte, gnet.Action) {
	if s.clients.Add(1) > int64(s.opts.MaxClients) {
		return []byte("-ERR max number of clients reached\r\n"), gnet.Close
	}
	c := &conn{server: s, gc: gc}
	c.session = s.engine.NewSession(c)
	c.session.Addr, c.session.LocalAddr = addrText(gc.RemoteAddr()), addrText(gc.LocalAddr())
	gc.SetContext(c)
	return nil, gnet.None
}

// OnClose implements gnet.EventHandler.
func (s *Server) OnClose(gc gnet.Conn, _ error) gnet.Action {
	s.clients.Add(-1)
	if c, ok := gc.Context().(*conn); ok {
		s.engine.Close(c.session)
	}
	return gnet.None
}

// OnTraffic implements gnet.EventHandler.
func (s *Server) OnTraffic(gc gnet.Conn) gnet.Action {
	c, ok := gc.Context().(*conn)
	if !ok {
		return gnet.Close
	}
	return c.traffic()
}

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
		}
		wait := longest
		if next := s.engine.Tick(); next != 0 {
			wait = min(longest, max(shortest, time.Until(time.UnixMilli(next))))
		}
		timer.Reset(wait)
	}
}

func addrText(a net.Addr) string {
	switch a := a.(type) {
	case *net.UnixAddr:
		return a.Name + ":0"
	case nil:
		return ""
	default:
		return a.String()
	}
}

func (s *Server) log(what string, session *engine.Session) {
	s.logger.Printf("%s: id=%d addr=%s", what, session.ID, session.Addr)
}

// silent drops gnet's own log lines: what matters of them reaches us as errors.
type silent struct{}

func (silent) Debugf(string, ...any) {}
func (silent) Infof(string, ...any)  {}
func (silent) Warnf(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}
