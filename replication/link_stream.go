package replication

import (
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/replication/psync"
	"github.com/miniserver-go/miniserver/resp"
)

// follow executes the stream until the connection is lost.
func (l *link) follow(p *psync.Link) error {
	done := make(chan struct{})
	defer close(done)
	l.master.opts.Spawn(func() { l.acknowledge(p, done) })
	for {
		list, err := p.Next()
		if err != nil {
			return err
		}
		for len(list) > 0 {
			n, err := l.execute(list)
			if err != nil {
				return err
			}
			if list = list[n:]; n == 0 {
				l.wait()
			}
		}
		if l.rests {
			rest()
		}
	}
}

// applyAgain is the pause after which commands are tried again that must wait for a script or for CLIENT UNPAUSE.
const applyAgain = 5 * time.Millisecond

// wait waits until commands of the master may run perhaps, or the link ends.
func (l *link) wait() {
	select {
	case <-l.ctx.Done():
	case <-time.After(applyAgain):
	}
}

// execute executes commands, and passes them on. It returns how many, 0 if they must wait.
func (l *link) execute(list []resp.Command) (n int, err error) {
	m := l.master
	m.engine.With(func() {
		if l.session == nil || l.session.Closing() {
			err = errEnded
			return
		}
		l.lastInput = m.engine.Micros()
		for n < len(list) && l.session != nil && m.engine.MayApply() {
			l.apply(&list[n])
			n++
		}
		l.rests = l.pace.rests(l.lastInput, list[len(list)-1].End-list[0].Start)
	})
	return n, err
}

// apply executes a command. The stream that this server passes on ends with a whole transaction, so that its offset is never
// within one.
func (l *link) apply(c *resp.Command) {
	m, s := l.master, l.session
	m.traffic.in += int64(len(c.Text))
	s.Received.Add(int64(len(c.Text)))
	if c.Args != nil {
		if err := m.engine.Apply(s, c.Args); err != nil {
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
	l.master.opts.Log('#', "== CRITICAL == This replica is sending an error to its master: '%s' after processing the command '%.128s'",
		err, args[0])
}

// acknowledge tells the master the offset, each second and when it asks.
func (l *link) acknowledge(p *psync.Link, done chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		var offset, fsynced int64
		l.master.engine.With(func() { offset, fsynced = l.offsets() })
		if p.Ack(offset, fsynced) != nil {
			return // what reads the stream notices, too
		}
		select {
		case <-t.C:
		case <-l.askAck:
		case <-done:
			return
		}
	}
}

// offsets returns the offset up to which the stream is executed, and that up to which the journal has it on disk, -1 without one.
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
		l.pace.asked = c.Engine.Micros()
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
