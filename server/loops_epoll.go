//go:build linux && !netloops

package server

import (
	"net"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Event loops over epoll. Their system calls do not wait, so they are made without the Go runtime's
// preparations for those that do: a raw call costs the tenth part of a microsecond less. See pause
// for the one that waits for a moment.

const (
	roundEvents = 1024     // most events of a round
	sendSize    = 64 << 10 // bytes of unsent output after which other connections have their turn

	// pauseTime is how long a loop waits for input before it lets the runtime have its processor.
	// It is longer than a tick of most kernels, since a shorter wait costs them a timer of its own,
	// a microsecond and more on a virtual machine; and shorter than the 10 ms after which the
	// runtime wants the processor back. The runtime's monitor wakes again and again while a loop
	// pauses, so an idle loop does not pause.
	pauseTime = 8 * time.Millisecond

	// watchTime is how long a loop that keeps its processor looks for input again and again before
	// it sleeps, if the last wait was not longer. To sleep and be woken takes longer than a simple
	// command, and the client whose request wakes the loop pays for a part of that.
	watchTime = 100 * time.Microsecond

	// yieldTime is how long a busy loop runs before it yields to other goroutines. The runtime
	// would preempt it after 10 ms, and wake another thread each time. A batch thread does not
	// yield: its goroutine is locked to it, and would have to wait for another thread to pass the
	// processor back.
	yieldTime = 4 * time.Millisecond

	// A wait awake of more than crowdedTime shows that other threads need the processor. For
	// sleepTime after it, the loop sleeps whenever it waits.
	crowdedTime = time.Millisecond
	sleepTime   = 100 * time.Millisecond
)

// startSocketLoops starts the loops of a server.
func startSocketLoops(s *Server) (ls socketLoops, err error) {
	for range s.Loops() {
		l := &epollLoop{epoll: -1, bell: -1, timer: -1, events: make([]unix.EpollEvent, roundEvents),
			over: make(chan struct{})}
		ls.loops = append(ls.loops, l)
		if err = l.prepare(); err == nil && !s.opts.OwnProcess {
			err = l.share()
		}
		if err != nil {
			for _, l := range ls.loops {
				l.release()
			}
			return ls, err
		}
	}
	for _, l := range ls.loops {
		l.join(s)
		go l.run()
	}
	return ls, nil
}

// prepare opens what the loop waits with.
func (l *epollLoop) prepare() (err error) {
	l.interrupt, l.alarm, l.feed = l.ring, l.setTimer, l.newFeed
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	if l.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC); err != nil {
		return os.NewSyscallError("timerfd_create", err)
	}
	if err = l.control(unix.EPOLL_CTL_ADD, l.timer, unix.EPOLLIN|unix.EPOLLET); err != nil {
		return err
	}
	return l.control(unix.EPOLL_CTL_ADD, l.bell, unix.EPOLLIN)
}

// share has the loop wait as goroutines do, without a thread of its own, which the runtime would
// keep when the server ends. It costs a system call more for each wait.
func (l *epollLoop) share() error {
	if err := unix.SetNonblock(l.epoll, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	l.file = os.NewFile(uintptr(l.epoll), "epoll")
	conn, err := l.file.SyscallConn()
	l.shared = conn
	return err
}

// release closes what prepare opened. Whoever rings has the lock, and finds that the loop does not
// wait.
func (l *epollLoop) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // the descriptor epoll
		l.epoll = -1
	}
	for _, fd := range []int{l.epoll, l.bell, l.timer} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// stop ends the loops and their connections.
func (ls *socketLoops) stop() {
	for _, l := range ls.loops {
		l.execute(func() { l.stopping = true })
		<-l.over
	}
}

// enroll passes a connection to the loop with the fewest.
func (ls *socketLoops) enroll(nc net.Conn, c *conn) error {
	l := slices.MinFunc(ls.loops, func(a, b *epollLoop) int { return byLoad(&a.loop, &b.loop) })
	fd, err := detach(nc)
	if err != nil {
		return err
	}
	return l.adopt(fd, func() { l.open(fd, c) })
}

