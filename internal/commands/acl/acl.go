// Package acl is ACL: the commands about users, and the log of what was refused to them. Package
// acl at the top has the rules; the engine checks them.
//
//	acl.go    the commands
//	file.go   ACL LOAD and ACL SAVE
//	log.go    ACL LOG
package acl

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/permission"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the part with ACL, the log, and the parameters about users.
func Part(e *engine.Engine) engine.Part {
	log, password := &denials{most: 128}, ""
	return engine.Part{State: log, Families: []command.Family{family}, Refused: log.refused, Params: []config.Param{
		{Name: "requirepass", Secret: true, Get: func() string { return password }, Set: func(v string) error {
			password = v
			e.Users.SetPassword(v)
			return nil
		}},
		config.Int("acllog-max-len", &log.most, 0, math.MaxInt64),
		config.Enum("acl-pubsub-default", &e.Users.NewChannels, "allchannels", "resetchannels"),
	}}
}

// Errors with the texts of Redis.
const (
	errDryRunCommand  = "ERR Command '%s' not found"
	errDryRunDenied   = "User %s has no permissions to run the '%s' command"
	errDryRunDatabase = "User %s has no permissions to access database %s"
	errDryRunKey      = "User %s has no permissions to access the '%s' key"
	errDryRunChannel  = "User %s has no permissions to access the '%s' channel"
	errCategory       = "ERR Unknown category '%s'"
	errParenthesis    = "ERR Unmatched parenthesis in acl selector starting at '%s'."
	errRule           = "ERR Error in ACL SETUSER modifier '%s': %s"
	errUserName       = command.Error("ERR Usernames can't contain spaces or null characters")
	errDefaultUser    = command.Error("ERR The 'default' user cannot be removed")
	errNoSuchUser     = "ERR User '%s' not found"
	errGenPassBits    = command.Error("ERR ACL GENPASS argument must be the number of bits for the output password, " +
		"a positive number up to 4096")
	errNoFile = command.Error("ERR This Redis instance is not configured to use an ACL file. " +
		"You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you " +
		"have a Redis configuration file set) in order to store users in the Redis configuration.")
	errSave = command.Error("ERR There was an error trying to save the ACLs. " +
		"Please check the server logs for more information")
	errOpen = "Error loading ACLs, opening file '%s': %s"
)

// denied are the texts of ACL DRYRUN, which name the user and the command, key or channel.
var denied = [...]command.Error{acl.NoDatabase: errDryRunDatabase, acl.NoCommand: errDryRunDenied,
	acl.NoKey: errDryRunKey, acl.NoChannel: errDryRunChannel}

// wordings are the errors about users in older releases.
var wordings = []command.Wording{
	{Before: "7.2.0", Error: engine.ErrDeniedCommand,
		Was: "NOPERM this user has no permissions to run the '%[2]s' command"},
	{Before: "7.2.0", Error: engine.ErrDeniedKey,
		Was: "NOPERM this user has no permissions to access one of the keys used as arguments"},
	{Before: "7.2.0", Error: engine.ErrDeniedChannel,
		Was: "NOPERM this user has no permissions to access one of the channels used as arguments"},
	{Before: "7.2.0", Error: engine.ErrDeniedCommandLua,
		Was: "ERR The user executing the script can't run this command or subcommand"},
	{Before: "7.2.0", Error: engine.ErrDeniedKeyLua, Was: "ERR The user executing the script can't access at least " +
		"one of the keys mentioned in the command arguments"},
	{Before: "7.2.0", Error: engine.ErrDeniedChannelLua,
		Was: "ERR The user executing the script can't publish to the channel mentioned in the command"},
	{Before: "7.2.0", Error: errDryRunDenied, Was: "This user has no permissions to run the '%[2]s' command"},
	{Before: "7.2.0", Error: errDryRunKey, Was: "This user has no permissions to access the '%[2]s' key"},
	{Before: "7.2.0", Error: errDryRunChannel, Was: "This user has no permissions to access the '%[2]s' channel"},
	{Before: release.NoValkey, Error: errNoFile, Was: "ERR This instance is not configured to use an ACL file. " +
		"You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you " +
		"have a configuration file set) in order to store users in the configuration."},
	{Before: "7.0.0", Error: engine.ErrDeniedCommand,
		Was: "NOPERM this user has no permissions to run the '%[2]s' command or its subcommand"},
}

// shownUsers is that MONITOR and the slow log showed the names of users before Redis 7.4.
var shownUsers = command.Was{Before: "7.4.0 valkey:8.0.0", Edit: func(cmd *command.Line) { cmd.Secrets = nil }}

const operateACL = command.Admin | command.NoScript | command.Loading | command.Stale

const anybody = command.NoScript | command.Loading | command.Stale

