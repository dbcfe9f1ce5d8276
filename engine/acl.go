package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// Users, and what becomes of a command that its user may not run. Package acl has the rules.

// Login gives the session a user, if the password is right.
func (c *Call) Login(name, password []byte) bool {
	u := c.Engine.users.byName[string(name)]
	var admitted func()
	if guests := c.Engine.Parts.guests; u == nil && guests != nil {
		if password, admitted = guests(c, name, password); admitted != nil {
			u = c.Engine.users.defaultUser
		}
	}
	if u == nil || !u.Authenticate(password) {
		c.World.logDenial(c.Session, aclEntry{reason: "auth", object: string(c.Args[0]), user: string(name)})
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
	for _, cmd := range t.e.inCategory(name) {
		numbers = append(numbers, cmd.ID)
	}
	return numbers, true
}

// applyRule applies a rule, with the words that the release has. What a user is after "reset" is what acl-pubsub-default lets new ones be.
func (e *Engine) applyRule(u *acl.User, word string) error {
	apply := u.Apply
	if !e.Release.Has(selects) {
		apply = u.ApplyPlain
	}
	err := apply(word, aclCommands{e})
	if err == nil && strings.EqualFold(word, "reset") {
		err = u.Apply(e.users.channels, aclCommands{e})
	}
	if e.Release.Has(leavesSanitizing) {
		u.LeavePayload()
	}
	return err
}

// joinSelectors is [acl.JoinSelectors] in a release that has selectors.
func (e *Engine) joinSelectors(words []string) (joined []string, unmatched string) {
	if !e.Release.Has(selects) {
		return words, ""
	}
	return acl.JoinSelectors(words)
}

// inCategory returns the commands of a category and their subcommands, or all of them.
func (e *Engine) inCategory(name string) (list []*command.Command) {
	add := func(cmd *command.Command) {
		if name == "all" || slices.Contains(cmd.Categories(), "@"+name) {
			list = append(list, cmd)
		}
	}
	for _, cmd := range e.Commands.All() {
		add(cmd)
		for _, sub := range cmd.Subs {
			add(sub)
		}
	}
	return list
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

	// deniedDry are the texts of ACL DRYRUN, which name the user and the command, key or channel.
	deniedDry = denials{acl.NoCommand: ErrDryRunDenied, acl.NoKey: ErrDryRunKey, acl.NoChannel: ErrDryRunChannel}

	denialNames = [...]string{acl.NoCommand: "command", acl.NoKey: "key", acl.NoChannel: "channel"}
)

// accessWordings are the errors about users in older releases.
var accessWordings = []command.Wording{
	{Before: "7.2.0", Error: ErrDeniedCommand, Was: "NOPERM this user has no permissions to run the '%[2]s' command"},
	{Before: "7.2.0", Error: ErrDeniedKey, Was: "NOPERM this user has no permissions to access one of the keys used as arguments"},
	{Before: "7.2.0", Error: ErrDeniedChannel, Was: "NOPERM this user has no permissions to access one of the channels used as arguments"},
	{Before: "7.2.0", Error: ErrDeniedCommandLua, Was: "ERR The user executing the script can't run this command or subcommand"},
	{Before: "7.2.0", Error: ErrDeniedKeyLua, Was: "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments"},
	{Before: "7.2.0", Error: ErrDeniedChannelLua, Was: "ERR The user executing the script can't publish to the channel mentioned in the command"},
	{Before: "7.2.0", Error: ErrDryRunDenied, Was: "This user has no permissions to run the '%[2]s' command"},
	{Before: "7.2.0", Error: ErrDryRunKey, Was: "This user has no permissions to access the '%[2]s' key"},
	{Before: "7.2.0", Error: ErrDryRunChannel, Was: "This user has no permissions to access the '%[2]s' channel"},
	{Before: release.NoValkey, Error: ErrNoACLFile, Was: "ERR This instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a configuration file set) in order to store users in the configuration."},
	{Before: "7.0.0", Error: ErrDeniedCommand, Was: "NOPERM this user has no permissions to run the '%[2]s' command or its subcommand"},
}

// examine returns why a user may not run a command, and the command, the key or the channel that is denied.
func examine(u *acl.User, cmd *command.Command, args [][]byte) (why acl.Denial, object string) {
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
	why, object := examine(s.user, cmd, args)
	if why == acl.Allowed {
		return nil
	}
	w.logDenial(s, aclEntry{reason: denialNames[why], object: object, user: s.user.Name})
	return w.engine.Errorf(errs[why], s.user.Name, cmd.FullName())
}

// MayReadAll reports whether the user may read every key with the command, of which the arguments name only some. Before Redis 7.0
// everybody may.
func (c *Call) MayReadAll() bool {
	u := c.Session.user
	return !u.Limited() || !c.Has(selects) || u.MayReadAll(request(c.Cmd, c.Args))
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
	u := e.users.byName[name]
	cmd, err := e.Commands.Resolve(args)
	if u == nil || !u.Enabled() || err != nil || !authed && e.users.requiresAuth() {
		return false
	}
	why, _ := u.Check(request(cmd, args))
	return why == acl.Allowed
}

// closeClientsOf closes the sessions of a user that was deleted. The caller's own session closes after its
// reply.
func (e *Engine) closeClientsOf(caller *Session, u *acl.User) {
	for _, s := range inOrder(e.Sessions.ByID) {
		if s.user == u {
			s.DisconnectBy(caller)
		}
	}
}

// closeListenersOf closes a user's sessions with a subscription that the user's rules no longer allow.
func (e *Engine) closeListenersOf(caller *Session, u *acl.User) {
	for _, s := range inOrder(e.Sessions.ByID) {
		if s.user == u && !e.permits(u, s) {
			s.DisconnectBy(caller)
		}
	}
}

// logDenial logs a refusal.
func (w *World) logDenial(s *Session, entry aclEntry) {
	w.engine.stats.denied[slices.Index(denialReasons[:], entry.reason)]++
	entry.context = "toplevel"
	switch {
	case s.script:
		entry.context, s = "lua", s.caller
	case s.tx != nil:
		entry.context = "multi"
	}
	entry.count, entry.first, entry.last, entry.clientInfo = 1, w.time.micros, w.time.micros, s.Info()
	w.engine.users.log.add(&entry)
}
