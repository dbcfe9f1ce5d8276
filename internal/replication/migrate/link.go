package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/miniserver-go/miniserver/internal/replication/psync"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// link is the migration as a replica of the source.
type link struct {
	*psync.Link
	id string // of the source's history; "" while a snapshot is loaded, which cannot go on later
	// Up to which the target has replied to everything. It is what the source is told, and where
	// the stream goes on after a cut, so it never runs ahead of the target.
	offset  int64
	db      int       // that the stream has selected, at offset
	loading bool      // a snapshot: there is no offset to acknowledge
	told    time.Time // when the source last heard of this link

	// The source's offset at times. The age of the oldest mark that the target has not reached is
	// the lag in time; the replication stream itself has no clock.
	source int64  // when it was asked last
	marks  []mark // from the last one that the target has reached
	asked  time.Time

	// A goroutine reads the stream, so that this one can look at what else is due. The commands of
	// a batch lie in the reader's buffer until next.
	batches chan batch
	next    chan struct{}
}

// mark is the source's offset at a time.
type mark struct {
	at     time.Time
	offset int64
}

const (
	replicaVersion = "9.0.0"                // of Valkey, whose snapshots can be read; others ignore it
	ackEvery       = time.Second            // as Redis' replicas do; its timeout is a minute
	tick           = 100 * time.Millisecond // how long a look at what is due may be put off
)

// connectLink becomes a replica of the source, from what the target has. It tries again as long as
// that may help. A source that was restarted is refused: if it is empty now, so would be the
// target.
func (m *Migration) connectLink() (psync.Answer, error) {
	said := ""
	for {
		if err := m.checkSource(); err != nil {
			return psync.Answer{}, err
		}
		a, err := m.tryLink()
		var refusal *psync.Refusal
		switch {
		case err == nil:
			return a, nil
		case errors.As(err, &refusal) && !refusal.Later() || m.ctx.Err() != nil:
			return a, err
		case m.link == nil && !errors.As(err, &refusal):
			return a, fmt.Errorf(errSide, m.source.name, err)
		}
		if said != err.Error() {
			said = err.Error()
			m.Say("the source does not replicate yet: %s", said)
		}
		m.step()
		pause(m.ctx, time.Second)
	}
}

// checkSource returns an error if the source was restarted since the migration began.
func (m *Migration) checkSource() error {
	err := m.source.on(0, func(c *server) error {
		_, err := c.do("PING")
		return err
	})
	if errors.As(err, new(*refused)) { // it loads its data
		return nil
	}
	return err
}

// tryLink makes one attempt: without a history to go on with it asks for a snapshot.
func (m *Migration) tryLink() (a psync.Answer, err error) {
	conn, err := connect(m.ctx, m.From, m.Secure)
	if err != nil {
		return a, err
	}
	context.AfterFunc(m.ctx, func() { _ = conn.Close() }) // which ends a read
	o := psync.Options{User: m.From.User, Password: m.From.Password, Version: replicaVersion,
		Like: m.Engine.Release.Name, Timeout: patience, MaxArg: 1 << 40}
	p, err := psync.Handshake(conn, o)
	if err == nil && m.link == nil {
		a, err = p.PSync("", 0, false)
	} else if err == nil {
		a, err = p.PSync(m.link.id, m.link.offset, false)
	}
	if err != nil {
		_ = conn.Close()
		return a, err
	}
	if m.link == nil {
		m.link = new(link)
	}
	m.link.Link, m.link.id = p, a.ID
	if a.Full {
		m.link.offset, m.link.db = a.Offset, 0
	}
	return a, nil
}

// run follows the source, or copies it once if it does not accept replicas. A link that is cut is
// made again, for as long as it takes: the source decides whether it still has what was missed.
func (m *Migration) run() error {
	for first := true; ; first = false {
		a, err := m.connectLink()
		if refusal := (*psync.Refusal)(nil); first && errors.As(err, &refusal) {
			return m.copyOnce(refusal)
		}
		if err != nil {
			return cmp.Or(m.ctx.Err(), err)
		}
		if err = m.attached(a, first); err == nil {
			err = m.follow()
		}
		_ = m.link.Close()
		if canceled := m.ctx.Err(); canceled != nil && err != nil {
			return canceled
		}
		if !broken(err) {
			return err
		}
		m.Say("the link to the source is cut, and will be tried again: %v", err)
		pause(m.ctx, tick)
	}
}

