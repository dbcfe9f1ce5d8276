package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/errno"
)

// The server accepts connections beside the event loops, and passes them on.

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
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit, address{}, nil})
	}
	for _, ln := range s.opts.Listeners {
		if err := s.guard(ln); err != nil {
			return err
		}
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit, address{}, nil})
	}
	if len(s.listeners) == 0 {
		return errors.New("no address to listen on")
	}
	return nil
}

// listenOnPorts opens the listeners of port and tls-port. Port 0 is a free one, or none beside
// another listener. A server that is only to sign its own certificate speaks TLS on port.
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

// openAll adds the listeners of a port on all addresses of bind. Port 0 is the same free port on
// all of them. It returns the port.
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

// open adds the listener of an address, and returns it; nil if the machine does not have the
// address.
func (s *Server) open(at address) (net.Listener, error) {
	ln, err := s.listenTCP(at.bind, at.port)
	if err != nil || ln == nil {
		return nil, err
	}
	at.port = ln.Addr().(*net.TCPAddr).Port
	l := listener{ln, ln.Addr().Network(), s.admit, at, nil}
	if at.tls {
		l.kind, l.admit = "tls", s.admitTLS
	}
	s.listeners = append(s.listeners, l)
	return ln, nil
}

// relisten moves the listeners to the present values of bind and port. Connections stay. If that
// fails it restores the old listeners.
func (s *Server) relisten() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.accepting || s.closed != nil {
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

// setListening closes the listeners of bind, port and unixsocket, or opens them again at the
// present values. Others stay.
func (s *Server) setListening(on bool) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.accepting || on == (s.closed == nil) {
		return nil
	}
	if on {
		unix := slices.ContainsFunc(s.closed, func(ln listener) bool { return ln.at == address{} })
		if err = s.moveTo(s.wanted()); err == nil && unix {
			err = s.openUnix()
		}
		if err == nil {
			s.closed = nil
		}
		return err
	}
	s.closed = []listener{}
	s.listeners = slices.DeleteFunc(s.listeners, func(ln listener) bool {
		ours := ln.at != (address{}) || s.opts.UnixSocket != "" && ln.Addr().String() == s.opts.UnixSocket
		if ours {
			_ = ln.Close()
			s.closed = append(s.closed, ln)
		}
		return ours
	})
	return nil
}

// openUnix adds the listener of unixsocket, and begins to accept there.
func (s *Server) openUnix() error {
	ln, err := listenUnix(s.opts.UnixSocket, s.opts.UnixPerm)
	if err != nil {
		return err
	}
	l := listener{ln, ln.Addr().Network(), s.admit, address{}, nil}
	s.listeners = append(s.listeners, l)
	s.acceptors.Go(func() { s.accept(l) })
	return nil
}

// openTo opens a listener on all addresses of bind whose connections lead to a world, for the time
// that the server accepts any. It returns the port; 0 is the same free one on all of them.
func (s *Server) openTo(w *engine.World, port int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, bind := range s.opts.Bind {
		ln, err := s.listenTCP(bind, port)
		if err != nil {
			return port, err
		}
		if ln == nil {
			continue
		}
		port = ln.Addr().(*net.TCPAddr).Port
		l := listener{ln, ln.Addr().Network(), func(nc net.Conn) { s.admitTo(w, nc) }, address{}, w}
		s.listeners = append(s.listeners, l)
		s.acceptors.Go(func() { s.accept(l) })
	}
	return port, nil
}

// shutTo closes the listeners of a world.
func (s *Server) shutTo(w *engine.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = slices.DeleteFunc(s.listeners, func(ln listener) bool {
		if ln.world == w {
			_ = ln.Close()
		}
		return ln.world == w
	})
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

// moveTo closes the listeners that are not in the list, then opens the missing ones. In this order
// because an old listener may occupy a new address.
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

// listenTCP opens a listener. A dash before an address makes it optional: if the machine does not
// have it the listener is nil. "*" and "::*" are all addresses of IPv4 and IPv6, as "0.0.0.0" and
// "::" are: each is of its own family only, so that they can stand together.
func (s *Server) listenTCP(bind string, port int) (net.Listener, error) {
	host, optional := strings.CutPrefix(bind, "-")
	network := "tcp"
	switch host {
	case "*":
		network, host = "tcp4", ""
	case "::*":
		network, host = "tcp6", ""
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "tcp4"
	} else if err == nil {
		network = "tcp6"
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
	if s.opts.Guarded == "" || isLocal(ln.Addr()) || !s.engine.Users.Default().NoPass() {
		return nil
	}
	_ = ln.Close()
	return fmt.Errorf("%s: set a password, as by requirepass, to listen beyond loopback, on %s",
		s.opts.Guarded, ln.Addr())
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

// admit passes a connection to an event loop, or refuses it. It does not wait for the loop, which
// adopts in its next round all connections that came meanwhile.
func (s *Server) admit(nc net.Conn) {
	switch {
	case s.refuses(nc):
	case s.forwards.Load() && nc.LocalAddr().Network() == "tcp":
		s.acceptors.Go(func() { s.forward(nc) })
	default:
		s.enroll(nc, s.newConn(endpoint(nc)))
	}
}

// admitTo is admit for a connection that leads to another world than the home world.
func (s *Server) admitTo(w *engine.World, nc net.Conn) {
	if s.refuses(nc) {
		return
	}
	from := endpoint(nc)
	from.World = w
	s.enroll(nc, s.newConn(from))
}
