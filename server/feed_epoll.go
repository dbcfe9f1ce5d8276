//go:build linux && !netloops

package server

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/miniserver-go/miniserver/engine"
)

// epollFeed is a socket whose input goes to a function. Its methods run on the loop, but for Write and Close.
type epollFeed struct {
	loop    *epollLoop
	number  int // file descriptor
	receive engine.Receive
	closed  bool
}

// feedAgain is the pause after which a function that wanted nothing is called again.
const feedAgain = 5 * time.Millisecond

// newFeed makes the loop read a connection over TCP or a unix socket.
func (l *epollLoop) newFeed(nc net.Conn, receive engine.Receive) (engine.Feed, error) {
	if _, ok := nc.(syscall.Conn); !ok {
		return nil, errors.ErrUnsupported
	}
	f := &epollFeed{loop: l, receive: receive}
	return f, l.adopt(nc, f.open)
}

func (f *epollFeed) open(fd int) {
	f.number = fd
	f.loop.add(fd, f)
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
	n, err := readNow(f.number, f.loop.buffer)
	switch {
	case n > 0:
		if f.loop.server.opts.OwnProcess {
			f.loop.thread.followed()
		}
		f.loop.moved.reads.Add(1)
		if !f.receive(f.loop.buffer[:n], nil) {
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

// Write implements engine.Feed.
func (f *epollFeed) Write(b []byte) (int, error) {
	return len(b), f.onLoop(func() {
		if f.closed {
			return
		}
		f.loop.thread.awaited()
		f.loop.moved.writes.Add(1)
		if n, err := writeNow(f.number, b); err != nil {
			f.end(os.NewSyscallError("write", err))
		} else if n < len(b) {
			f.end(os.NewSyscallError("write", unix.EAGAIN))
		}
	})
}

// Close implements engine.Feed.
func (f *epollFeed) Close() error { return f.onLoop(func() { f.end(net.ErrClosed) }) }

func (f *epollFeed) onLoop(fn func()) error {
	if !f.loop.execute(fn) {
		return net.ErrClosed
	}
	return nil
}
