package replication

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/replication/psync"
	"github.com/miniserver-go/miniserver/resp"
)

// follow executes the stream until the connection is lost. An event loop reads it if one can, else
// this goroutine.
func (l *link) follow(p *psync.Link, conn net.Conn) error {
	f := &follower{begun: time.Now(), link: l, session: l.opened, stream: p, ended: make(chan error, 1)}
	f.heard()
	feed, err := l.master.engine.Feed(conn, f.receive)
	if errors.Is(err, errors.ErrUnsupported) {
		l.master.opts.Spawn(func() { f.end(f.read()) })
		return f.acknowledge(0)
	}
	if err != nil {
		return err
	}
	defer feed.Close()
	defer l.use(nil)
	if !l.use(feed) {
		return errEnded
	}
	l.master.engine.With(l.Wake) // the session may have been closed meanwhile
	p.Yield(feed)
	_, timeout := l.options()
	return f.acknowledge(timeout)
}

// follower executes the stream of a connected link.
type follower struct {
	link    *link
	session *engine.Session // of the master
	stream  *psync.Link
	list    []resp.Command // that must wait
	begun   time.Time      // when it began
	last    atomic.Int64   // when the master sent something last, nanoseconds since begun
	over    bool           // receive has sent the error
	ended   chan error     // of capacity 1
}

// end ends acknowledge.
func (f *follower) end(err error) { f.ended <- err }

// heard notes that the master has sent something.
func (f *follower) heard() { f.last.Store(int64(time.Since(f.begun))) }

// silence returns for how long the master has sent nothing.
func (f *follower) silence() time.Duration { return time.Since(f.begun) - time.Duration(f.last.Load()) }

// receive implements engine.Receive.
func (f *follower) receive(data []byte, err error) (more bool) {
	if f.over {
		return true
	}
	if more = true; err == nil {
		more, err = f.take(data)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if f.over = err != nil; f.over {
		f.end(err)
	}
	return more
}

// take executes the commands that are complete with data. It reports false if some must wait.
func (f *follower) take(data []byte) (more bool, err error) {
	list := f.list
	if len(data) > 0 {
		f.heard()
	}
	for f.list = nil; ; {
		if len(list) == 0 {
			if list, err = f.stream.Take(data); len(list) == 0 {
				return true, err
			}
			data = nil
		}
		n, err := f.execute(list)
		if err != nil {
			return true, err
		}
		if list = list[n:]; n == 0 {
			f.list = list
			return false, nil
		}
	}
}

// applyAgain is the pause after which commands are tried again that must wait for a script or for
// CLIENT UNPAUSE.
const applyAgain = 5 * time.Millisecond

// read reads the stream itself.
func (f *follower) read() error {
	for {
		list, err := f.stream.Next()
		if err != nil {
			return err
		}
		for len(list) > 0 {
			n, err := f.execute(list)
			if err != nil {
				return err
			}
			if list = list[n:]; n == 0 {
				time.Sleep(applyAgain)
			}
		}
	}
}

// execute executes commands, and passes them on. It returns how many, 0 if they must wait.
func (f *follower) execute(list []resp.Command) (n int, err error) {
	l, m := f.link, f.link.master
	m.engine.With(func() {
		if l.session != f.session || f.session.Closing() {
			err = errEnded
			return
		}
		l.lastInput = m.engine.Home().Micros()
		for n < len(list) && l.session != nil && m.engine.Home().MayApply() {
			l.apply(&list[n])
			n++
		}
	})
	return n, err
}

// apply executes a command. The stream that this server passes on ends with a whole transaction, so
// that its offset is never within one.
func (l *link) apply(c *resp.Command) {
	m, s := l.master, l.session
	m.traffic.in += int64(len(c.Text))
	s.Received.Add(int64(len(c.Text)))
	if c.Args != nil {
		if err := m.engine.Home().Apply(s, c.Args); err != nil {
			l.logError(err, c.Args)
		}
	}
	_, inTx := s.Queued()
	if inTx || len(l.pending) > 0 {
		l.pending = append(l.pending, c.Text...)
	}
	switch {
	case inTx || l.session == nil:
	case len(l.pending) > 0:
		m.relay(l.pending, s.DB())
		if l.pending = l.pending[:0]; cap(l.pending) > maxCommandKept {
			l.pending = nil
		}
	default:
		m.relay(c.Text, s.DB())
	}
}

// logError logs that a command of the master has failed: the data may differ now.
func (l *link) logError(err error, args [][]byte) {
	l.master.opts.Log('#', "== CRITICAL == This replica is sending an error to its master: '%s' after processing the "+
		"command '%.128s'", err, args[0])
}

// acknowledge tells the master the offset, each second and when it asks. It returns when the stream
// has ended, or the master was silent for too long.
func (f *follower) acknowledge(timeout time.Duration) error {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	tick, asked := t.C, f.link.askAck
	for {
		var offset, fsynced int64
		f.link.master.engine.With(func() { offset, fsynced = f.link.offsets() })
		if f.stream.Ack(offset, fsynced) != nil {
			tick, asked = nil, nil // what reads the stream notices, too
		}
		select {
		case err := <-f.ended:
			return err
		case <-f.link.ctx.Done():
			return errEnded
		case <-asked:
		case <-tick:
			if timeout > 0 && f.silence() > timeout {
				return os.ErrDeadlineExceeded
			}
		}
	}
}

// offsets returns the offset up to which the stream is executed, and that up to which the journal
// has it on disk, -1 without one.
func (l *link) offsets() (offset, fsynced int64) {
	m := l.master
	offset = m.stream.offset
	enabled, synced := m.opts.Journal.Synced()
	switch {
	case !enabled:
		return offset, -1
	case synced:
		l.fsynced = offset
	case !l.awaits:
		l.awaits = true
		m.opts.Journal.Await(func() { l.fsynced, l.awaits = max(l.fsynced, offset), false })
	}
	return offset, l.fsynced
}

// answer is REPLCONF GETACK, by which the master asks for an acknowledgement.
func (l *link) answer(c *engine.Call) {
	if c.Word("GETACK") && l != nil {
		l.acknowledgeSoon()
	}
}

// acknowledgeSoon makes the link acknowledge at once.
func (l *link) acknowledgeSoon() {
	select {
	case l.askAck <- struct{}{}:
	default:
	}
}
