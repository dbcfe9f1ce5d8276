package engine

import (
	"github.com/miniserver-go/miniserver/resp"
)

// Session is one client's state: a connection, a script, or a caller in process.
type Session struct {
	ID    int64
	Reply *resp.Writer
	Peer  Peer // the connection; nil for a session without a socket

	Name, LibName, LibVer string
	Addr, LocalAddr       string

	engine   *Engine
	db       int
	authed   bool
	closing  bool // close once the replies are out
	noTouch  bool
	noEvict  bool
	script   bool // a script's session: never parks, cannot nest transactions
	readOnly bool // a read-only script's
	reply    replyMode
	tx       *transaction
	watches  []dbKey
	stale    bool // a watched key was touched
	waiter   *waiter
	running  bool // its slow script goes on elsewhere
	woken    bool // Peer.Wake was called and nothing was collected since
	subs     subscriptions
	created  int64
	seen     int64 // microseconds, of the last command
	last     *Command
	spare    []byte // the reply buffer that is being sent
}

// Peer is the session's connection, as far as the engine must reach it outside of Do.
type Peer interface {
	// Wake says that Reply was appended to, or that the session was unparked or marked for closing,
	// outside of the session's own Do. It must not block and is called under the lock.
	Wake()
}

type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // CLIENT REPLY SKIP was just executed
	replySkip     // the current command's reply is skipped
)

// sessions is the register of connected sessions.
type sessions struct {
	byID map[int64]*Session
	next int64
}

func newSessions() sessions { return sessions{byID: make(map[int64]*Session), next: 1} }

// NewSession registers a session. The caller must Close it.
func (e *Engine) NewSession(peer Peer) *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sample()
	s := e.bareSession()
	s.Peer = peer
	s.ID = e.sessions.next
	e.sessions.next++
	e.sessions.byID[s.ID] = s
	e.stats.connections++
	return s
}

func (e *Engine) bareSession() *Session {
	return &Session{
		Reply: resp.NewWriter(2), engine: e, created: e.micros, seen: e.micros,
		authed: e.Config.Password == "",
	}
}

// NewScriptSession returns a session for commands run by a script. It is not registered.
func (e *Engine) NewScriptSession() *Session {
	s := e.bareSession()
	s.script, s.authed = true, true
	return s
}

// EnterScript prepares a script's session for a run on behalf of caller.
func (s *Session) EnterScript(caller *Session, readOnly bool) {
	s.db, s.readOnly = caller.db, readOnly
	s.Reply.Reset()
	s.Reply.SetProto(2)
}

// Close ends a session: its watches, its waiter and its transaction go. It may be called twice.
func (e *Engine) Close(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(s)
}

func (e *Engine) forget(s *Session) {
	s.closing = true
	e.unwatch(s)
	e.unsubscribeAll(s)
	s.tx = nil
	if s.waiter != nil {
		e.waiting.remove(s.waiter)
		s.waiter = nil
	}
	delete(e.sessions.byID, s.ID)
}

// DB returns the number of the selected database.
func (s *Session) DB() int { return s.db }

// Select selects a database by number.
func (s *Session) Select(db int) { s.db = db }

// InScript reports whether the session is a script's.
func (s *Session) InScript() bool { return s.script }

// Closing reports whether the connection is to be closed once the replies are out.
func (s *Session) Closing() bool { return s.closing }

// CloseAfterReply marks the session for closing.
func (s *Session) CloseAfterReply() { s.closing = true }

// Authed reports whether the session may run commands beyond AUTH and HELLO. It is for the
// session's own event loop.
func (s *Session) Authed() bool { return s.authed }

// collect hands out the replies for sending, and takes back the buffer handed out before.
func (s *Session) collect() Outcome {
	s.woken = false
	o := Outcome{Parked: s.waiter != nil || s.running, Closing: s.closing}
	if s.running {
		return o // the script goes on writing
	}
	s.spare = s.Reply.Swap(s.spare)
	o.Out = s.spare
	if cap(s.spare) > maxSpare {
		s.spare = nil
	}
	return o
}

// wake has the session's connection send what was written outside of its own Do; one call serves all
// that gathers until it does.
func (s *Session) wake() {
	if s.Peer != nil && !s.woken {
		s.woken = true
		s.Peer.Wake()
	}
}

// maxSpare is the largest reply buffer, in bytes, that is kept for the next replies.
const maxSpare = 64 << 10

// stopped reports whether no further command of the session may run now.
func (s *Session) stopped() bool { return s.closing || s.waiter != nil || s.running }

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
