package replication

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/internal/replication/psync"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// run keeps the link up until end.
func (l *link) run() {
	for !l.isOver() {
		wasConnected, err := l.attempt()
		l.lost(wasConnected, err)
		if l.opened != nil {
			l.master.engine.Close(l.opened)
		}
		pause := l.pause(wasConnected, err)
		if wasConnected && !l.distrusts {
			continue
		}
		select {
		case <-l.ctx.Done():
		case <-time.After(pause):
		}
	}
}

// doublings bounds how often the pause doubles.
const doublings = 6

// pause returns how long to wait after an attempt. Each snapshot is work for the master: if this
// server can load none of them, it asks less and less often.
func (l *link) pause(wasConnected bool, err error) time.Duration {
	pause := l.master.retryAfter
	var damage *rdb.Error
	switch {
	case wasConnected:
		l.unloadable = 0
	case errors.As(err, &damage) && !damage.Cut():
		pause <<= min(l.unloadable, doublings)
		l.unloadable++
	}
	return pause
}

// attempt connects, synchronizes, and follows the stream. It returns when the connection is lost,
// with the reason.
func (l *link) attempt() (wasConnected bool, err error) {
	m := l.master
	if err = l.enter(connecting); err != nil {
		return false, err
	}
	m.opts.Log('*', "Connecting to MASTER %s:%d", l.host, l.port)
	o, timeout := l.options()
	conn, err := l.dial(timeout)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	defer l.use(nil)
	if !l.use(conn) {
		return false, errEnded
	}
	m.opts.Log('*', "MASTER <-> REPLICA sync started")
	p, err := l.shake(conn, o)
	if err != nil {
		l.logFailure(err)
		return false, err
	}
	if err = l.synchronize(p, conn); err != nil {
		l.logFailure(err)
		return false, err
	}
	return true, l.follow(p, conn)
}

// dial connects to the master.
func (l *link) dial(timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(l.ctx, timeout)
	defer cancel()
	conn, err := l.master.opts.Dial(ctx, l.host, strconv.FormatInt(l.port, 10))
	if err != nil && !l.isOver() {
		l.master.opts.Log('#', "Error condition on socket for SYNC: %v", err)
	}
	return conn, err
}

// logFailure logs why a synchronization has failed, unless the link was ended.
func (l *link) logFailure(err error) {
	var refusal *psync.Refusal
	switch {
	case l.isOver():
	case errors.As(err, &refusal) && refusal.Later():
		l.master.opts.Log('*', "Master is currently unable to PSYNC but should be in the future: -%s", refusal.Reply)
	default:
		l.master.opts.Log('#', "MASTER <-> REPLICA sync: %v", err)
	}
}

// lost is called when the connection is over.
func (l *link) lost(wasConnected bool, err error) {
	m := l.master
	m.engine.With(func() {
		if l.isOver() {
			return
		}
		var flaw *resp.Flaw
		l.distrusts = l.distrusts || errors.As(err, &flaw)
		if l.state, l.pending = connect, nil; wasConnected {
			l.closeSession()
			l.downSince, l.attempts.since = m.engine.Home().Micros()/1e6, 0
			m.setRole()
		}
	})
	if !wasConnected || l.isOver() {
		return
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		m.opts.Log('*', "Connection with master lost.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		m.opts.Log('*', "MASTER timeout: no data nor PING received...")
	default:
		m.opts.Log('#', "Connection with master lost: %v", err)
	}
	if !l.distrusts {
		m.opts.Log('*', "Caching the disconnected master state.")
	}
	m.opts.Log('*', "Reconnecting to MASTER %s:%d", l.host, l.port)
}
