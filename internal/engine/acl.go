package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/permission"
)

// Users, and what becomes of a command that its user may not run. Package acl has the rules.

// Login gives the session a user, if the password is right.
func (c *Call) Login(name, password []byte) bool {
	u := c.Engine.Users.Named(string(name))
	var admitted func()
	if guests := c.Engine.Parts.guests; u == nil && guests != nil {
		if password, admitted = guests(c, name, password); admitted != nil {
			u = c.Engine.Users.Default()
		}
	}
	if u == nil || !u.Authenticate(password) {
		c.Engine.refused(c.Session, Refusal{Reason: "auth", Object: string(c.Args[0]), User: string(name)})
		return false
	}
	c.Session.become(u)
	if admitted != nil {
		admitted()
	}
	return true
}

// become gives the session a user that may be it.
func (s *Session) become(u *acl.User) {
	s.user, s.authed, s.everAuthed, s.loggedIn = u, true, true, true
	s.limitReplies()
}

// LoginCertified gives the session the first of the users named by its client's certificate that
// there is and that is on, without a password. Without one it stays who it was, which ACL LOG tells
// with the last name. It is called under the lock.
func (s *Session) LoginCertified(names []string) {
	e := s.engine
	for _, name := range names {
		if u := e.Users.Named(name); u != nil && u.Enabled() {
			e.Log('-', "TLS: Auto-authenticated client as %s", name)
			s.become(u)
			return
		}
	}
	e.refused(s, Refusal{Reason: "tls-cert", User: names[len(names)-1]})
}

// AskForLogins lets who has never logged in do no more, if the default user needs a password by
// now. Redis lets clients go on that came before. It is called under the lock.
func (e *Engine) AskForLogins() {
	for _, s := range e.Sessions.ByID {
		if s.Peer != nil && !s.loggedIn && s.user == e.Users.Default() {
			s.authed = !e.Users.RequiresAuth()
		}
	}
}

// denials are the errors for each reason; those that are formats name the user and the command.
type denials [acl.NoChannel + 1]command.Error

var (
	denied = denials{acl.NoDatabase: ErrDeniedDatabase, acl.NoCommand: ErrDeniedCommand, acl.NoKey: ErrDeniedKey,
		acl.NoChannel: ErrDeniedChannel}
	deniedQueued = denials{acl.NoDatabase: ErrDeniedDatabaseTx, acl.NoCommand: ErrDeniedCommandTx,
		acl.NoKey: ErrDeniedKeyTx, acl.NoChannel: ErrDeniedChannelTx}
	deniedScript = denials{acl.NoDatabase: ErrDeniedDatabaseLua, acl.NoCommand: ErrDeniedCommandLua,
		acl.NoKey: ErrDeniedKeyLua, acl.NoChannel: ErrDeniedChannelLua}

	denialNames = [...]string{acl.NoDatabase: "database", acl.NoCommand: "command", acl.NoKey: "key",
		acl.NoChannel: "channel"}
)

// checkPermission returns the error that refuses a command of the session's user, nil if it is
// allowed. It logs a refusal. errs has the errors for the place: a client's command, EXEC or a
// script.
func (w *World) checkPermission(s *Session, cmd *command.Command, args [][]byte, errs *denials) error {
	if !s.user.Limited() {
		return nil
	}
	why, object := permission.Examine(s.user, cmd, args, s.Scope())
	if why == acl.Allowed {
		return nil
	}
	w.engine.refused(s, Refusal{Reason: denialNames[why], Object: object, User: s.user.Name})
	return w.engine.Commands.Errorf(errs[why], s.user.Name, cmd.FullName())
}

// Scope returns the databases where the session's commands run.
func (s *Session) Scope() permission.Scope {
	return permission.Scope{Selected: s.db, Count: s.world.Keyspace.Len()}
}

// MayReadAll reports whether the user may read every key with the command, of which the arguments
// name only some. Before Redis 7.0 everybody may.
func (c *Call) MayReadAll() bool {
	u := c.Session.user
	return !u.Limited() || !c.Has(acl.Selects) || u.MayReadAll(permission.Request(u, c.Cmd, c.Args, c.Session.Scope()))
}

// MayRead reports whether the user may read a key, which no argument of the command names.
func (c *Call) MayRead(key []byte) bool {
	u := c.Session.user
	return !u.Limited() || u.MayRead(key)
}

// refused counts a refusal and tells the parts.
func (e *Engine) refused(s *Session, r Refusal) {
	e.stats.denied[slices.Index(refusalReasons[:], r.Reason)]++
	r.Context = "toplevel"
	switch {
	case s.script:
		r.Context, s = "lua", s.caller
	case s.tx != nil:
		r.Context = "multi"
	}
	for _, p := range e.Parts.List {
		if p.Refused != nil {
			p.Refused(s, r)
		}
	}
}

// HasPassword reports whether the default user needs a password. It takes the lock.
func (e *Engine) HasPassword() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.Users.Default().NoPass()
}

// User returns the user as whom the session runs.
func (s *Session) User() *acl.User { return s.user }
