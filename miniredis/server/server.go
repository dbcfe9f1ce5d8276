// Package server is a server of the Redis protocol whose commands are Go functions. It has the API
// of github.com/alicebob/miniredis/v2/server, for the tests that add commands and hooks to the
// server of package miniredis:
//
//	m.Server().Register("HELLO.WORLD", func(c *server.Peer, cmd string, args []string) {
//		c.WriteBulk("hello " + args[0])
//	})
//
// A connection has two goroutines. One reads requests. The other one executes them one after the
// other, without any lock: so a command may call all methods of the server and of package
// miniredis, wait, and write its reply in pieces.
package server

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

// Cmd is a command. It gets its name in upper case and the words behind it, and writes one reply.
type Cmd func(c *Peer, cmd string, args []string)

// Hook is what runs before each command, which it gets as Cmd does. If it returns true the command
// is done: the hook has written its reply, and it does not run and is not counted.
type Hook func(c *Peer, cmd string, args ...string) bool

// DisconnectHandler is what runs at the end of a connection.
type DisconnectHandler func(c *Peer)

// CmdOption says more of a command.
type CmdOption func(c *cmdMeta)

// ReadOnlyOption says that a command changes no data.
func ReadOnlyOption() CmdOption { return func(c *cmdMeta) { c.readOnly = true } }

// cmdMeta is a command of a server.
type cmdMeta struct {
	run      Cmd
	readOnly bool
}

// Server executes commands for its connections. Its methods may be called from any goroutine.
type Server struct {
	serving   sync.WaitGroup
	total     atomic.Int64 // connections
	processed atomic.Int64 // commands

	mu       sync.RWMutex
	listener net.Listener        // nil without one
	commands map[string]*cmdMeta // by names in upper case
	hook     Hook
	peers    map[*Peer]net.Conn
	closed   bool
}

// AnyCommand is the name by which a command is registered that runs for all names that no other
// has. It gets them as the client wrote them.
const AnyCommand = ""

// NewServer starts a server that listens on a TCP address.
func NewServer(addr string) (*Server, error) {
	return listening(net.Listen("tcp", addr))
}

// NewServerTLS is NewServer for connections that speak TLS.
func NewServerTLS(addr string, cfg *tls.Config) (*Server, error) {
	return listening(tls.Listen("tcp", addr, cfg))
}

func listening(l net.Listener, err error) (*Server, error) {
	if err != nil {
		return nil, err
	}
	s := NewServerConn()
	s.Serve(l)
	return s, nil
}

// NewServerConn returns a server without a listener, for ServeConn.
func NewServerConn() *Server {
	return &Server{commands: make(map[string]*cmdMeta), peers: make(map[*Peer]net.Conn)}
}

// Serve serves the connections of a listener and returns at once. Close closes the listener. A
// server has one.
func (s *Server) Serve(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener = l
	s.serving.Go(func() { s.accept(l) })
}

func (s *Server) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		s.ServeConn(conn)
	}
}

// Addr returns the address of the listener; nil if there is none, or if it is no TCP listener.
func (s *Server) Addr() *net.TCPAddr {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.listener == nil {
		return nil
	}
	addr, _ := s.listener.Addr().(*net.TCPAddr)
	return addr
}

// Close ends the server and its connections, and waits until no command runs any more. Further
// calls do nothing.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		if s.listener != nil {
			_ = s.listener.Close()
		}
		for _, conn := range s.peers {
			_ = conn.Close()
		}
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// ServeConn serves a connection, such as one end of a net.Pipe, and returns at once. After Close
// the connection is closed.
func (s *Server) ServeConn(conn net.Conn) {
	c := NewPeer(bufio.NewWriter(conn))
	c.conn = conn
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return
	}
	s.peers[c] = conn
	s.total.Add(1)
	s.serving.Go(func() {
		defer s.forget(c)
		c.serve(s.Dispatch)
	})
}

// forget ends a connection.
func (s *Server) forget(c *Peer) {
	_ = c.conn.Close()
	s.mu.Lock()
	delete(s.peers, c)
	s.mu.Unlock()
	c.end()
}

// Register adds a command, also to a server that runs. An error says that there is one of that
// name.
func (s *Server) Register(cmd string, f Cmd, options ...CmdOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd = strings.ToUpper(cmd)
	if s.commands[cmd] != nil {
		return fmt.Errorf("command already registered: %s", cmd)
	}
	added := &cmdMeta{run: f}
	for _, option := range options {
		option(added)
	}
	s.commands[cmd] = added
	return nil
}

// SetPreHook sets what runs before each command; nil for nothing.
func (s *Server) SetPreHook(h Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = h
}

// Dispatch executes a command of a client: the hook, then the command of that name.
func (s *Server) Dispatch(c *Peer, args []string) {
	if len(args) == 0 {
		return
	}
	name := strings.ToUpper(args[0])
	s.mu.RLock()
	hook, cmd, other := s.hook, s.commands[name], s.commands[AnyCommand]
	s.mu.RUnlock()
	switch {
	case hook != nil && hook(c, name, args[1:]...):
	case cmd != nil:
		s.processed.Add(1)
		cmd.run(c, name, args[1:])
	case other != nil:
		other.run(c, args[0], args[1:])
	default:
		c.WriteError(unknown(args))
	}
	c.endCommand()
}

// unknown returns the error for a command that there is not.
func unknown(args []string) string {
	const shown = 128 // characters
	var first strings.Builder
	for _, arg := range args[1:] {
		if first.Len() < shown {
			fmt.Fprintf(&first, "'%.*s' ", shown-first.Len(), arg)
		}
	}
	return fmt.Sprintf("ERR unknown command '%.*s', with args beginning with: %s", shown, args[0], &first)
}

// IsRegisteredCommand reports whether there is a command of that name.
func (s *Server) IsRegisteredCommand(cmd string) bool { return s.named(cmd) != nil }

// IsReadOnlyCommand reports whether there is a command of that name, with ReadOnlyOption.
func (s *Server) IsReadOnlyCommand(cmd string) bool {
	c := s.named(cmd)
	return c != nil && c.readOnly
}

// named returns the command of a name; nil for none.
func (s *Server) named(cmd string) *cmdMeta {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.commands[strings.ToUpper(cmd)]
}

// TotalCommands returns how many commands have begun, without those that a hook has done and those
// that there are not.
func (s *Server) TotalCommands() int { return int(s.processed.Load()) }

// TotalConnections returns how many connections there have been, with those that there are.
func (s *Server) TotalConnections() int { return int(s.total.Load()) }

// ClientsLen returns how many connections there are.
func (s *Server) ClientsLen() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.peers)
}