// loopsRunning counts the loops of all servers of the process.
var loopsRunning atomic.Int64

// run serves until the end, and closes the connections.
func (l *epollLoop) run() {
	loopsRunning.Add(1)
	defer loopsRunning.Add(-1)
	defer close(l.over)
	for !l.stopping {
		ripe := l.due.Load()
		n := l.wait()
		for _, ev := range l.events[:n] {
			switch fd := int(ev.Fd); fd {
			case l.bell:
				var rings [8]byte
				_, _ = readNow(fd, rings[:])
				ripe = true
			case l.timer:
				l.armed = false
			default:
				l.sockets[fd].handle(ev.Events)
			}
		}
		l.endRound(ripe, n == 0)
	}
	l.finish()
	for _, s := range l.sockets {
		if s != nil {
			s.close()
		}
	}
	l.release()
}

// ring ends the wait.
func (l *epollLoop) ring() {
	if l.waiting.Swap(false) {
		one := [8]byte{1}
		_, _ = unix.Write(l.bell, one[:])
	}
}

// setTimer ends a wait after some time, unless the timer runs already.
func (l *epollLoop) setTimer(after time.Duration) {
	if !l.armed {
		l.armed = unix.TimerfdSettime(l.timer, 0,
			&unix.ItimerSpec{Value: unix.NsecToTimespec(int64(after))}, nil) == nil
	}
}

// wait waits for events, unless there is something else to do. It returns how many there are.
func (l *epollLoop) wait() (n int) {
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	if l.due.Load() || l.paced.due.Load() && !l.armed { // some came after the loop had looked
		return l.look()
	}
	switch {
	case !l.pauses:
		if n = l.look(); n == 0 {
			runtime.Gosched()
		}
	case !l.turns.pending():
		if !l.idle {
			n = l.watch()
		}
	case l.turns.urgent():
		n = l.look()
	default:
		n = l.pause(shortTurn)
	}
	if n > 0 || l.turns.pending() {
		return n
	}
	begun := time.Now()
	n = l.sleep()
	l.idle = time.Since(begun) > pauseTime
	l.pauses = l.server.opts.OwnProcess && runtime.GOMAXPROCS(0) > int(loopsRunning.Load())
	return n
}

// sleep waits for events. It may return without one.
func (l *epollLoop) sleep() (n int) {
	if l.shared != nil && l.shared.Read(func(uintptr) bool { n = l.look(); return n > 0 }) == nil {
		return n
	}
	n, _ = unix.EpollWait(l.epoll, l.events, -1)
	return max(n, 0) // a signal may have come
}

// watch waits for events for a moment, awake if the last wait was short. While it is awake, it
// offers its processor to other threads after each look, so that one that has work, such as a
// replica's, does not take the processor of a client. If one keeps it for long, the loop had better
// sleep for some time: the system prefers a thread that wakes to one that works on.
func (l *epollLoop) watch() (n int) {
	begun := time.Now()
	if begun.Sub(l.yielded) > yieldTime && !l.thread.batch() {
		yield()
		begun = time.Now()
		l.yielded = begun
	}
	for n == 0 && l.awake {
		if n = l.look(); n == 0 {
			_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
		waited := time.Since(begun)
		if l.awake = waited < watchTime; waited > crowdedTime {
			l.crowded = begun
		}
	}
	if n == 0 {
		n = l.pause(pauseTime)
		l.awake = time.Since(begun) < watchTime && begun.Sub(l.crowded) > sleepTime
	}
	return n
}

// look returns the number of events there are.
func (l *epollLoop) look() int {
	n, _, _ := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])),
		uintptr(len(l.events)), 0, 0, 0)
	return max(int(n), 0)
}