var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "acl", Arity: -2, Since: "6.0.0",
		Complexity: "Depends on the subcommand",
		Summary:    "A container for Access List Control commands.", Subs: []command.Line{
			{Name: "cat", Arity: -2, Flags: anybody | command.Harmless, Run: cmdACLCat, Reply: "list", Since: "6.0.0",
				Syntax:  "[category(/categoryname)]",
				Summary: "Lists the ACL categories, or the commands inside a category.", Complexity: "O(1)"},
			{Name: "deluser", Arity: -3, Flags: operateACL,
				Run: cmdACLDelUser, Secrets: command.SecretsFrom(2), Reply: "integer", Since: "6.0.0",
				Syntax: "username...", Summary: "Deletes ACL users, and terminates their connections.",
				Tips:       "request_policy:all_nodes response_policy:all_succeeded",
				Was:        []command.Was{shownUsers, {Before: "7.2.0", Edit: command.Advises("")}},
				Complexity: "O(N), N being the number of users deleted and of connected clients"},
			{Name: "dryrun", Arity: -4, Flags: operateACL | command.Harmless,
				Run: cmdACLDryRun, Reply: "any", Since: "7.0.0", Syntax: "username command [arg...]",
				Summary:    "Simulates the execution of a command by a user, without executing the command.",
				Complexity: "O(1)"},
			{Name: "getuser", Arity: 3, Flags: operateACL | command.Harmless, Run: cmdACLGetUser,
				Secrets: command.SecretsFrom(2), Was: []command.Was{shownUsers}, Reply: "array?", Since: "6.0.0",
				Syntax: "username", Summary: "Lists the ACL rules of a user.",
				Complexity: "O(N), N being the number of the user's rules",
				History: "6.2.0 Shows patterns of channels.\n" +
					"7.0.0 Shows selectors, and patterns in the form of rules.\n" +
					"valkey:9.1.0 Shows databases."},
			{Name: "genpass", Arity: -2, Flags: anybody, Run: cmdACLGenPass, Reply: "text", Since: "6.0.0",
				Syntax:     "[bits]",
				Summary:    "Generates a pseudorandom, secure password that can be used to identify ACL users.",
				Complexity: "O(1)"},
			{Name: "list", Arity: 2, Flags: operateACL | command.Harmless,
				Run: cmdACLList, Reply: "list", Since: "6.0.0",
				Summary:    "Dumps the effective rules in ACL file format.",
				Complexity: "O(N), N being the number of users"},
			{Name: "load", Arity: 2, Flags: operateACL, Run: cmdACLLoad, Reply: "status", Since: "6.0.0",
				Summary:    "Reloads the rules from the configured ACL file.",
				Complexity: "O(N), N being the number of users"},
			{Name: "log", Arity: -2, Flags: operateACL | command.Harmless, Vary: flagsOfLog,
				Run: engine.On((*denials).cmdACLLog), Reply: "RESET: status; array", Since: "6.0.0",
				Syntax: "operation=[count|RESET]", Summary: "Lists recent security events generated due to ACL rules.",
				Complexity: "O(N), N being the number of entries returned",
				History:    "7.2.0 Shows the ID of an entry, and when it was created and last updated."},
			{Name: "save", Arity: 2, Flags: operateACL, Run: cmdACLSave, Reply: "status", Since: "6.0.0",
				Summary: "Saves the effective ACL rules in the configured ACL file.",
				Tips:    "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0",
					Edit: command.Advises("")}}, Complexity: "O(N), N being the number of users"},
			{Name: "setuser", Arity: -3, Flags: operateACL,
				Run: cmdACLSetUser, Secrets: command.SecretsFrom(2), Reply: "status", Since: "6.0.0",
				Syntax: "username [rule...]", Summary: "Creates and modifies an ACL user and its rules.",
				Help: "<username> <attribute> [<attribute> ...]", Tips: "request_policy:all_nodes " +
					"response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}},
				Complexity: "O(N), N being the number of rules given",
				History: "6.2.0 Takes patterns of channels.\n" +
					"7.0.0 Takes selectors, and permissions to read or write keys.\n" +
					"valkey:9.1.0 Takes databases."},
			{Name: "users", Arity: 2, Flags: operateACL | command.Harmless, Run: cmdACLUsers, Reply: "list",
				Since: "6.0.0", Summary: "Lists all ACL users.", Complexity: "O(N), N being the number of users"},
			{Name: "whoami", Arity: 2, Flags: anybody | command.Harmless,
				Run: cmdACLWhoAmI, Reply: "text", Since: "6.0.0",
				Summary: "Returns the authenticated username of the current connection.", Complexity: "O(1)"},
			engine.HelpLine("6.0.0"),
		}},
}, Wordings: wordings}

