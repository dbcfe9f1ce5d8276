package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
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
	c.Session.user, c.Session.authed, c.Session.everAuthed = u, true, true
	c.Session.limitReplies()
	if admitted != nil {
		admitted()
	}
	return true
}

// aclCommands gives package acl access to the command table.
type aclCommands struct{ e *Engine }

// Commands implements acl.Catalogue.
func (t aclCommands) Commands(name string) (numbers []int) {
	cmd := t.e.Commands.Original(name)
	if cmd == nil {
		return nil
	}
	numbers = append(numbers, cmd.ID)
	for _, sub := range cmd.Subs {
		numbers = append(numbers, sub.ID)
	}
	return numbers
}

// Category implements acl.Catalogue.
func (t aclCommands) Category(name string) (numbers []int, ok bool) {
	if name != "all" && !slices.Contains(command.CategoryOrder, name) {
		return nil, false
	}
	for _, cmd := range t.e.Commands.InCategory(name) {
		numbers = append(numbers, cmd.ID)
	}
	return numbers, true
}

// request returns the command as package acl needs it.
func request(cmd *command.Command, args [][]byte) *acl.Request {
	r := &acl.Request{Number: cmd.ID, Free: cmd.Flags&command.NoAuth != 0, Args: args, First: 1}
	if cmd.Parent != nil {
		r.First = 2
	}
	switch f := cmd.Flags; {
	case f&command.ToChannel != 0 && len(args) > 1:
		r.Channels = []int{1}
	case f&(command.ToChannels|command.ToPatterns) != 0:
		for i := 1; i < len(args); i++ {
			r.Channels = append(r.Channels, i)
		}
		r.Patterns = f&command.ToPatterns != 0
	case !cmd.Keys.IsEmpty():
		keys, _ := cmd.Keys.At(args)
		for _, key := range keys {
			r.Keys = append(r.Keys, acl.Key{At: key.At, Access: accessBits(key.Access)})
		}
	}
	return r
}

// accessBits returns what a use of a key, in COMMAND's words, needs.
func accessBits(use string) (a acl.Access) {
	for _, word := range strings.Fields(use) {
		switch word {
		case "access":
			a |= acl.Read
		case "insert", "delete", "update":
			a |= acl.Write
		}
	}
	return a
}

// denials are the errors for each reason; those that are formats name the user and the command.
type denials [acl.NoChannel + 1]command.Error

var (
	denied       = denials{acl.NoCommand: ErrDeniedCommand, acl.NoKey: ErrDeniedKey, acl.NoChannel: ErrDeniedChannel}
	deniedQueued = denials{acl.NoCommand: ErrDeniedCommandTx, acl.NoKey: ErrDeniedKeyTx, acl.NoChannel: ErrDeniedChannelTx}
	deniedScript = denials{acl.NoCommand: ErrDeniedCommandLua, acl.NoKey: ErrDeniedKeyLua, acl.NoChannel: ErrDeniedChannelLua}

	denialNames = [...]string{acl.NoCommand: "command", acl.NoKey: "key", acl.NoChannel: "channel"}
)

// Examine returns why a user may not run a command, and the command, the key or the channel that is denied.
func Examine(u *acl.User, cmd *command.Command, args [][]byte) (why acl.Denial, object string) {
	why, at := u.Check(request(cmd, args))
	if why == acl.NoKey || why == acl.NoChannel {
		return why, string(args[at])
	}
	return why, cmd.FullName()
}

// checkPermission returns the error that refuses a command of the session's user, nil if it is allowed. It logs
// a refusal. errs has the errors for the place: a client's command, EXEC or a script.
func (w *World) checkPermission(s *Session, cmd *command.Command, args [][]byte, errs *denials) error {
	if !s.user.Limited() {
		return nil
	}
	why, object := Examine(s.user, cmd, args)
	if why == acl.Allowed {
		return nil
	}
	w.engine.refused(s, Refusal{Reason: denialNames[why], Object: object, User: s.user.Name})
	return w.engine.Errorf(errs[why], s.user.Name, cmd.FullName())
}

// MayReadAll reports whether the user may read every key with the command, of which the arguments name only some. Before Redis 7.0
// everybody may.
func (c *Call) MayReadAll() bool {
	u := c.Session.user
	return !u.Limited() || !c.Has(acl.Selects) || u.MayReadAll(request(c.Cmd, c.Args))
}

// Permits reports whether the user of a script's session may run a command.
func (e *Engine) Permits(s *Session, cmd *command.Command, args [][]byte) bool {
	why, _ := s.user.Check(request(cmd, args))
	return why == acl.Allowed
}

// UserMayRun reports whether a user may run a command, for a part that asks on his behalf. One who has not given a password may do
// what the default user may that needs none. It takes the lock.
func (e *Engine) UserMayRun(name string, authed bool, args [][]byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	u := e.Users.Named(name)
	cmd, err := e.Commands.Resolve(args)
	if u == nil || !u.Enabled() || err != nil || !authed && e.Users.RequiresAuth() {
		return false
	}
	why, _ := u.Check(request(cmd, args))
	return why == acl.Allowed
}

// EndSessionsOf ends all sessions of a user; or, unless all, those in which a part has set up what his rules no longer
// permit. The caller's own ends after its reply.
func (e *Engine) EndSessionsOf(u *acl.User, caller *Session, all bool) {
	for _, s := range inOrder(e.Sessions.ByID) {
		if s.user == u && (all || !e.permits(u, s)) {
			s.DisconnectBy(caller)
		}
	}
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
