package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/release"
)

// The server accepts connections beside the event loops, and passes them on.

// listener accepts connections and passes them to admit.
type listener struct {
	net.Listener
	kind  string // tcp, unix, tls
	admit func(nc net.Conn)
	at    address // from the parameters bind and port; zero for other listeners
}

// address is a listener that the parameters ask for.
type address struct {
	bind string
	port int
	tls  bool
}

// listen opens the listeners that the options ask for.
func (s *Server) listen() error {
	if err := s.listenOnPorts(); err != nil {
		return err
	}
	if path := s.opts.UnixSocket; path != "" {
		ln, err := listenUnix(path, s.opts.UnixPerm)
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit, address{}})
	}
	for _, ln := range s.opts.Listeners {
		if err := s.guard(ln); err != nil {
			return err
		}
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit, address{}})
	}
	if len(s.listeners) == 0 {
		return errors.New("no address to listen on")
	}
	return nil
}

// listenOnPorts opens the listeners of port and tls-port. Port 0 is a free one, or none beside another listener. A server that is only to
// sign its own certificate speaks TLS on port.
func (s *Server) listenOnPorts() (err error) {
	alone := s.tls.selfSigned && s.tls.port == 0 && s.opts.Port >= 0
	if alone || s.tls.port != 0 {
		if err := s.tls.load(); err != nil {
			return fmt.Errorf("failed to configure TLS: %w", err)
		}
	}
	if alone {
		s.tls.port, err = s.openAll(s.opts.Port, true)
		s.opts.Port = 0
		return err
	}
	if s.opts.Port > 0 || s.opts.Port == 0 && s.opts.UnixSocket == "" && s.tls.port == 0 {
		if s.opts.Port, err = s.openAll(s.opts.Port, false); err != nil {
			return err
		}
	}
	if s.tls.port != 0 {
		_, err = s.openAll(s.tls.port, true)
	}
	return err
}

// openAll adds the listeners of a port on all addresses of bind. Port 0 is the same free port on all of them. It returns the port.
func (s *Server) openAll(port int, tls bool) (int, error) {
	for _, bind := range s.opts.Bind {
		ln, err := s.open(address{bind, port, tls})
		if err != nil {
			return port, err
		}
		if ln != nil {
			port = ln.Addr().(*net.TCPAddr).Port
		}
	}
	return port, nil
}

// open adds the listener of an address, and returns it; nil if the machine does not have the address.
func (s *Server) open(at address) (net.Listener, error) {
	ln, err := s.listenTCP(at.bind, at.port)
	if err != nil || ln == nil {
		return nil, err
	}
	at.port = ln.Addr().(*net.TCPAddr).Port
	l := listener{ln, ln.Addr().Network(), s.admit, at}
	if at.tls {
		l.kind, l.admit = "tls", s.admitTLS
	}
	s.listeners = append(s.listeners, l)
	return ln, nil
}

// relisten moves the listeners to the present values of bind and port. Connections stay. If that fails it restores the
// old listeners.
func (s *Server) relisten() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.accepting {
		return nil
	}
	old := s.addresses()
	err := s.moveTo(s.wanted())
	if err != nil {
		s.log('#', "Failed applying new configuration. Restoring previous settings: %v", err)
		if again := s.moveTo(old); again != nil {
			s.log('#', "Could not restore the previous listeners: %v", again)
		}
	}
	return err
}

// wanted returns the addresses that the parameters name.
func (s *Server) wanted() (list []address) {
	for _, bind := range s.opts.Bind {
		if s.opts.Port > 0 {
			list = append(list, address{bind, s.opts.Port, false})
		}
		if s.tls.port > 0 {
			list = append(list, address{bind, s.tls.port, true})
		}
	}
	return list
}

// addresses returns the addresses of bind and port that have a listener.
func (s *Server) addresses() (list []address) {
	for _, ln := range s.listeners {
		if ln.at != (address{}) {
			list = append(list, ln.at)
		}
	}
	return list
}