// ACL CAT [category]
func cmdACLCat(c *engine.Call) {
	switch c.Left() {
	case 0:
		categories := c.Engine.Commands.Categories()
		c.Reply.Array(len(categories))
		for _, name := range categories {
			c.Reply.BulkString(name)
		}
	case 1:
		name := c.Arg()
		if !slices.Contains(c.Engine.Commands.Categories(), strings.ToLower(string(name))) {
			c.Fail(command.Errorf(errCategory, name))
			return
		}
		list := slices.DeleteFunc(c.Engine.Commands.InCategory(strings.ToLower(string(name))),
			func(cmd *command.Command) bool {
				return cmd.Parent != nil && cmd.Parent.IsWhole()
			})
		c.Reply.Array(len(list))
		for _, cmd := range list {
			c.Reply.BulkString(cmd.FullName())
		}
	default:
		c.Fail(c.SubSyntaxError())
	}
}

// ACL SETUSER username [rule [rule ...]]
func cmdACLSetUser(c *engine.Call) {
	e, name := c.Engine, string(c.Arg())
	if strings.ContainsAny(name, " \x00") {
		c.Fail(errUserName)
		return
	}
	user := e.Users.Named(name)
	if user == nil {
		user = e.Users.New(name)
	}
	changed := user.Clone()
	if err := applyRules(e.Users, changed, c.Rest()); err != nil {
		c.Fail(err)
		return
	}
	*user = *changed
	e.Users.Put(user)
	endSessionsOf(e, user, c.Session, false)
	c.Reply.Status("OK")
}

// endSessionsOf ends all sessions of a user; or, unless all, those in which a part has set up what
// the rules of the user no longer permit. The caller's own ends after its reply.
func endSessionsOf(e *engine.Engine, u *acl.User, caller *engine.Session, all bool) {
	for _, s := range e.Sessions.InOrder() {
		if s.User() == u && (all || !permits(e, u, s)) {
			s.DisconnectBy(caller)
		}
	}
}

// permits reports whether the rules of a user permit what the parts set up in a session.
func permits(e *engine.Engine, u *acl.User, s *engine.Session) bool {
	return !slices.ContainsFunc(e.Parts.List, func(p *engine.Part) bool { return p.Permits != nil && !p.Permits(u, s) })
}

// applyRules applies rules as arguments give them. It returns the first error.
func applyRules(users *acl.Users, u *acl.User, args [][]byte) error {
	var words []string
	for _, a := range args {
		words = append(words, string(a))
	}
	words, unmatched := users.JoinSelectors(words)
	if unmatched != "" {
		return command.Errorf(errParenthesis, unmatched)
	}
	for _, word := range words {
		if err := users.Apply(u, word); err != nil {
			return command.Errorf(errRule, word, err)
		}
	}
	return nil
}

// ACL DELUSER username [username ...]
func cmdACLDelUser(c *engine.Call) {
	e, n := c.Engine, int64(0)
	names := c.Rest()
	if slices.ContainsFunc(names, func(name []byte) bool { return string(name) == acl.DefaultName }) {
		c.Fail(errDefaultUser)
		return
	}
	for _, name := range names {
		if u := e.Users.Remove(string(name)); u != nil {
			endSessionsOf(e, u, c.Session, true)
			n++
		}
	}
	c.Reply.Int(n)
}

// ACL GETUSER username
func cmdACLGetUser(c *engine.Call) {
	u := c.Engine.Users.Named(string(c.Arg()))
	if u == nil {
		c.Reply.Null()
		return
	}
	parts, databases := u.Rules(), showsDatabases(c, u)
	fields := 3 + partFields(databases)
	if !c.Has(acl.Selects) {
		fields = 5
	}
	c.Reply.Map(fields)
	c.Reply.BulkString("flags")
	flags := u.Flags()
	if !c.Has(acl.Selects) {
		flags = u.PlainFlags()
	}
	c.Reply.Set(len(flags))
	for _, f := range flags {
		c.Reply.BulkString(f)
	}
	c.Reply.BulkString("passwords")
	c.Reply.Array(len(u.Passwords()))
	for _, p := range u.Passwords() {
		c.Reply.BulkString(p)
	}
	replyPart(c, parts[0], databases)
	if !c.Has(acl.Selects) {
		return
	}
	c.Reply.BulkString("selectors")
	c.Reply.Array(len(parts) - 1)
	for _, p := range parts[1:] {
		c.Reply.Map(partFields(databases))
		replyPart(c, p, databases)
	}
}

// showsDatabases reports whether ACL GETUSER tells the databases of a user: always, if the release
// does, else if there is a rule about them.
func showsDatabases(c *engine.Call, u *acl.User) bool {
	return c.Has(acl.LimitsDatabases) || u.LimitsDatabases()
}

// partFields returns the number of pairs that replyPart writes.
func partFields(databases bool) int {
	if databases {
		return 4
	}
	return 3
}

