//go:build linux && !netloops

package server

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// epollFeed is a socket whose input goes to a function. Its methods run on the loop, but for Write
// and Close.
type epollFeed struct {
	loop    *epollLoop
	number  int // file descriptor
	receive engine.Receive

	mu     sync.Mutex // for Write, while the loop closes the socket
	closed bool
}

// feedAgain is the pause after which a function that wanted nothing is called again.
const feedAgain = 5 * time.Millisecond

// newFeed makes the loop read a connection over TCP or a unix socket.
func (l *epollLoop) newFeed(nc net.Conn, receive engine.Receive) (engine.Feed, error) {
	if _, ok := nc.(syscall.Conn); !ok {
		return nil, errors.ErrUnsupported
	}
	fd, err := detach(nc)
	if err != nil {
		return nil, err
	}
	f := &epollFeed{loop: l, number: fd, receive: receive}
	return f, l.adopt(fd, f.open)
}

func (f *epollFeed) open() {
	f.loop.add(f.number, f)
	f.resume()
}

// resume calls the function with nothing, and reads if that is enough for it.
func (f *epollFeed) resume() {
	switch {
	case f.closed:
	case !f.receive(nil, nil):
		f.resumeLater()
	default:
		if err := f.loop.control(unix.EPOLL_CTL_ADD, f.number, unix.EPOLLIN); err != nil {
			f.end(err)
		}
	}
}

func (f *epollFeed) resumeLater() {
	time.AfterFunc(feedAgain, func() { f.loop.execute(f.resume) })
}

// handle implements epollSocket.
func (f *epollFeed) handle(uint32) {
	input, err := f.loop.read(f.number)
	switch {
	case len(input) > 0:
		if f.loop.server.opts.OwnProcess {
			f.loop.thread.followed()
		}
		f.loop.moved.reads.Add(1)
		if !f.receive(input, nil) {
			_ = f.loop.control(unix.EPOLL_CTL_DEL, f.number, 0)
			f.resumeLater()
		}
	case err == unix.EAGAIN || err == unix.EINTR:
	case err != nil:
		f.end(os.NewSyscallError("read", err))
	default:
		f.end(io.EOF)
	}
}

// close implements epollSocket.
func (f *epollFeed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.loop.thread.awaited()
	f.loop.remove(f.number)
}

// end closes the connection for a reason.
func (f *epollFeed) end(err error) {
	if !f.closed {
		f.close()
		f.receive(nil, err)
	}
}

// Write implements engine.Feed. It does not wake the loop: an idle replica writes once a second,
// and each time a loop goes back to waiting, the runtime's monitor wakes dozens of times before it
// takes the loop's processor away.
func (f *epollFeed) Write(b []byte) (int, error) {
	n, err := f.write(b)
	if err != nil {
		f.loop.execute(func() { f.end(err) })
	}
	return n, err
}

func (f *epollFeed) write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, net.ErrClosed
	}
	f.loop.thread.expected.Store(true)
	f.loop.moved.writes.Add(1)
	n, err := writeNow(f.number, b)
	if err == nil && n < len(b) {
		err = unix.EAGAIN
	}
	return n, os.NewSyscallError("write", err)
}

// Close implements engine.Feed.
func (f *epollFeed) Close() error {
	if !f.loop.execute(func() { f.end(net.ErrClosed) }) {
		return net.ErrClosed
	}
	return nil
}
