//go:build linux && !netloops

package server

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// enrollTLS passes one end of a pair to an event loop, which calls stop when it has closed that.
// The result passes the plain bytes of the connection through the other end until both have ended.
func (s *Server) enrollTLS(client *tls.Conn, c *conn, stop func()) (pass func(), err error) {
	inside, loop, err := pair()
	if err != nil {
		s.counts.clients.Add(-1)
		return func() {}, err
	}
	c.ended = func(broken bool) {
		stop()
		if broken {
			_ = client.NetConn().Close()
		}
		_ = client.SetWriteDeadline(time.Now().Add(closeTimeout))
	}
	s.enroll(loop, c)
	return func() { proxy(client, inside) }, nil
}

// proxy copies in both directions. It returns when the event loop has closed its end and its output
// is sent.
func proxy(client *tls.Conn, inside *net.UnixConn) {
	go func() {
		_, _ = io.Copy(inside, client)
		_ = inside.CloseWrite()
	}()
	_, _ = io.Copy(client, inside)
	_ = client.Close()
	_ = inside.Close()
}

// pair returns two sockets that are connected to each other.
func pair() (a, b *net.UnixConn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "pair")
		var e error
		ends[i], e = net.FileConn(file)
		err = errors.Join(err, e, file.Close())
	}
	if err != nil {
		for _, end := range ends {
			if end != nil {
				_ = end.Close()
			}
		}
		return nil, nil, err
	}
	return ends[0].(*net.UnixConn), ends[1].(*net.UnixConn), nil
}