// replyPart writes what a selector allows, as pairs of a map.
func replyPart(c *engine.Call, p acl.Rules, databases bool) {
	if !c.Has(acl.Selects) {
		c.Reply.BulkString("commands")
		c.Reply.BulkString(p.Commands)
		replyPatterns(c, "keys", p.Keys)
		replyPatterns(c, "channels", p.Channels)
		return
	}
	for _, text := range []string{"commands", p.Commands, "keys", p.Keys, "channels", p.Channels} {
		c.Reply.BulkString(text)
	}
	if databases {
		c.Reply.BulkString("databases")
		c.Reply.BulkString(p.Databases)
	}
}

// replyPatterns writes patterns without the sign of their rules.
func replyPatterns(c *engine.Call, name, rules string) {
	patterns := strings.Fields(rules)
	for i := range patterns {
		patterns[i] = strings.TrimLeft(patterns[i], "~&")
	}
	c.Reply.BulkString(name)
	c.ReplyStrings(patterns)
}

// ACL LIST
func cmdACLList(c *engine.Call) {
	lines := c.Engine.Users.Lines()
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.BulkString(line)
	}
}

// ACL USERS
func cmdACLUsers(c *engine.Call) {
	names := c.Engine.Users.Names()
	c.Reply.Array(len(names))
	for _, name := range names {
		c.Reply.BulkString(name)
	}
}

// ACL WHOAMI
func cmdACLWhoAmI(c *engine.Call) { c.Reply.BulkString(c.Session.User().Name) }

// ACL GENPASS [bits]
func cmdACLGenPass(c *engine.Call) {
	bits := int64(256)
	if c.Left() > 1 {
		c.Refuse(c.SubSyntaxError())
	}
	if c.More() {
		bits = c.Int()
		if !c.Failed() && (bits <= 0 || bits > 4096) {
			c.Refuse(errGenPassBits)
		}
	}
	if !c.OK() {
		return
	}
	digits := int(bits+3) / 4
	secret := make([]byte, (digits+1)/2)
	rand.Read(secret) // not the engine's dice, which a seed foretells
	c.Reply.BulkString(hex.EncodeToString(secret)[:digits])
}

// ACL DRYRUN username command [arg ...]
func cmdACLDryRun(c *engine.Call) {
	name := c.Arg()
	u := c.Engine.Users.Named(string(name))
	if u == nil {
		c.Fail(command.Errorf(errNoSuchUser, name))
		return
	}
	args := c.Rest()
	cmd, err := c.Engine.Commands.Resolve(args)
	switch {
	case cmd == nil:
		c.Fail(command.Errorf(errDryRunCommand, args[0]))
		return
	case err != nil:
		c.Fail(err)
		return
	}
	why, object := permission.Examine(u, cmd, args, c.Session.Scope())
	switch {
	case why == acl.Allowed:
		c.Reply.Status("OK")
		return
	case why == acl.NoDatabase && object == cmd.FullName():
		object = string(args[0]) // Valkey names no database if it is the selected one
	}
	c.Reply.BulkString(c.Engine.Commands.Errorf(denied[why], name, object).Error())
}

// flagsOfLog returns the flags of ACL LOG for its arguments.
func flagsOfLog(args [][]byte) command.Flags {
	if len(args) > 2 && command.IsWord(args[2], "RESET") {
		return operateACL
	}
	return operateACL | command.Harmless
}

// ACL LOG [count | RESET]
func (log *denials) cmdACLLog(c *engine.Call) {
	count := int64(10)
	switch {
	case c.Left() > 1:
		c.Refuse(c.SubSyntaxError())
	case c.Word("RESET"):
		log.entries = nil
		c.Reply.Status("OK")
		return
	case c.More():
		count = max(0, c.Int())
	}
	if !c.OK() {
		return
	}
	entries := log.entries[:min(int(count), len(log.entries))]
	c.Reply.Array(len(entries))
	for _, e := range entries {
		replyDenial(c, e)
	}
}

func replyDenial(c *engine.Call, e *entry) {
	c.Reply.Map(10)
	c.Reply.BulkString("count")
	c.Reply.Int(int64(e.count))
	for _, text := range []string{"reason", e.Reason, "context", e.Context, "object", e.Object, "username", e.User} {
		c.Reply.BulkString(text)
	}
	c.Reply.BulkString("age-seconds")
	c.Reply.Double(float64((c.World.Micros()-e.last)/1000) / 1000)
	c.Reply.BulkString("client-info")
	c.Reply.BulkString(e.clientInfo)
	c.Reply.BulkString("entry-id")
	c.Reply.Int(e.id)
	c.Reply.BulkString("timestamp-created")
	c.Reply.Int(e.first / 1000)
	c.Reply.BulkString("timestamp-last-updated")
	c.Reply.Int(e.last / 1000)
}