// pause waits for events for a moment. The runtime believes that the goroutine runs: it takes no
// processor from it and gives none back, which would cost more than a command. Other goroutines
// have the processors that the loops leave, so there must be one. A collection that must stop this
// goroutine ends the wait by a signal.
func (l *epollLoop) pause(length time.Duration) int {
	l.moment = unix.NsecToTimespec(int64(length))
	n, _, _ := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])),
		uintptr(len(l.events)), uintptr(unsafe.Pointer(&l.moment)), 0, 0)
	return max(int(n), 0) // Linux before 5.11 has no such call
}

// epollConn is the loop's end of a connection, over TCP or a unix socket.
type epollConn struct {
	loop   *epollLoop
	conn   *conn
	number int // file descriptor

	output  [][]byte // that the client has not taken
	pending int      // bytes of it
}

// open begins a connection.
func (l *epollLoop) open(fd int, c *conn) {
	s := &epollConn{loop: l, conn: c, number: fd}
	l.add(fd, s)
	c.open(&l.loop, s)
	if l.control(unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN) != nil {
		c.broken = true
		s.close()
	}
}

// handle handles the events of the socket.
func (s *epollConn) handle(events uint32) {
	if events&unix.EPOLLOUT != 0 {
		s.sendMore()
	}
	if events&^unix.EPOLLOUT == 0 {
		return
	}
	input, err := s.loop.read(s.number)
	switch {
	case len(input) > 0:
		s.loop.thread.awaited()
		s.conn.handle(input)
	case err == unix.EAGAIN || err == unix.EINTR:
	case err != nil:
		s.conn.broken = true
		s.close()
	default:
		s.close()
	}
}

// close implements socket. What is unsent has a last chance.
func (s *epollConn) close() {
	if broken := s.conn.close(); !broken && s.pending > 0 {
		s.sendMore()
	}
	s.output, s.pending = nil, 0
	s.loop.remove(s.number)
}

// fd implements socket.
func (s *epollConn) fd() int { return s.number }

// read implements socket.
func (s *epollConn) read(room []byte) int {
	n, _ := readNow(s.number, room)
	return n
}

// write implements socket.
func (s *epollConn) write(b []byte) error {
	if s.pending > 0 {
		s.keep(b)
		return nil
	}
	n, err := writeNow(s.number, b)
	if err != nil && err != unix.EAGAIN && err != unix.EINTR {
		return os.NewSyscallError("write", err)
	}
	if n == len(b) {
		return nil
	}
	s.keep(b[n:])
	return s.loop.control(unix.EPOLL_CTL_MOD, s.number, unix.EPOLLIN|unix.EPOLLOUT)
}

// keep keeps a copy of output that the client does not take yet.
func (s *epollConn) keep(b []byte) {
	room := max(len(b), min(s.pending, sendSize))
	s.pending += len(b)
	if last := len(s.output) - 1; last >= 0 && cap(s.output[last])-len(s.output[last]) >= len(b) {
		s.output[last] = append(s.output[last], b...)
		return
	}
	s.output = append(s.output, append(make([]byte, 0, room), b...))
}

// sendMore sends output that was kept.
func (s *epollConn) sendMore() {
	for sent := 0; s.pending > 0 && sent < sendSize; {
		n, err := writeNow(s.number, s.output[0])
		if err == unix.EAGAIN || err == unix.EINTR {
			return
		}
		if err != nil {
			s.conn.dying, s.conn.broken = true, true
			s.conn.Wake()
			s.output, s.pending = nil, 0
			break
		}
		sent += n
		s.pending -= n
		if s.output[0] = s.output[0][n:]; len(s.output[0]) == 0 {
			s.output[0] = nil
			s.output = s.output[1:]
		}
	}
	if s.pending == 0 {
		s.output = nil
		_ = s.loop.control(unix.EPOLL_CTL_MOD, s.number, unix.EPOLLIN)
		if s.conn.streams.Load() {
			s.conn.Wake()
		}
	}
}

// unsent implements socket.
func (s *epollConn) unsent() int { return s.pending }

// another implements socket.
func (s *epollConn) another() (net.Conn, error) {
	fd, err := unix.FcntlInt(uintptr(s.number), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	return net.FileConn(f)
}

// multiplexing names what the loops wait with.
const multiplexing = "epoll"
