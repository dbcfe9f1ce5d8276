package replication

import (
	"context"
	"io"
	"sync"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// link is the connection to this server's master. One goroutine runs it, from REPLICAOF until the
// next REPLICAOF, but for the stream, see follow:
//
//	connect ─▶ connecting ─▶ handshake ─┬─▶ transfer ─┬─▶ connected ─┐
//	   ▲                                └─────────────┘              │
//	   └─ after an error a second later, after a lost link at once ──┘
//
// With +FULLRESYNC comes a snapshot, which is loaded in the state transfer; with +CONTINUE the
// stream goes on where it broke off. The fields are guarded by the engine's lock, except those of
// the connection.
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
	upSince   int64           // seconds since the epoch
	downSince int64           // the same; 0 if no master was ever connected
	attempts  attempts
	transfer  transferred
	failover  bool            // the next PSYNC tells the master to become a replica
	distrusts bool            // the stream was damaged: only a snapshot says what the master has
	logged    map[string]bool // lines that need not be logged again

	unloadable int // snapshots since the link was connected

	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	askAck chan struct{} // of capacity 1: the master wants an acknowledgement
	connMu sync.Mutex
	conn   io.Closer // nil if there is none
}

// attempts counts the connections that were tried.
type attempts struct{ since, all int } // since the master was lost

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
var linkStates = [...]string{connect: "connect", connecting: "connecting", handshake: "handshake", transfers: "sync",
	connected: "connected"}

func (m *Master) newLink(host string, port int64) *link {
	l := &link{master: m, host: host, port: port, logged: map[string]bool{}, askAck: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
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

// closeSession ends the session of the master, which runs no command now. It is called under the
// lock.
func (l *link) closeSession() {
	if s := l.session; s != nil {
		l.session = nil
		s.Disconnect()
	}
}

// Wake implements engine.Peer: it closes the connection if the session of the master was closed, as
// by CLIENT KILL, or the link has ended.
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

// use makes conn the connection, which Wake closes; nil for none. It returns false if the link has
// ended.
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
			if state == connecting {
				l.attempts = attempts{l.attempts.since + 1, l.attempts.all + 1}
			}
		}
	})
	return err
}

// logOnce logs a line unless the link has logged it before.
func (l *link) logOnce(line string) {
	if !l.logged[line] {
		l.logged[line] = true
		l.master.opts.Log('*', "%s", line)
	}
}