// moveTo closes the listeners that are not in the list, then opens the missing ones. In this order because an old
// listener may occupy a new address.
func (s *Server) moveTo(list []address) error {
	s.listeners = slices.DeleteFunc(s.listeners, func(ln listener) bool {
		gone := ln.at != (address{}) && !slices.Contains(list, ln.at)
		if gone {
			_ = ln.Close()
		}
		return gone
	})
	for _, at := range list {
		if slices.Contains(s.addresses(), at) {
			continue
		}
		before := len(s.listeners)
		if _, err := s.open(at); err != nil {
			return err
		}
		for _, ln := range s.listeners[before:] {
			s.acceptors.Go(func() { s.accept(ln) })
		}
	}
	return nil
}

// listenTCP opens a listener. A dash before an address makes it optional: if the machine does not have it the listener
// is nil. "*" and "::*" are all addresses of IPv4 and IPv6.
func (s *Server) listenTCP(bind string, port int) (net.Listener, error) {
	host, optional := strings.CutPrefix(bind, "-")
	network := "tcp"
	switch host {
	case "*":
		network, host = "tcp4", ""
	case "::*":
		network, host = "tcp6", ""
	}
	config := net.ListenConfig{KeepAlive: -1} // setKeepAlive does it for each connection
	ln, err := config.Listen(context.Background(), network, net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil && optional && missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, worded(err, host, port)
	}
	return ln, s.guard(ln)
}

// guard closes a listener that strangers could reach, if they are not to, and returns the reason.
func (s *Server) guard(ln net.Listener) error {
	if s.opts.Guarded == "" || isLocal(ln.Addr()) || s.engine.NeedsPassword() {
		return nil
	}
	_ = ln.Close()
	return fmt.Errorf("%s: set a password, as by requirepass, to listen beyond loopback, on %s", s.opts.Guarded, ln.Addr())
}

// listenUnix opens a unix socket. It replaces a socket file that an earlier process left.
func listenUnix(path string, perm fs.FileMode) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path)
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, errno.Text(err))
	}
	if perm == 0 {
		return ln, nil
	}
	return ln, os.Chmod(path, perm)
}

