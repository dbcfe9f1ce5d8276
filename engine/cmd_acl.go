package engine

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// shownUsers is that MONITOR and the slow log showed the names of users before Redis 7.4.
var shownUsers = command.Was{Before: "7.4.0 valkey:8.0.0", Edit: func(cmd *command.Line) { cmd.Secrets = nil }}

const operateACL = command.Admin | command.NoScript | command.Loading | command.Stale

// AccessControl is the family of ACL.
func AccessControl() command.Family {
	const anybody = command.NoScript | command.Loading | command.Stale
	return command.Family{Group: "server", Commands: []command.Line{
		{Name: "acl", Arity: -2, Since: "6.0.0",
			Complexity: "Depends on the subcommand", Summary: "A container for Access List Control commands.", Subs: []command.Line{
				{Name: "cat", Arity: -2, Flags: anybody | command.Harmless, Run: cmdACLCat, Reply: "list", Since: "6.0.0",
					Syntax: "[category(/categoryname)]", Summary: "Lists the ACL categories, or the commands inside a category.",
					Complexity: "O(1)"},
				{Name: "deluser", Arity: -3, Flags: operateACL, Run: cmdACLDelUser, Secrets: command.SecretsFrom(2), Reply: "integer", Since: "6.0.0",
					Syntax: "username...", Summary: "Deletes ACL users, and terminates their connections.",
					Tips: "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{shownUsers, {Before: "7.2.0", Edit: command.Advises("")}},
					Complexity: "O(N), N being the number of users deleted and of connected clients"},
				{Name: "dryrun", Arity: -4, Flags: operateACL | command.Harmless, Run: cmdACLDryRun, Reply: "any", Since: "7.0.0",
					Syntax:     "username command [arg...]",
					Summary:    "Simulates the execution of a command by a user, without executing the command.",
					Complexity: "O(1)"},
				{Name: "getuser", Arity: 3, Flags: operateACL | command.Harmless, Run: cmdACLGetUser, Secrets: command.SecretsFrom(2), Was: []command.Was{shownUsers}, Reply: "array?", Since: "6.0.0",
					Syntax: "username", Summary: "Lists the ACL rules of a user.",
					Complexity: "O(N), N being the number of the user's rules",
					History: "6.2.0 Shows patterns of channels.\n" +
						"7.0.0 Shows selectors, and patterns in the form of rules."},
				{Name: "genpass", Arity: -2, Flags: anybody, Run: cmdACLGenPass, Reply: "text", Since: "6.0.0",
					Syntax:     "[bits]",
					Summary:    "Generates a pseudorandom, secure password that can be used to identify ACL users.",
					Complexity: "O(1)"},
				{Name: "list", Arity: 2, Flags: operateACL | command.Harmless, Run: cmdACLList, Reply: "list", Since: "6.0.0",
					Summary: "Dumps the effective rules in ACL file format.", Complexity: "O(N), N being the number of users"},
				{Name: "load", Arity: 2, Flags: operateACL, Run: cmdACLLoad, Reply: "status", Since: "6.0.0",
					Summary:    "Reloads the rules from the configured ACL file.",
					Complexity: "O(N), N being the number of users"},
				{Name: "log", Arity: -2, Flags: operateACL | command.Harmless, Vary: flagsOfLog, Run: cmdACLLog, Reply: "RESET: status; array", Since: "6.0.0",
					Syntax: "operation=[count|RESET]", Summary: "Lists recent security events generated due to ACL rules.",
					Complexity: "O(N), N being the number of entries returned",
					History:    "7.2.0 Shows the ID of an entry, and when it was created and last updated."},
				{Name: "save", Arity: 2, Flags: operateACL, Run: cmdACLSave, Reply: "status", Since: "6.0.0",
					Summary: "Saves the effective ACL rules in the configured ACL file.",
					Tips:    "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}},
					Complexity: "O(N), N being the number of users"},
				{Name: "setuser", Arity: -3, Flags: operateACL, Run: cmdACLSetUser, Secrets: command.SecretsFrom(2), Reply: "status", Since: "6.0.0",
					Syntax: "username [rule...]", Summary: "Creates and modifies an ACL user and its rules.",
					Help: "<username> <attribute> [<attribute> ...]", Tips: "request_policy:all_nodes response_policy:all_succeeded", Was: []command.Was{{Before: "7.2.0", Edit: command.Advises("")}},
					Complexity: "O(N), N being the number of rules given",
					History: "6.2.0 Takes patterns of channels.\n" +
						"7.0.0 Takes selectors, and permissions to read or write keys."},
				{Name: "users", Arity: 2, Flags: operateACL | command.Harmless, Run: cmdACLUsers, Reply: "list", Since: "6.0.0",
					Summary: "Lists all ACL users.", Complexity: "O(N), N being the number of users"},
				{Name: "whoami", Arity: 2, Flags: anybody | command.Harmless, Run: cmdACLWhoAmI, Reply: "text", Since: "6.0.0",
					Summary: "Returns the authenticated username of the current connection.", Complexity: "O(1)"},
				HelpLine("6.0.0"),
			}},
	}, Wordings: accessWordings}
}

