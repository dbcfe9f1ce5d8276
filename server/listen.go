package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/miniserver-go/miniserver/engine"
)

// The server listens itself and hands accepted connections to gnet's event loops. gnet can listen as
// well, but ends when a process runs out of file descriptors, and cannot tell which port it was given.

// listener is where connections arrive, and what becomes of them.
type listener struct {
	net.Listener
	kind  string // tcp, unix, tls
	admit func(nc net.Conn)
}

// listen opens the listeners that the options ask for. Port 0 is the same free port on all addresses.
func (s *Server) listen() error {
	port := s.opts.Port
	if port == 0 && (s.opts.UnixSocket != "" || s.tls.port != 0) {
		port = -1
	}
	for _, bind := range s.opts.Bind {
		if port < 0 {
			break
		}
		ln, err := s.listenTCP(bind, port)
		if err != nil {
			return err
		}
		if ln != nil {
			port = ln.Addr().(*net.TCPAddr).Port
			s.opts.Port = port
			s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit})
		}
	}
	if err := s.listenTLS(); err != nil {
		return err
	}
	if path := s.opts.UnixSocket; path != "" {
		ln, err := listenUnix(path, s.opts.UnixPerm)
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit})
	}
	for _, ln := range s.opts.Listeners {
		s.listeners = append(s.listeners, listener{ln, ln.Addr().Network(), s.admit})
	}
	if len(s.listeners) == 0 {
		return errors.New("no address to listen on")
	}
	return nil
}

// listenTLS opens the listeners of the port for TLS, if there is one.
func (s *Server) listenTLS() error {
	if s.tls.port == 0 {
		return nil
	}
	if err := s.tls.load(); err != nil {
		return fmt.Errorf("failed to configure TLS: %w", err)
	}
	for _, bind := range s.opts.Bind {
		ln, err := s.listenTCP(bind, s.tls.port)
		if err != nil {
			return err
		}
		if ln != nil {
			s.listeners = append(s.listeners, listener{ln, "tls", s.admitTLS})
		}
	}
	return nil
}

// listenTCP opens a listener. Of an address that begins with a dash it returns nil if the machine does
// not have it. "*" and "::*" are all addresses of IPv4 and IPv6.
func (s *Server) listenTCP(bind string, port int) (net.Listener, error) {
	host, optional := strings.CutPrefix(bind, "-")
	network := "tcp"
	switch host {
	case "*":
		network, host = "tcp4", ""
	case "::*":
		network, host = "tcp6", ""
	}
	config := net.ListenConfig{KeepAlive: -1} // each connection's own
	ln, err := config.Listen(context.Background(), network, net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil && optional && missing(err) {
		return nil, nil
	}
	return ln, err
}

// missing reports whether an address cannot be listened on because the machine lacks it.
func missing(err error) bool {
	return errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EPROTONOSUPPORT) ||
		errors.Is(err, unix.ENOPROTOOPT)
}

// listenUnix opens a unix socket, in place of one that was left behind.
func listenUnix(path string, perm fs.FileMode) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path)
	}
	ln, err := net.Listen("unix", path)
	if err != nil || perm == 0 {
		return ln, err
	}
	return ln, os.Chmod(path, perm)
}

// accept hands a listener's connections to the event loops until it is closed.
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

// admit begins a connection, or refuses it.
func (s *Server) admit(nc net.Conn) {
	if !s.refuses(nc) {
		s.enroll(nc, endpoint(nc), func() {})
	}
}

// refuses prepares a connection, or closes it if there are too many.
func (s *Server) refuses(nc net.Conn) bool {
	if s.counts.clients.Add(1) > s.maxClients.Load() {
		s.counts.clients.Add(-1)
		s.counts.rejected.Add(1)
		_, _ = nc.Write([]byte("-ERR max number of clients reached\r\n"))
		_ = nc.Close()
		return true
	}
	if tc, ok := nc.(*net.TCPConn); ok {
		s.prepare(tc)
	}
	return false
}

// enroll hands a connection to an event loop, which calls ended when it has closed it.
func (s *Server) enroll(nc net.Conn, from engine.Endpoint, ended func()) {
	c := &conn{server: s, from: from, ended: ended}
	if _, err := s.loops.EnrollContext(nc, c); err != nil {
		s.counts.clients.Add(-1)
		s.log('#', "Error registering fd event for the new client: %v", err)
	}
}

func (s *Server) prepare(tc *net.TCPConn) {
	if idle := time.Duration(s.keepAlive.Load()) * time.Second; idle > 0 {
		_ = tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: idle, Interval: max(time.Second, idle/3), Count: 3})
	}
	tc.RemoteAddr().(*net.TCPAddr).Zone = "" // gnet would recycle the memory of the name, which is not its own
}

// endpoint tells where a connection comes from, as CLIENT LIST shows it.
func endpoint(nc net.Conn) engine.Endpoint {
	if ua, ok := nc.LocalAddr().(*net.UnixAddr); ok {
		return engine.Endpoint{Addr: ua.Name + ":0", LocalAddr: ua.Name + ":0", Unix: true}
	}
	return engine.Endpoint{Addr: nc.RemoteAddr().String(), LocalAddr: nc.LocalAddr().String()}
}

// fewerClients returns how many clients fit into the file descriptors that the process may have, at
// most n.
func fewerClients(n int64) int64 {
	const reserved = 32 // for everything else, as Redis has it
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil || uint64(n)+reserved <= uint64(lim.Cur) { // signed on FreeBSD
		return n
	}
	return max(1, int64(lim.Cur)-reserved)
}