// accept passes a listener's connections to the event loops until it is closed.
func (s *Server) accept(ln listener) {
	for {
		nc, err := ln.Accept()
		switch {
		case err == nil:
			ln.admit(nc)
		case errors.Is(err, net.ErrClosed):
			return
		default: // no file descriptor is left, or the peer is gone again
			s.log('#', "Accepting client connection: %v", err)
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// admit passes a connection to an event loop, or refuses it. It does not wait for the loop, which adopts in its next round all
// connections that came meanwhile.
func (s *Server) admit(nc net.Conn) {
	switch {
	case s.refuses(nc):
	case s.forwards.Load() && nc.LocalAddr().Network() == "tcp":
		s.acceptors.Go(func() { s.forward(nc) })
	default:
		s.enroll(nc, endpoint(nc), nil, unnoticed)
	}
}

// refuses counts a connection, and closes it if it may not be served.
func (s *Server) refuses(nc net.Conn) bool {
	if reason := s.refusal(nc); reason != "" {
		s.counts.clients.Add(-1)
		s.counts.rejected.Add(1)
		_, _ = nc.Write([]byte("-" + reason + "\r\n"))
		_ = nc.Close()
		return true
	}
	if tc, ok := nc.(*net.TCPConn); ok {
		s.setKeepAlive(tc)
	}
	return false
}

// refusal counts a connection and returns the error with which it must be closed; "" if it may be served.
func (s *Server) refusal(nc net.Conn) command.Error {
	switch {
	case s.counts.clients.Add(1) > s.maxClients.Load():
		return errMaxClients
	case (s.protected.Load() || s.opts.Guarded != "") && !isLocal(nc.RemoteAddr()) && !s.engine.HasPassword():
		return s.engine.Worded(errProtected).(command.Error)
	}
	return ""
}

// isLocal reports whether a peer is on this machine: on a unix socket, or at a loopback address.
func isLocal(peer net.Addr) bool {
	a, ok := peer.(*net.TCPAddr)
	return !ok || a.IP.IsLoopback()
}

// Errors that a connection gets instead of service, in Redis' words.
const (
	errMaxClients = command.Error("ERR max number of clients reached")
	errProtected  = command.Error("DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the " +
		"default user. In this mode connections are only accepted from the loopback interface. If you want to connect from external " +
		"computers to Redis you may adopt one of the following solutions: 1) Just disable protected mode sending the command 'CONFIG SET " +
		"protected-mode no' from the loopback interface by connecting to Redis from the same host the server is running, however MAKE SURE " +
		"Redis is not publicly accessible from internet if you do so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you " +
		"can just disable the protected mode by editing the Redis configuration file, and setting the protected mode option to 'no', and then " +
		"restarting the server. 3) If you started the server manually just for testing, restart it with the '--protected-mode no' option. " +
		"4) Set up an authentication password for the default user. NOTE: You only need to do one of the above things in order for the server " +
		"to start accepting connections from the outside.")
)

// wordings are those that read otherwise in other releases.
var wordings = []command.Wording{{Before: release.NoValkey, Error: errProtected,
	Was: "DENIED Running in protected mode because protected mode is enabled and no password is set for the default user. In this mode " +
		"connections are only accepted from the loopback interface. If you want to connect from external computers, you may adopt one of the " +
		"following solutions: 1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from the loopback interface " +
		"by connecting from the same host the server is running, however MAKE SURE it's not publicly accessible from internet if you do so. " +
		"Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable the protected mode by editing the " +
		"configuration file, and setting the protected mode option to 'no', and then restarting the server. 3) If you started the server " +
		"manually just for testing, restart it with the '--protected-mode no' option. 4) Set up an authentication password for the default " +
		"user. NOTE: You only need to do one of the above things in order for the server to start accepting connections from the outside."}}

// enroll passes a connection to an event loop, with the first bytes if they were read already. The loop calls ended after closing it.
func (s *Server) enroll(nc net.Conn, from engine.Endpoint, first []byte, ended func(broken bool)) {
	c := &conn{server: s, in: &nothing, from: from, first: first, ended: ended}
	if err := s.sockets.enroll(nc, c); err != nil {
		s.counts.clients.Add(-1)
		s.log('#', "Error registering fd event for the new client: %v", err)
	}
}

// unnoticed is for a connection whose end concerns only its loop.
func unnoticed(bool) {}

// Connect returns a connection from within the process, for a client that has come another way, from an endpoint. It is served as those
// of the listeners are. ended is called when the server ends it, also if it is not read; nil for nothing.
func (s *Server) Connect(from engine.Endpoint, ended func()) (net.Conn, error) {
	notice := func(bool) {
		if ended != nil {
			ended()
		}
	}
	if s.opts.InProcess {
		return s.dial(&from, notice), nil
	}
	s.mu.Lock()
	serving := s.accepting
	s.mu.Unlock()
	if !serving {
		return nil, errors.New("the server does not accept connections")
	}
	inside, loop, err := pair()
	if err != nil {
		return nil, err
	}
	if !s.refuses(loop) {
		s.enroll(loop, from, nil, notice)
	}
	return inside, nil
}

func (s *Server) setKeepAlive(tc *net.TCPConn) {
	if idle := time.Duration(s.keepAlive.Load()) * time.Second; idle > 0 {
		_ = tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: idle, Interval: max(time.Second, idle/3), Count: 3})
	}
}

// endpoint returns the addresses of a connection, as CLIENT LIST shows them.
func endpoint(nc net.Conn) engine.Endpoint {
	if ua, ok := nc.LocalAddr().(*net.UnixAddr); ok {
		return engine.Endpoint{Addr: ua.Name + ":0", LocalAddr: ua.Name + ":0", Unix: true}
	}
	return engine.Endpoint{Addr: nc.RemoteAddr().String(), LocalAddr: nc.LocalAddr().String()}
}
