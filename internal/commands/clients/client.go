package clients

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/tracking"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// clientSubs are the subcommands of CLIENT.
func clientSubs() []command.Line {
	const (
		own   = command.NoScript | command.Loading | command.Stale
		admin = own | command.Admin
	)
	onlyIdle := []command.Was{command.Before("valkey:9.1.0", "-allow_busy")}[:1:1] // so that append copies
	caching, redirect, track, trackInfo := tracking.Subcommands()
	subs := []command.Line{
		caching,
		{Name: "capa", Arity: -3, Flags: own | command.AllowBusy, Was: onlyIdle, Run: cmdClientCapa, Reply: "status",
			Since: "valkey:8.0.0", Syntax: "capability...", Summary: "Says what the client can do.",
			Help: "<option> [options...]\n" +
				"Say what the client can do. Options:\n" +
				"* REDIRECT\n" +
				"  It follows redirections of a server that is in no cluster.", Complexity: "O(1)"},
		redirect,
		{Name: "getname", Arity: 2, Flags: own | command.Harmless | command.AllowBusy, Was: onlyIdle,
			Run: cmdClientGetName, Reply: "text?", Since: "2.6.9",
			Summary: "Returns the name of the connection.", Complexity: "O(1)"},
		{Name: "id", Arity: 2, Flags: own | command.Harmless | command.AllowBusy, Was: onlyIdle,
			Run: cmdClientID, Reply: "integer", Since: "5.0.0",
			Summary: "Returns the unique client ID of the connection.", Complexity: "O(1)"},
		{Name: "info", Arity: 2, Flags: own | command.Harmless, Run: cmdClientInfo, Reply: "text", Since: "6.2.0",
			Summary: "Returns information about the connection.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		clientKillLine(admin),
		clientListLine(admin),
		{Name: "unpause", Arity: 2, Flags: admin, Run: cmdClientUnpause, Reply: "status", Since: "6.2.0",
			Summary:    "Resumes processing commands from paused clients.",
			Complexity: "O(N), N being the number of postponed clients"},
		{Name: "pause", Arity: -3, Flags: admin, Run: cmdClientPause, Reply: "status", Since: "3.0.0",
			Was:     []command.Was{{Before: "7.2.0", Edit: func(cmd *command.Line) { cmd.Since = "2.9.50" }}},
			Syntax:  "timeout:integer mode=[WRITE|ALL]@6.2.0",
			Summary: "Suspends commands processing.", Complexity: "O(1)", History: "6.2.0 Can suspend writes only."},
		{Name: "reply", Arity: 3, Flags: own | command.AllowBusy | command.NoMulti,
			Was: []command.Was{command.Before("valkey:9.1.0", "-allow_busy -no_multi")},
			Run: cmdClientReply, Reply: "status", Since: "3.2.0", Syntax: "action(/on_off_skip)=<ON|OFF|SKIP>",
			Summary: "Instructs the server whether to reply to commands.", Complexity: "O(1)"},
		{Name: "setname", Arity: 3, Flags: own | command.Harmless | command.AllowBusy,
			Run: cmdClientSetName, Reply: "status", Since: "2.6.9",
			Syntax: "connection-name", Summary: "Sets the connection name.", Help: "<name>",
			Tips: "request_policy:all_nodes response_policy:all_succeeded",
			Was:  append(onlyIdle, command.Was{Before: "7.2.0", Edit: command.Advises("")}), Complexity: "O(1)"},
		{Name: "setinfo", Arity: 4, Flags: own | command.Harmless | command.AllowBusy,
			Run: cmdClientSetInfo, Reply: "status", Since: "7.2.0", Syntax: "attr=<LIB-NAME libname|LIB-VER libver>",
			Summary: "Sets information specific to the client or connection.",
			Help: "<option> <value>\n" +
				"Set what the client says of itself. Options:\n" +
				"* LIB-NAME: the name of its library.\n" +
				"* LIB-VER: the version of its library.",
			Tips: "request_policy:all_nodes response_policy:all_succeeded",
			Was:  append(onlyIdle, command.Was{Before: "7.2.0", Edit: command.Advises("")}), Complexity: "O(1)"},
		{Name: "unblock", Arity: -3, Flags: admin, Run: cmdClientUnblock, Reply: "integer", Since: "5.0.0",
			Syntax:  "client-id unblock-type(/timeout_error)=[TIMEOUT|ERROR]",
			Summary: "Unblocks a client blocked by a blocking command from a different connection.",
			Help:    "<clientid> [TIMEOUT|ERROR]", Complexity: "O(N), N being the number of blocked clients"},
		track,
		trackInfo,
		{Name: "no-evict", Arity: 3, Flags: admin | command.AllowBusy, Was: onlyIdle,
			Run: cmdClientNoEvict, Reply: "status", Since: "7.0.0", Syntax: "enabled=<ON|OFF>",
			Summary: "Sets the client eviction mode of the connection.", Complexity: "O(1)"},
		{Name: "no-touch", Arity: 3, Flags: own | command.AllowBusy, Was: onlyIdle,
			Run: cmdClientNoTouch, Reply: "status", Since: "7.2.0", Syntax: "enabled=<ON|OFF>",
			Summary:    "Controls whether commands sent by the client affect the LRU/LFU of accessed keys.",
			Complexity: "O(1)"},
		{Name: "import-source", Arity: 3, Flags: own,
			Run: cmdClientImportSource, Reply: "status", Since: "valkey:8.1.0",
			Syntax: "enabled=<ON|OFF>", Summary: "Says whether the client imports data, while import-mode is on.",
			Help: "(ON|OFF)", Complexity: "O(1)"},
		engine.HelpLine("5.0.0"),
	}
	for i := range subs {
		subs[i].Flags |= command.KeepsCaching
	}
	return subs
}

// clientKillLine is the line of CLIENT KILL.
func clientKillLine(admin command.Flags) command.Line {
	return command.Line{Name: "kill", Arity: -3, Flags: admin,
		Run: cmdClientKill, Reply: "1: status; integer", Since: "2.4.0", Was: []command.Was{
			{Before: release.NoValkey, Edit: command.Writes("[ID client-id]", "[ID client-id...]")},
			{Before: "7.4.0 valkey:8.0.0", Edit: command.Helps("\n"+killHelp, "")},
			{Before: "7.2.0", Edit: command.Writes("[SKIPME skipme=<YES|NO>]", "[SKIPME yes/no]")}},
		Syntax: "filter=<old-format(ip:port)!2.8.12|new-format=<[ID client-id]@2.8.12|[TYPE " +
			"client-type(/normal_master_slave_pubsub)=<NORMAL|MASTER@3.2.0|PRIMARY@valkey:8.0.0|" +
			"SLAVE|REPLICA@5.0.0|PUBSUB>]@2.8.12|[USER username]|[ADDR addr(ip:port)]|[LADDR laddr(ip:port)]@6.2.0|" +
			"[SKIPME skipme=<YES|NO>]|[MAXAGE maxage]@7.4.0,valkey:8.0.0|" +
			clientFilters("|", "|PRIMARY|SLAVE") + ">...>",
		Summary: "Terminates open connections.",
		Help: "<ip:port>\n" +
			"Close the connection from this address.\n" +
			"\n" +
			"KILL <option> <value> [<option> <value> [...]]\n" +
			"Close the connections that pass all options:\n" +
			"* ADDR (<ip:port>|<unixsocket>:0)\n" +
			"  The address of the client.\n" +
			"* LADDR (<ip:port>|<unixsocket>:0)\n" +
			"  The address of the server to which the client connected.\n" +
			"* TYPE (NORMAL|MASTER|REPLICA|PUBSUB)\n" +
			"  The kind of client.\n" +
			"* USER <username>\n" +
			"  The user as whom the client is authenticated.\n" +
			"* SKIPME (YES|NO)\n" +
			"  With NO the connection of the caller can be among them.\n" +
			killHelp,
		Complexity: "O(N), N being the number of connected clients",
		History: "2.8.12 Takes filters.\n" +
			"2.8.12 The filter `ID`.\n" +
			"3.2.0 `TYPE` knows `master`.\n" +
			"5.0.0 `TYPE` knows `replica`, which is another word for `slave`.\n" +
			"6.2.0 The filter `LADDR`.\n" +
			"7.4.0,valkey:8.0.0 The filter `MAXAGE`.\n" +
			"valkey:8.0.0 `TYPE` knows `primary`, which is another word for `master`.\n" +
			"valkey:8.1.0 The filter `ID` takes several IDs.\n" +
			"valkey:9.0.0 The filters `NAME`, `IDLE`, `FLAGS`, `LIB-NAME`, `LIB-VER`, `DB`, `CAPA` and `IP`, " +
			"and filters that begin with `NOT-`."}
}

// clientListLine is the line of CLIENT LIST.
func clientListLine(admin command.Flags) command.Line {
	return command.Line{Name: "list", Arity: -2, Flags: admin | command.Harmless,
		Run: cmdClientList, Reply: "text", Since: "2.4.0",
		Syntax: "[TYPE client-type(/normal_master_replica_pubsub)=<NORMAL|MASTER|REPLICA|PUBSUB>]@5.0.0 [ID " +
			"client-id...]@6.2.0 [USER username]@valkey:8.1.0 [ADDR addr(ip:port)]@valkey:8.1.0 " +
			"[LADDR laddr(ip:port)]@valkey:8.1.0 [SKIPME skipme=<YES|NO>]@valkey:8.1.0 [MAXAGE maxage]@valkey:8.1.0 " +
			clientFilters(" ", ""), Summary: "Lists open connections.",
		Help: "[options ...]\n" +
			"Show the connections. Options:\n" +
			"* TYPE (NORMAL|MASTER|REPLICA|PUBSUB)\n" +
			"  Only those of one kind.\n" +
			"* ID <client-id> [<client-id> ...]\n" +
			"  Only these.", Tips: "nondeterministic_output",
		Complexity: "O(N), N being the number of connected clients",
		History: "2.8.12 Shows `id`.\n" +
			"5.0.0 The filter `TYPE`.\n" +
			"6.0.0 Shows `user`.\n" +
			"6.2.0 The filter `ID`; shows `argv-mem`, `tot-mem`, `laddr` and `redir`.\n" +
			"7.0.0 Shows `resp`, `multi-mem`, `rbs` and `rbp`.\n" +
			"7.0.3 Shows `ssub`.\n" +
			"7.2.0@8.0.0 Shows `lib-name` and `lib-ver`.\n" +
			"7.4.0@8.0.0 Shows `watch`.\n" +
			"8.0.0 Shows `io-thread`.\n" +
			"valkey:8.0.0 `TYPE` knows `primary`, which is another word for `master`.\n" +
			"valkey:8.1.0 The filters `USER`, `ADDR`, `LADDR`, `SKIPME` and `MAXAGE`.\n" +
			"valkey:9.0.0 The filters `NAME`, `IDLE`, `FLAGS`, `LIB-NAME`, `LIB-VER`, `DB`, `CAPA` and `IP`, " +
			"and filters that begin with `NOT-`."}
}

// clientFilters returns the syntax of the filters that CLIENT LIST and CLIENT KILL have in common,
// with a sign between them. others are the kinds of clients that one of them knows beside the usual
// ones.
func clientFilters(sign, others string) string {
	filters := []string{"[NAME name]", "[IDLE idle:integer]", "[FLAGS flags]", "[LIB-NAME lib-name]",
		"[LIB-VER lib-ver]", "[DB db]", "[CAPA capa]", "[IP ip]",
		"[NOT-TYPE not-client-type=<NORMAL|MASTER" + others + "|REPLICA|PUBSUB>]", "[NOT-ID not-client-id:integer...]",
		"[NOT-USER not-username]",
		"[NOT-ADDR not-addr(ip:port)]", "[NOT-LADDR not-laddr(ip:port)]", "[NOT-NAME not-name]",
		"[NOT-FLAGS not-flags]",
		"[NOT-LIB-NAME not-lib-name]", "[NOT-LIB-VER not-lib-ver]", "[NOT-DB not-db:integer]", "[NOT-CAPA not-capa]",
		"[NOT-IP not-ip]"}
	return strings.Join(filters, "@valkey:9.0.0"+sign) + "@valkey:9.0.0"
}

// killHelp is what HELP said of CLIENT KILL last.
const killHelp = "* ID <client-id>\n" +
	"  The ID of the client.\n" +
	"* MAXAGE <maxage>\n" +
	"  At least this old, in seconds."

// CLIENT ID
func cmdClientID(c *engine.Call) { c.Reply.Int(c.Session.ID) }

// CLIENT GETNAME
func cmdClientGetName(c *engine.Call) {
	if c.Session.Name == "" {
		c.Reply.Null()
		return
	}
	c.Reply.BulkString(c.Session.Name)
}

// CLIENT SETNAME connection-name
func cmdClientSetName(c *engine.Call) {
	name := c.Arg()
	if !printable(name) {
		c.Fail(errName)
		return
	}
	c.Session.Name = string(name)
	c.Reply.Status("OK")
}

// CLIENT SETINFO <LIB-NAME libname | LIB-VER libver>
func cmdClientSetInfo(c *engine.Call) {
	var set *string
	what := c.Arg()
	switch {
	case command.IsWord(what, "LIB-NAME"):
		set = &c.Session.LibName
	case command.IsWord(what, "LIB-VER"):
		set = &c.Session.LibVer
	default:
		c.Refusef(errOption, what)
	}
	value := c.Arg()
	if !printable(value) {
		c.Refusef(engine.ErrClientInfo, what)
	}
	if c.OK() {
		*set = string(value)
		c.Reply.Status("OK")
	}
}

// onOff reads the word ON or OFF.
func onOff(c *engine.Call) (on bool) {
	switch {
	case c.Word("ON"):
		return true
	case !c.Word("OFF"):
		c.Refuse(engine.ErrSyntax)
	}
	return false
}

// CLIENT NO-EVICT <ON | OFF>
func cmdClientNoEvict(c *engine.Call) {
	if on := onOff(c); c.OK() {
		c.Session.SetModes(func(m *engine.Modes) { m.NoEvict = on })
		c.Reply.Status("OK")
	}
}

// CLIENT NO-TOUCH <ON | OFF>
func cmdClientNoTouch(c *engine.Call) {
	if on := onOff(c); c.OK() {
		c.Session.SetModes(func(m *engine.Modes) { m.NoTouch = on })
		c.Reply.Status("OK")
	}
}

// CLIENT REPLY <ON | OFF | SKIP>
func cmdClientReply(c *engine.Call) {
	s := c.Session
	switch {
	case c.Word("ON"):
		s.SetReply(engine.ReplyOn)
		c.Reply.Status("OK")
	case c.Word("OFF"):
		s.SetReply(engine.ReplyOff)
	case c.Word("SKIP"):
		s.SetReply(engine.ReplySkipNext)
	default:
		c.Fail(engine.ErrSyntax)
	}
}

// CLIENT PAUSE timeout [WRITE | ALL]
func cmdClientPause(c *engine.Call) {
	timeout, all := c.Arg(), true
	if oneMore(c) && !c.Word("ALL") {
		if all = false; !c.Word("WRITE") {
			c.Refuse(errPauseMode)
		}
	}
	c.NoMore()
	if deadline := c.DeadlineAfter(timeout); c.OK() {
		c.World.Pause(engine.PausedByClient, deadline, all)
		c.Reply.Status("OK")
	}
}

// CLIENT UNPAUSE
func cmdClientUnpause(c *engine.Call) {
	c.World.Unpause(engine.PausedByClient)
	c.Reply.Status("OK")
}

// CLIENT UNBLOCK client-id [TIMEOUT | ERROR]
func cmdClientUnblock(c *engine.Call) {
	id, withError := c.Arg(), false
	if oneMore(c) && !c.Word("TIMEOUT") {
		if withError = c.Word("ERROR"); !withError {
			c.Refuse(errUnblockReason)
		}
	}
	c.NoMore()
	n, ok := resp.ParseInt(id)
	if !ok {
		c.Refuse(engine.ErrNotInt)
	}
	if !c.OK() {
		return
	}
	if s := c.World.Client(n); s != nil && c.World.UnblockClient(s, withError) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// ignoresMany is when CLIENT PAUSE and CLIENT UNBLOCK began to ignore several arguments where one
// may follow.
var ignoresMany = release.From("valkey:8.1.0")

// oneMore reports whether the last argument follows, which may be left out. Of several it says the
// same, unless the release ignores them.
func oneMore(c *engine.Call) bool {
	if c.Left() > 1 && c.Has(ignoresMany) {
		c.Rest()
	}
	return c.More()
}

// CLIENT CAPA capability [capability ...]
func cmdClientCapa(c *engine.Call) {
	for c.More() {
		if !c.Word("REDIRECT") {
			c.Arg() // as in Valkey, others mean nothing
			continue
		}
		c.Session.SetModes(func(m *engine.Modes) { m.Redirects = true })
	}
	c.Reply.Status("OK")
}

// CLIENT IMPORT-SOURCE ON | OFF
func cmdClientImportSource(c *engine.Call) {
	off := c.Word("OFF") // also outside of import mode, which may have ended meanwhile
	on := !off && c.Word("ON")
	switch {
	case !off && !c.Engine.Config.ImportMode:
		c.Refuse(errNoImport)
	case !off && !on:
		c.Refuse(engine.ErrSyntax)
	}
	if c.OK() {
		c.Session.SetModes(func(m *engine.Modes) { m.Imports = on })
		c.Reply.Status("OK")
	}
}
