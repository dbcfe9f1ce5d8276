package engine

import (
	"bytes"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/resp"
)

// Session is one client's state: a connection, a script, or a caller in process.
type Session struct {
	ID    int64
	Reply *resp.Writer
	Peer  Peer // the connection; nil for a session without a socket

	Name, LibName, LibVer string
	Addr, LocalAddr       string

	// Held and Unsent are the bytes that the connection holds back unexecuted and unsent, kept up
	// to date by it for CLIENT LIST.
	Held, Unsent atomic.Int64

	engine       *Engine
	db           int
	user         *acl.User
	authed       bool
	closing      bool // close once the replies are out
	noTouch      bool
	noEvict      bool
	monitor      bool
	unix         bool // connected through a unix socket
	fd           int
	script       bool     // a script's session: never parks, cannot nest transactions
	caller       *Session // whose script it is
	loader       bool     // a loader's: see Loader
	failure      error    // the first error in the reply to a loader
	readOnly     bool     // a read-only script's
	startedOOM   bool     // a script's that began short of memory
	wrote        bool     // a script's that called a command that writes
	reply        replyMode
	tx           *transaction
	watches      []dbKey
	dirtyCAS     bool // a watched key was touched
	blocked      *Blocked
	postponed    bool // waits for the end of a pause
	tracker      *tracker
	running      bool // its slow script goes on elsewhere
	wakePending  bool // Peer.Wake was called and nothing was collected since
	subs         subscriptions
	replica      Replica // nil if it never spoke like one
	created      int64
	lastActive   int64 // microseconds, of the last command
	last         *Command
	ownBuffer    []byte // the reply buffer that is being sent, if nobody lends one
	lentBuffer   []byte // lent for the next replies
	borrows      bool
	earlyReplies []byte // replies to send ahead of a slow script's
}

// EnterScript prepares a script's session for a run on behalf of caller. A readOnly run may not
// write; one that is short of memory may not begin with what needs more of it.
func (s *Session) EnterScript(caller *Session, readOnly, short bool) {
	s.caller, s.db, s.user = caller, caller.db, caller.user
	s.readOnly, s.startedOOM, s.wrote = readOnly, short, false
	s.Reply.Reset()
	s.Reply.SetProto(2)
}

// Wrote reports whether the script's run executed a command that writes.
func (s *Session) Wrote() bool { return s.wrote }

// InScript reports whether the session is a script's.
func (s *Session) InScript() bool { return s.script }

// DB returns the number of the selected database.
func (s *Session) DB() int { return s.db }

// Select selects a database by number.
func (s *Session) Select(db int) { s.db = db }

// Authed reports whether the session may run commands beyond AUTH and HELLO. It is for the
// session's own event loop.
func (s *Session) Authed() bool { return s.authed }

// Closing reports whether the connection is to be closed once the replies are out.
func (s *Session) Closing() bool { return s.closing }

// CloseAfterReply marks the session for closing.
func (s *Session) CloseAfterReply() { s.closing = true }

// isStopped reports whether no further command of the session may run now.
func (s *Session) isStopped() bool { return s.closing || s.blocked != nil || s.running || s.postponed }

// Lend gives the session a buffer for the replies of its next Do, which hands it on in Outcome.Out.
// So an idle session holds none; one that was never lent a buffer keeps its own. It is for the
// session's own event loop.
func (s *Session) Lend(buf []byte) { s.lentBuffer, s.borrows = buf, true }

// useLentBuffer makes the replies go to the buffer that was lent, if there are none yet.
func (s *Session) useLentBuffer() {
	if s.Reply.Len() == 0 && s.lentBuffer != nil {
		s.Reply.Swap(s.lentBuffer)
	}
	s.lentBuffer = nil
}

// maxOwnBuffer is the largest reply buffer, in bytes, that a session keeps for the next replies.
const maxOwnBuffer = 1 << 20

// maxPushBuffer is the largest buffer, in bytes, that a session which listens keeps for the next messages,
// although it is lent buffers for replies.
const maxPushBuffer = 16 << 10

// Peer is the session's connection, as far as the engine must reach it outside of Do.
type Peer interface {
	// Wake says that Reply was appended to, or that the session was unparked or marked for closing,
	// outside of the session's own Do. It must not block and is called under the lock.
	Wake()
}

// Wake makes the connection send what was written to Reply outside of the session's own Do; one call serves all
// that gathers until it does. It is called under the lock.
func (s *Session) Wake() {
	if s.Peer != nil && !s.wakePending {
		s.wakePending = true
		s.Peer.Wake()
	}
}

type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // CLIENT REPLY SKIP was just executed
	replySkip     // the current command's reply is skipped
)

// afterCommand drops the reply that CLIENT REPLY wants dropped.
func (s *Session) afterCommand(start int) {
	switch s.reply {
	case replyOn:
	case replyOff, replySkip:
		s.Reply.Truncate(start)
		if s.reply == replySkip {
			s.reply = replyOn
		}
	case replySkipNext:
		s.reply = replySkip
	}
}

// Class is the kind of a client.
type Class int

// The classes of clients, in the order of client-output-buffer-limit.
const (
	ClassNormal  Class = iota
	ClassReplica       // a replica
	ClassPubSub        // to channels
)

func (s *Session) class() Class {
	switch {
	case s.attached():
		return ClassReplica
	case s.subscribed():
		return ClassPubSub
	}
	return ClassNormal
}

// Replica is what a part keeps of a session that is a replica, or means to become one. It is called under the
// lock.
type Replica interface {
	// Attached reports whether the session has asked for the data. Then it is of the class Replicating, and may
	// only run commands of replication.
	Attached() bool
	// Detach ends that, because the session ends or is reset.
	Detach()
}

// Replica returns what SetReplica set, nil if it never did.
func (s *Session) Replica() Replica { return s.replica }

// SetReplica keeps r with the session until it ends or is reset.
func (s *Session) SetReplica(r Replica) { s.replica = r }

// attached reports whether the session is an attached replica.
func (s *Session) attached() bool { return s.replica != nil && s.replica.Attached() }

// sessions is the register of connected sessions.
type sessions struct {
	monitors []*Session
	ByID     map[int64]*Session
	next     int64
}

func newSessions() sessions { return sessions{ByID: make(map[int64]*Session), next: 1} }

// recordFailure ends a call of a loader's. The first error counts.
func (s *Session) recordFailure(reply []byte) {
	if len(reply) > 0 && reply[0] == '-' && s.failure == nil {
		s.failure = Error(bytes.TrimSpace(reply[1:]))
	}
}
