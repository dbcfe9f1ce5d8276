package replication

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/replication/psync"
	"github.com/miniserver-go/miniserver/resp"
)

// link is the connection to this server's master. One goroutine runs it, from REPLICAOF until the next REPLICAOF, but for the stream, see follow:
//
//	connect ─▶ connecting ─▶ handshake ─┬─▶ transfer ─┬─▶ connected ─┐
//	   ▲                                └─────────────┘              │
//	   └─ after an error a second later, after a lost link at once ──┘
//
// With +FULLRESYNC comes a snapshot, which is loaded in the state transfer; with +CONTINUE the stream goes on where it broke off.
// The fields are guarded by the engine's lock, except those of the connection.
type link struct {
	master *Master
	host   string
	port   int64

	state     linkState
	session   *engine.Session // of the master; nil unless connected
	opened    *engine.Session // the last one, which the goroutine has to close
	pending   []byte          // the stream since a MULTI whose EXEC has not come
	fsynced   int64           // offset up to which the journal has the stream on disk
	awaits    bool            // the journal has been asked to report that
	lastInput int64           // microseconds since the epoch; 0 before the first
	downSince int64           // seconds since the epoch; 0 if never connected
	transfer  transferred
	failover  bool            // the next PSYNC tells the master to become a replica
	distrusts bool            // the stream was damaged: only a snapshot says what the master has
	logged    map[string]bool // lines that need not be logged again

	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	askAck chan struct{} // of capacity 1: the master wants an acknowledgement
	connMu sync.Mutex
	conn   io.Closer // nil if there is none
}

// transferred is how far the transfer of a snapshot is.
type transferred struct{ total, read, at int64 } // bytes, total 0 if unknown; the last input in seconds since the epoch

// linkState is a stage of the link, with Redis' names.
type linkState int

const (
	connect    linkState = iota // the next attempt is due
	connecting                  // a connection is being made
	handshake                   // the replica introduces itself, and asks for the stream
	transfers                   // a snapshot arrives
	connected                   // the stream arrives
)

// linkStates are the names of the states in ROLE.
var linkStates = [...]string{connect: "connect", connecting: "connecting", handshake: "handshake", transfers: "sync", connected: "connected"}

func (m *Master) newLink(host string, port int64) *link {
	l := &link{master: m, host: host, port: port, logged: map[string]bool{}, askAck: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// run keeps the link up until end.
func (l *link) run() {
	for !l.isOver() {
		wasConnected, err := l.attempt()
		l.lost(wasConnected, err)
		if l.opened != nil {
			l.master.engine.Close(l.opened)
		}
		if wasConnected && !l.distrusts {
			continue
		}
		select {
		case <-l.ctx.Done():
		case <-time.After(l.master.retryAfter):
		}
	}
}

// isOver reports whether the link was ended.
func (l *link) isOver() bool {
	return l.ctx.Err() != nil
}

// end ends the link for good. It is called under the lock.
func (l *link) end() {
	l.cancel()
	l.closeSession()
	l.Wake()
}

// closeSession ends the session of the master, which runs no command now. It is called under the lock.
func (l *link) closeSession() {
	if s := l.session; s != nil {
		l.session = nil
		s.Disconnect()
	}
}

// Wake implements engine.Peer: it closes the connection if the session of the master was closed, as by CLIENT KILL, or the link
// has ended.
func (l *link) Wake() {
	if s := l.session; s != nil && !s.Closing() {
		return
	}
	l.connMu.Lock()
	defer l.connMu.Unlock()
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// use makes conn the connection, which Wake closes; nil for none. It returns false if the link has ended.
func (l *link) use(conn io.Closer) bool {
	l.connMu.Lock()
	defer l.connMu.Unlock()
	l.conn = conn
	return !l.isOver()
}

// enter changes the state. It returns an error if the link has ended.
func (l *link) enter(state linkState) (err error) {
	l.master.engine.With(func() {
		if err = errEnded; !l.isOver() {
			l.state, err = state, nil
		}
	})
	return err
}

// attempt connects, synchronizes, and follows the stream. It returns when the connection is lost, with the reason.
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

// options returns how this server introduces itself.
func (l *link) options() (o psync.Options, timeout time.Duration) {
	m := l.master
	m.engine.With(func() {
		p := &m.params
		timeout = time.Duration(p.timeout) * time.Second
		o = psync.Options{User: p.masterUser, Password: p.masterAuth, IP: p.announceIP, Port: int(m.announcedPort()),
			Version: m.version(), Like: m.engine.Release.Name, Timeout: timeout, MaxArg: m.engine.Config.ProtoMaxBulk}
	})
	return o, timeout
}

// version returns the version that a replica tells: those of Valkey do.
func (m *Master) version() string {
	if m.engine.Release.Has(tellsVersion) {
		return m.engine.Release.Version
	}
	return ""
}

// shake introduces this server to the master.
func (l *link) shake(conn net.Conn, o psync.Options) (*psync.Link, error) {
	if err := l.enter(handshake); err != nil {
		return nil, err
	}
	p, err := psync.Handshake(conn, o)
	if err != nil {
		return nil, err
	}
	l.master.opts.Log('*', "Master replied to PING, replication can continue...")
	for _, refusal := range p.Unknown {
		l.logOnce("(Non critical) Master does not understand " + refusal)
	}
	return p, nil
}

// logOnce logs a line unless the link has logged it before.
func (l *link) logOnce(line string) {
	if !l.logged[line] {
		l.logged[line] = true
		l.master.opts.Log('*', "%s", line)
	}
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
			l.downSince = m.engine.Home().Micros() / 1e6
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