// ACL CAT [category]
func cmdACLCat(c *Call) {
	switch c.Left() {
	case 0:
		c.Reply.Array(len(command.CategoryOrder))
		for _, name := range command.CategoryOrder {
			c.Reply.BulkString(name)
		}
	case 1:
		name := c.Arg()
		if !slices.Contains(command.CategoryOrder, strings.ToLower(string(name))) {
			c.Fail(command.Errorf(ErrACLCategory, name))
			return
		}
		list := slices.DeleteFunc(c.Engine.inCategory(strings.ToLower(string(name))), func(cmd *command.Command) bool {
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
func cmdACLSetUser(c *Call) {
	e, name := c.Engine, string(c.Arg())
	if strings.ContainsAny(name, " \x00") {
		c.Fail(ErrUserName)
		return
	}
	user, known := e.users.byName[name]
	if !known {
		user = e.newUser(name)
	}
	changed := user.Clone()
	if err := e.applyRules(changed, c.Rest()); err != nil {
		c.Fail(err)
		return
	}
	*user = *changed
	e.users.byName[name] = user
	e.closeListenersOf(c.Session, user)
	c.Reply.Status("OK")
}

// applyRules applies rules as arguments give them. It returns the first error.
func (e *Engine) applyRules(u *acl.User, args [][]byte) error {
	var words []string
	for _, a := range args {
		words = append(words, string(a))
	}
	words, unmatched := e.joinSelectors(words)
	if unmatched != "" {
		return command.Errorf(ErrACLParenthesis, unmatched)
	}
	for _, word := range words {
		if err := e.applyRule(u, word); err != nil {
			return command.Errorf(ErrACLRule, word, err)
		}
	}
	return nil
}

// ACL DELUSER username [username ...]
func cmdACLDelUser(c *Call) {
	e, n := c.Engine, int64(0)
	names := c.Rest()
	if slices.ContainsFunc(names, func(name []byte) bool { return string(name) == defaultUserName }) {
		c.Fail(ErrDefaultUser)
		return
	}
	for _, name := range names {
		if u := e.users.byName[string(name)]; u != nil {
			delete(e.users.byName, string(name))
			e.closeClientsOf(c.Session, u)
			n++
		}
	}
	c.Reply.Int(n)
}

// ACL GETUSER username
func cmdACLGetUser(c *Call) {
	u := c.Engine.users.byName[string(c.Arg())]
	if u == nil {
		c.Reply.Null()
		return
	}
	parts, fields := u.Rules(), 3+c.partFields()
	if !c.Has(selects) {
		fields = 5
	}
	c.Reply.Map(fields)
	c.Reply.BulkString("flags")
	flags := u.Flags()
	if !c.Has(selects) {
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
	c.replyPart(parts[0])
	if !c.Has(selects) {
		return
	}
	c.Reply.BulkString("selectors")
	c.Reply.Array(len(parts) - 1)
	for _, p := range parts[1:] {
		c.Reply.Map(c.partFields())
		c.replyPart(p)
	}
}

// namesDatabases is since when users see some databases only. Here they see all.
var namesDatabases = release.From("valkey:9.1.0")

// partFields returns the number of pairs that replyPart writes.
func (c *Call) partFields() int {
	if c.Has(namesDatabases) {
		return 4
	}
	return 3
}

// replyPart writes what a selector allows, as pairs of a map.
func (c *Call) replyPart(p acl.Rules) {
	if !c.Has(selects) {
		c.Reply.BulkString("commands")
		c.Reply.BulkString(p.Commands)
		c.replyPatterns("keys", p.Keys)
		c.replyPatterns("channels", p.Channels)
		return
	}
	for _, text := range []string{"commands", p.Commands, "keys", p.Keys, "channels", p.Channels} {
		c.Reply.BulkString(text)
	}
	if c.Has(namesDatabases) {
		c.Reply.BulkString("databases")
		c.Reply.BulkString("alldbs")
	}
}

// replyPatterns writes patterns without the sign of their rules.
func (c *Call) replyPatterns(name, rules string) {
	patterns := strings.Fields(rules)
	for i := range patterns {
		patterns[i] = strings.TrimLeft(patterns[i], "~&")
	}
	c.Reply.BulkString(name)
	c.ReplyStrings(patterns)
}

// ACL LIST
func cmdACLList(c *Call) {
	lines := c.Engine.UserLines()
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.BulkString(line)
	}
}

// ACL USERS
func cmdACLUsers(c *Call) {
	names := slices.Sorted(maps.Keys(c.Engine.users.byName))
	c.Reply.Array(len(names))
	for _, name := range names {
		c.Reply.BulkString(name)
	}
}

// ACL WHOAMI
func cmdACLWhoAmI(c *Call) { c.Reply.BulkString(c.Session.user.Name) }

// ACL GENPASS [bits]
func cmdACLGenPass(c *Call) {
	bits := int64(256)
	if c.Left() > 1 {
		c.Refuse(c.SubSyntaxError())
	}
	if c.More() {
		bits = c.Int()
		if c.err == nil && (bits <= 0 || bits > 4096) {
			c.Refuse(ErrGenPassBits)
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
func cmdACLDryRun(c *Call) {
	name := c.Arg()
	u := c.Engine.users.byName[string(name)]
	if u == nil {
		c.Fail(command.Errorf(ErrNoSuchUser, name))
		return
	}
	args := c.Rest()
	cmd, err := c.Engine.Commands.Resolve(args)
	switch {
	case cmd == nil:
		c.Fail(command.Errorf(ErrDryRunCommand, args[0]))
		return
	case err != nil:
		c.Fail(err)
		return
	}
	why, object := examine(u, cmd, args)
	if why == acl.Allowed {
		c.Reply.Status("OK")
		return
	}
	c.Reply.BulkString(c.Engine.Errorf(deniedDry[why], name, object).Error())
}

// flagsOfLog returns the flags of ACL LOG for its arguments.
func flagsOfLog(args [][]byte) command.Flags {
	if len(args) > 2 && command.IsWord(args[2], "RESET") {
		return operateACL
	}
	return operateACL | command.Harmless
}

// ACL LOG [count | RESET]
func cmdACLLog(c *Call) {
	log, count := &c.Engine.users.log, int64(10)
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
		c.replyDenial(e)
	}
}

func (c *Call) replyDenial(e *aclEntry) {
	c.Reply.Map(10)
	c.Reply.BulkString("count")
	c.Reply.Int(int64(e.count))
	for _, text := range []string{"reason", e.reason, "context", e.context, "object", e.object, "username", e.user} {
		c.Reply.BulkString(text)
	}
	c.Reply.BulkString("age-seconds")
	c.Reply.Double(float64((c.World.time.micros-e.last)/1000) / 1000)
	c.Reply.BulkString("client-info")
	c.Reply.BulkString(e.clientInfo)
	c.Reply.BulkString("entry-id")
	c.Reply.Int(e.id)
	c.Reply.BulkString("timestamp-created")
	c.Reply.Int(e.first / 1000)
	c.Reply.BulkString("timestamp-last-updated")
	c.Reply.Int(e.last / 1000)
}
