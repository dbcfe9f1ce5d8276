//go:build linux && !netloops

package server

import (
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socketLoops serve the sockets.
type socketLoops struct{ loops []*epollLoop }

// epollLoop serves sockets.
type epollLoop struct {
	loop
	file     *os.File // of the descriptor epoll, and what waits for it, see share; nil if the loop has a thread
	shared   syscall.RawConn
	epoll    int           // file descriptors
	bell     int           // an eventfd, which ends the wait
	timer    int           // a timerfd, which ends the wait after some time
	armed    bool          // the timer runs
	waiting  atomic.Bool   // the bell must be rung to end the wait
	sockets  []epollSocket // by file descriptors; nil for those of others
	events   []unix.EpollEvent
	buffer   []byte        // for what is read; nil before the first connection
	moment   unix.Timespec // of a pause
	pauses   bool          // the loop may keep its processor: there is one that no loop needs
	awake    bool          // the last wait was short, see watch
	idle     bool          // the last wait was longer than a pause
	yielded  time.Time     // when the loop last yielded to other goroutines
	crowded  time.Time     // when another thread kept the processor for long
	thread   threadPolicy
	stopping bool
	over     chan struct{} // closed when run has returned
}

// epollSocket is a socket of a loop, on which its methods are called.
type epollSocket interface {
	// handle handles events.
	handle(events uint32)
	// close closes the socket.
	close()
}

// control tells the system for which events of a file descriptor the loop waits.
func (l *epollLoop) control(operation, fd int, events uint32) error {
	return os.NewSyscallError("epoll_ctl",
		unix.EpollCtl(l.epoll, operation, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}))
}

// adopt makes a socket the loop's, which opens it.
func (l *epollLoop) adopt(fd int, open func()) error {
	l.load.Add(1)
	if !l.execute(open) {
		_ = unix.Close(fd)
		return net.ErrClosed
	}
	return nil
}

// detach returns a file descriptor of a connection that Go's package net no longer knows.
func detach(nc net.Conn) (fd int, err error) {
	defer nc.Close()
	raw, err := nc.(syscall.Conn).SyscallConn()
	if err != nil {
		return -1, err
	}
	if e := raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); e != nil {
		return -1, e
	}
	return fd, os.NewSyscallError("fcntl", err)
}

// add makes a socket known.
func (l *epollLoop) add(fd int, s epollSocket) {
	if fd >= len(l.sockets) {
		l.sockets = append(l.sockets, make([]epollSocket, fd+1-len(l.sockets))...)
	}
	l.sockets[fd] = s
}

// remove closes a socket.
func (l *epollLoop) remove(fd int) {
	l.sockets[fd] = nil
	_ = l.control(unix.EPOLL_CTL_DEL, fd, 0) // which another descriptor of the socket would prevent
	_ = unix.Close(fd)
	l.load.Add(-1)
}

// socketsRead says whether socket.read ever returns something.
const socketsRead = true

// readSize is the most bytes that a connection is read with in a round.
const readSize = 64 << 10

// read returns what there is to read from a socket, until the next read.
func (l *epollLoop) read(fd int) ([]byte, error) {
	if l.buffer == nil {
		l.buffer = make([]byte, readSize)
	}
	n, err := readNow(fd, l.buffer)
	return l.buffer[:n], err
}
