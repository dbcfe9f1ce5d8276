package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/resp"
)

// NewSession registers a session. The caller must Close it.
func (e *Engine) NewSession(peer Peer) *Session { return e.Connect(peer, Endpoint{FD: -1}) }

// Connect registers a session that comes over a connection. The caller must Close it.
func (e *Engine) Connect(peer Peer, from Endpoint) *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.home.readClock()
	s := e.bareSession()
	s.Peer = peer
	s.Endpoint = from
	if from.World != nil {
		s.world = from.World
		s.world.readClock()
		s.created, s.lastActive = s.world.time.micros, s.world.time.micros
	}
	s.ID = e.Sessions.next
	e.Sessions.next++
	e.Sessions.ByID[s.ID] = s
	s.world.clients[s.ID] = s
	s.regroup()
	e.stats.connections++
	return s
}

// NewOperator registers a session in a world for the program itself, which need not log in and may
// do everything. No pause holds its commands up, and no fault or outage strikes them. The caller
// must Close it.
func (e *Engine) NewOperator(peer Peer, w *World) *Session {
	s := e.NewSession(peer)
	e.mu.Lock()
	defer e.mu.Unlock()
	s.operator, s.authed, s.everAuthed, s.user = true, true, true, acl.Default(nil)
	s.MoveTo(w)
	return s
}

func (e *Engine) bareSession() *Session {
	s := &Session{
		Reply: resp.NewWriter(2), engine: e, world: e.home, created: e.home.time.micros, lastActive: e.home.time.micros,
		user: e.Users.Default(), authed: !e.Users.RequiresAuth(), everAuthed: !e.Users.RequiresAuth(),
	}
	s.maxReply = math.MaxInt
	s.Reply.SetAll17(!e.Release.Has(shortDoubles))
	return s
}

// NewScriptSession returns a session for commands run by a script. It is not registered.
func (e *Engine) NewScriptSession() *Session {
	s := e.bareSession()
	s.script, s.authed, s.everAuthed = true, true, true
	return s
}

// Close ends a session, with its watches, subscriptions, blocked command and transaction, and
// serves who has waited for that. It may be called twice.
func (e *Engine) Close(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.world.disconnect(s)
	s.release()
	s.world.ServeBlocked()
}

func (w *World) disconnect(s *Session) {
	s.closing = true
	if s.debugger != nil {
		s.debugger.Close()
		s.debugger = nil
	}
	w.detach(s)
	if s.blocked != nil {
		w.blocked.remove(s.blocked)
	}
	if s.delay != nil {
		w.faults.remove(s.delay)
	}
	if w.engine.Sessions.ByID[s.ID] == s {
		delete(w.engine.Sessions.ByID, s.ID)
		delete(s.world.clients, s.ID)
		s.ungroup()
	}
}

// detach ends what a session set up with earlier commands, when it closes and for RESET.
func (w *World) detach(s *Session) {
	s.endTx()
	s.Debug = NoDebug
	s.dropReserve()
	w.engine.detachParts(s)
	if s.replica != nil {
		s.replica.Detach()
		s.replica = nil
	}
}

// MoveTo moves the session to database 0 of another world, and ends what it set up in the old one:
// transaction, watches, subscriptions, tracking, MONITOR. The session must not be blocked. The
// command that calls it goes on in the old world.
func (s *Session) MoveTo(w *World) {
	s.world.detach(s)
	delete(s.world.clients, s.ID)
	w.clients[s.ID] = s
	ahead := w.time.clock() - s.world.time.micros
	s.created, s.lastActive = s.created+ahead, s.lastActive+ahead
	s.world, s.db = w, 0
}

// Disconnect ends the session and its connection at once, as Redis' freeClient does: what the
// client has not read yet it never gets. It is called under the lock.
func (s *Session) Disconnect() {
	s.dropped = true
	s.world.disconnect(s)
	s.Wake()
}

// DisconnectBy is Disconnect by a command of a session, after the reply if that is the same one.
func (s *Session) DisconnectBy(caller *Session) {
	if s == caller {
		s.CloseAfterReply()
		return
	}
	s.Disconnect()
}

// Reset makes the session as it was when it began, but for its world: RESET.
func (s *Session) Reset() {
	s.world.detach(s)
	s.db, s.Name = 0, ""
	s.SetModes(func(m *Modes) { *m = Modes{} })
	if s.reply == ReplyOff {
		s.reply = ReplyOn // SKIP still applies to this reply
	}
	s.user, s.authed = s.engine.Users.Default(), !s.engine.Users.RequiresAuth()
	s.Reply.SetProto(2)
}

// Authenticated reports whether the session may run commands beyond AUTH and HELLO: it has
// authenticated, or the default user needs no password.
func (s *Session) Authenticated() bool { return s.authed || !s.engine.Users.RequiresAuth() }