// attached loads the snapshot, if there is one. A later one replaces the copy: RESTORE overwrites
// what is in it, and a sweep removes what is not. With Replace the target has keys of its own,
// which cannot be told from those that the source has removed.
func (m *Migration) attached(a psync.Answer, first bool) error {
	if !a.Full {
		m.Say("the link goes on where it was cut")
		return nil
	}
	m.report.Keys, m.report.Libraries = 0, 0
	clear(m.fresh)
	if err := m.load(); err != nil {
		return err
	}
	m.Say("the target has the snapshot, and follows the source; keys: %d, libraries of functions: %d", m.report.Keys,
		m.report.Libraries)
	switch {
	case first:
		return nil
	case m.Replace:
		m.Say("keys that the source has removed meanwhile stay on the target, because of --replace")
		return nil
	}
	return m.sweep()
}

// load copies the snapshot. Values of module types that only the source can read are copied by
// DUMP. If the snapshot cannot be read, all keys are copied that way; the rest of it is read all
// the same, as the stream follows it on the same connection.
func (m *Migration) load() error {
	id := m.link.id
	m.phase, m.link.loading, m.link.id = Copying, true, "" // a link that is cut now begins again
	m.touched, m.handover.checked = nil, false
	size, src, err := m.link.Snapshot()
	if err != nil {
		return err
	}
	r := rdb.NewReader(src, payload.Options(m.Engine.Home(), max(size, 0), false))
	damage := snapshot.Each(r, m.Engine.Home().Keyspace, m)
	if broken(damage) && !errors.As(damage, new(*rdb.Error)) {
		return damage
	}
	if _, err := io.Copy(io.Discard, src); err != nil {
		return err
	}
	if err := m.settle(); err != nil {
		return err
	}
	m.link.loading, m.link.id = false, id
	if err := m.checkEvictions(); err != nil {
		return err
	}
	switch {
	case damage == nil:
		return m.refresh()
	case !errors.As(damage, new(*rdb.Error)):
		return damage
	}
	m.Say("the snapshot cannot be used (%v): the keys are read one by one", damage)
	return m.copyAll()
}

// alive tells the source that it is heard, and how far the target is. During the switch it keeps
// the source paused. Whatever may take long calls it in between, or the source would drop the link.
func (m *Migration) alive() error {
	if m.handover.began {
		m.handover.hold()
	}
	l := m.link
	if l == nil || time.Since(l.told) < ackEvery {
		return nil
	}
	l.told = time.Now()
	if l.loading {
		_ = l.Alive() // reading the stream finds that the connection is broken
	} else {
		_ = l.Ack(l.offset, -1)
	}
	return nil
}

// lag returns how far the target is behind: in bytes, and since when.
func (l *link) lag() (bytes int64, since time.Duration) {
	for len(l.marks) > 1 && l.marks[1].offset <= l.offset {
		l.marks = l.marks[1:]
	}
	if l.source <= l.offset || len(l.marks) == 0 {
		return 0, 0
	}
	return l.source - l.offset, time.Since(l.marks[0].at)
}

// ask asks the source for its offset. It goes over the clients' connection: the answer is newer
// than anything that came on the link, so reaching it means to have all writes before the question.
func (m *Migration) ask() error {
	l := m.link
	l.asked = time.Now()
	return m.source.on(0, func(c *server) (err error) {
		l.source, err = c.offset()
		l.marks = append(l.marks, mark{l.asked, l.source})
		return err
	})
}

// batch is commands of the stream, or the error that ends it.
type batch struct {
	list []resp.Command
	err  error
}

// follow passes the stream on until the switch is done. It reads ahead no more than the reader's
// buffer.
func (m *Migration) follow() error {
	m.phase = Following
	l, quit := m.link, make(chan struct{})
	l.batches, l.next = make(chan batch), make(chan struct{})
	defer close(quit)
	go read(l.Link, l.batches, l.next, quit)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	s := m.handover
	for {
		var err error
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case <-m.Switch:
			s.wanted = true
		case b := <-l.batches:
			err = m.take(b)
		case <-ticker.C:
		}
		if err == nil {
			err = s.look()
		}
		if err != nil || s.done {
			return err
		}
	}
}

// take passes a batch on.
func (m *Migration) take(b batch) error {
	if b.err != nil {
		return b.err
	}
	err := m.apply(b.list)
	m.link.next <- struct{}{}
	return err
}

// read reads the stream. The commands of a batch are valid until next.
func read(l *psync.Link, batches chan<- batch, next, quit <-chan struct{}) {
	for {
		list, err := l.Next()
		select {
		case batches <- batch{list, err}:
		case <-quit:
			return
		}
		select {
		case <-next:
		case <-quit:
			return
		}
		if err != nil {
			return
		}
	}
}
