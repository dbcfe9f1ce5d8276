package replication

import (
	"io"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/replication/psync"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// synchronize asks for the stream from where it broke off, or else for all data. Afterwards the
// link is connected.
func (l *link) synchronize(p *psync.Link, conn net.Conn) error {
	m := l.master
	id, offset, failover := l.wanted()
	if id == "" {
		m.opts.Log('*', "Partial resynchronization not possible (no cached master)")
	} else {
		m.opts.Log('*', "Trying a partial resynchronization (request %s:%d).", id, offset+1)
	}
	a, err := p.PSync(id, offset, failover)
	if failover {
		l.decide(err)
	}
	if err != nil {
		return err
	}
	if !a.Full {
		m.opts.Log('*', "Successful partial resynchronization with master.")
		return l.connected(conn, func() error { return m.continueHistory(a.ID) })
	}
	m.opts.Log('*', "Full resync from master: %s:%d", a.ID, a.Offset)
	if err = l.enter(transfers); err != nil {
		return err
	}
	return l.fullSync(p, conn, a)
}

// decide ends a failover when its target has answered PSYNC: either the target is the master from
// now on, or this server is again. Without an answer the target may be the master already, so this
// server does not become one.
func (l *link) decide(err error) {
	m := l.master
	m.engine.With(func() {
		switch {
		case l.isOver():
		case err == nil:
			l.failover = false
			m.failedOver()
		case psync.Answered(err):
			m.abortFailover("Failover target rejected psync request")
		}
	})
}

// wanted returns the history to go on with and its offset; an empty id for none. failover is
// whether the master is to become a replica.
func (l *link) wanted() (id string, offset int64, failover bool) {
	m := l.master
	m.engine.With(func() {
		if m.stream.running && !l.distrusts {
			id, offset, failover = m.stream.id, m.stream.offset, l.failover
		}
	})
	return id, offset, failover
}

// connected makes the link connected, after begin has put the history in place. If begin returns an
// error, or the link has ended, it does nothing and returns the error.
func (l *link) connected(conn net.Conn, begin func() error) (err error) {
	m := l.master
	session := m.engine.ConnectMaster(l,
		engine.Endpoint{Addr: conn.RemoteAddr().String(), LocalAddr: conn.LocalAddr().String(), FD: -1})
	l.opened = session
	m.engine.With(func() {
		if err = errEnded; !l.isOver() {
			err = begin()
		}
		if err != nil {
			return
		}
		if db := m.stream.db; db > 0 && db < m.engine.Home().Keyspace.Len() { // the master may have more
			session.Select(db)
		}
		l.session, l.state, l.distrusts = session, connected, false
		l.lastInput, l.transfer = m.engine.Home().Micros(), transferred{}
		l.upSince = l.lastInput / 1e6
		if l.downSince != 0 {
			m.downFor += l.upSince - l.downSince
		}
		m.setRole()
	})
	return err
}

const (
	sliceItems = 256         // that are loaded between two looks at the clock
	aliveEvery = time.Second // for which the master hears nothing while a snapshot is loaded
)

// fullSync loads the snapshot that the master sends, beside the data that there are, and then
// replaces these.
func (l *link) fullSync(p *psync.Link, conn net.Conn, a psync.Answer) error {
	m := l.master
	size, src, err := p.Snapshot()
	if err != nil {
		return err
	}
	if size < 0 {
		m.opts.Log('*', "MASTER <-> REPLICA sync: receiving streamed RDB from master with EOF to parser")
	} else {
		m.opts.Log('*', "MASTER <-> REPLICA sync: receiving %d bytes from master to parser", size)
	}
	if l.flushes() {
		m.engine.StartLoading()
		defer m.engine.StopLoading()
	}
	var c *snapshot.Copy
	m.engine.With(func() {
		l.transfer = transferred{total: max(size, 0), at: m.engine.Home().Micros() / 1e6}
		c = snapshot.NewCopy(m.engine, src, max(size, 0), nil)
	})
	defer c.Close()
	m.opts.Log('*', "MASTER <-> REPLICA sync: Loading DB in memory")
	err = l.load(c, p, src)
	snapshot.LogSkipped(m.opts.Log, c.Skipped())
	if err == nil {
		err = l.connected(conn, func() error { return m.beginHistory(c, a) })
	}
	if err != nil {
		c.Discard()
		return err
	}
	m.opts.Log('*', "MASTER <-> REPLICA sync: Finished with success")
	return nil
}

// flushes removes the data before others are loaded, if repl-diskless-load says so, and reports
// whether it did. The history ends with them: no replica can continue it from here.
func (l *link) flushes() (yes bool) {
	m := l.master
	m.engine.With(func() {
		if yes = m.params.load == flushFirst && !l.isOver(); yes {
			m.opts.Log('*', "MASTER <-> REPLICA sync: Flushing old data")
			m.engine.Home().FlushAll()
			m.dropReplicas()
			m.stopStream()
		}
	})
	return yes
}

// load loads the whole snapshot.
func (l *link) load(c *snapshot.Copy, p *psync.Link, src io.Reader) error {
	alive := time.Now()
	for more := true; more; {
		var err error
		if more, err = c.Load(sliceItems); err != nil {
			return err
		}
		if now := time.Now(); now.Sub(alive) >= aliveEvery || !more {
			alive = now
			if err = l.progress(c, p); err != nil {
				return err
			}
		}
	}
	_, err := io.Copy(io.Discard, src) // the end of the snapshot, if only a mark shows it
	return err
}

// progress notes how far the transfer is, and tells the master that this server is alive.
func (l *link) progress(c *snapshot.Copy, p *psync.Link) (err error) {
	m := l.master
	m.engine.With(func() {
		if err = errEnded; !l.isOver() {
			m.traffic.in += c.Bytes() - l.transfer.read
			l.transfer.read, l.transfer.at, err = c.Bytes(), m.engine.Home().Micros()/1e6, nil
		}
	})
	if err == nil {
		err = p.Alive()
	}
	return err
}
