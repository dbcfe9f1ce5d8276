package server

import (
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

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

// refusal counts a connection and returns the error with which it must be closed; "" if it may be
// served.
func (s *Server) refusal(nc net.Conn) command.Error {
	switch {
	case s.counts.clients.Add(1) > s.maxClients.Load():
		return errMaxClients
	case (s.protected.Load() || s.opts.Guarded != "") && !isLocal(nc.RemoteAddr()) && !s.engine.HasPassword():
		return s.engine.Commands.Worded(errProtected).(command.Error)
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
	errProtected  = command.Error("DENIED Redis is running in protected mode because protected mode is enabled and " +
		"no password is set for the " +
		"default user. In this mode connections are only accepted from the loopback interface. " +
		"If you want to connect from external " +
		"computers to Redis you may adopt one of the following solutions: 1) Just disable protected mode sending the " +
		"command 'CONFIG SET " +
		"protected-mode no' from the loopback interface by connecting to Redis from the same host the server is " +
		"running, however MAKE SURE " +
		"Redis is not publicly accessible from internet if you do so. " +
		"Use CONFIG REWRITE to make this change permanent. 2) Alternatively you " +
		"can just disable the protected mode by editing the Redis configuration file, " +
		"and setting the protected mode option to 'no', and then " +
		"restarting the server. 3) If you started the server manually just for testing, " +
		"restart it with the '--protected-mode no' option. " +
		"4) Set up an authentication password for the default user. NOTE: You only need to do one of the above " +
		"things in order for the server to start accepting connections from the outside.")
)

// wordings are those that read otherwise in other releases.
var wordings = []command.Wording{{Before: release.NoValkey, Error: errProtected,
	Was: "DENIED Running in protected mode because protected mode is enabled and no password is set for the default " +
		"user. In this mode " +
		"connections are only accepted from the loopback interface. If you want to connect from external computers, " +
		"you may adopt one of the " +
		"following solutions: 1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from " +
		"the loopback interface " +
		"by connecting from the same host the server is running, " +
		"however MAKE SURE it's not publicly accessible from internet if you do so. " +
		"Use CONFIG REWRITE to make this change permanent. " +
		"2) Alternatively you can just disable the protected mode by editing the " +
		"configuration file, and setting the protected mode option to 'no', and then restarting the server. " +
		"3) If you started the server " +
		"manually just for testing, restart it with the '--protected-mode no' option. " +
		"4) Set up an authentication password for the default " +
		"user. NOTE: You only need to do one of the above things in order for the server to start accepting " +
		"connections from the outside."}}

// newConn returns a connection that is to be passed to an event loop.
func (s *Server) newConn(from engine.Endpoint) *conn {
	return &conn{server: s, in: &nothing, from: from, ended: unnoticed}
}

// enroll passes a connection to an event loop.
func (s *Server) enroll(nc net.Conn, c *conn) {
	if err := s.sockets.enroll(nc, c); err != nil {
		s.counts.clients.Add(-1)
		s.log('#', "Error registering fd event for the new client: %v", err)
	}
}

// unnoticed is for a connection whose end concerns only its loop.
func unnoticed(bool) {}

// endpoint returns the addresses of a connection, as CLIENT LIST shows them.
func endpoint(nc net.Conn) engine.Endpoint {
	if ua, ok := nc.LocalAddr().(*net.UnixAddr); ok {
		return engine.Endpoint{Addr: ua.Name + ":0", LocalAddr: ua.Name + ":0", Unix: true}
	}
	return engine.Endpoint{Addr: nc.RemoteAddr().String(), LocalAddr: nc.LocalAddr().String()}
}

func (s *Server) setKeepAlive(tc *net.TCPConn) {
	if idle := time.Duration(s.keepAlive.Load()) * time.Second; idle > 0 {
		_ = tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: idle,
			Interval: max(time.Second, idle/3), Count: 3})
	}
}
