package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// clientSubs are the subcommands of CLIENT.
func clientSubs() []Command {
	const (
		own   = NoScript | Loading | Stale
		admin = own | Admin
	)
	subs := []Command{
		{Name: "id", Arity: 2, Flags: own, Run: cmdClientID, Since: "5.0.0",
			Summary: "Returns the unique client ID of the connection.", Complexity: "O(1)"},
		{Name: "info", Arity: 2, Flags: own, Run: cmdClientInfo, Since: "6.2.0",
			Summary: "Returns information about the connection.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "list", Arity: -2, Flags: admin, Run: cmdClientList, Since: "2.4.0",
			Syntax: "[TYPE client-type=<NORMAL|MASTER|REPLICA|PUBSUB>]@5.0.0 [ID client-id...]@6.2.0", Summary: "Lists open connections.",
			Help: "[TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <id> ...]", Tips: "nondeterministic_output",
			Complexity: "O(N), N being the number of connected clients",
			History: "2.8.12 Shows `id`.\n" +
				"5.0.0 The filter `TYPE`.\n" +
				"6.0.0 Shows `user`.\n" +
				"6.2.0 The filter `ID`; shows `argv-mem`, `tot-mem`, `laddr` and `redir`.\n" +
				"7.0.0 Shows `resp`, `multi-mem`, `rbs` and `rbp`.\n" +
				"7.0.3 Shows `ssub`.\n" +
				"7.2.0 Shows `lib-name` and `lib-ver`.\n" +
				"7.4.0 Shows `watch`.\n" +
				"8.0.0 Shows `io-thread`."},
		{Name: "kill", Arity: -3, Flags: admin, Run: cmdClientKill, Since: "2.4.0",
			Syntax:     "filter=<old-format(ip:port)!2.8.12|new-format=<[ID client-id]@2.8.12|[TYPE client-type=<NORMAL|MASTER@3.2.0|SLAVE|REPLICA@5.0.0|PUBSUB>]@2.8.12|[USER username]|[ADDR addr(ip:port)]|[LADDR laddr(ip:port)]@6.2.0|[SKIPME skipme=<YES|NO>]|[MAXAGE maxage]@7.4.0,valkey:8.0.0>...>",
			Summary:    "Terminates open connections.",
			Help:       "<ip:port> | <option> <value> [<option> <value> ...], options ID TYPE ADDR LADDR USER SKIPME MAXAGE",
			Complexity: "O(N), N being the number of connected clients",
			History: "2.8.12 Takes filters.\n" +
				"2.8.12 The filter `ID`.\n" +
				"3.2.0 `TYPE` knows `master`.\n" +
				"5.0.0 `TYPE` knows `replica`, which is another word for `slave`.\n" +
				"6.2.0 The filter `LADDR`.\n" +
				"7.4.0,valkey:8.0.0 The filter `MAXAGE`."},
		{Name: "getname", Arity: 2, Flags: own, Run: cmdClientGetName, Since: "2.6.9",
			Summary: "Returns the name of the connection.", Complexity: "O(1)"},
		{Name: "setname", Arity: 3, Flags: own, Run: cmdClientSetName, Since: "2.6.9",
			Syntax: "connection-name", Summary: "Sets the connection name.", Help: "<name>", Complexity: "O(1)"},
		{Name: "setinfo", Arity: 4, Flags: own, Run: cmdClientSetInfo, Since: "7.2.0",
			Syntax: "attr=<LIB-NAME libname|LIB-VER libver>", Summary: "Sets information specific to the client or connection.",
			Help: "(LIB-NAME|LIB-VER) <value>", Complexity: "O(1)"},
		{Name: "pause", Arity: -3, Flags: admin, Run: cmdClientPause, Since: "3.0.0",
			Syntax: "timeout:integer mode=[WRITE|ALL]@6.2.0", Summary: "Suspends commands processing.", Complexity: "O(1)",
			History: "6.2.0 Can suspend writes only."},
		{Name: "unpause", Arity: 2, Flags: admin, Run: cmdClientUnpause, Since: "6.2.0",
			Summary:    "Resumes processing commands from paused clients.",
			Complexity: "O(N), N being the number of postponed clients"},
		{Name: "reply", Arity: 3, Flags: own, Run: cmdClientReply, Since: "3.2.0",
			Syntax: "action=<ON|OFF|SKIP>", Summary: "Instructs the server whether to reply to commands.", Complexity: "O(1)"},
		{Name: "unblock", Arity: -3, Flags: admin, Run: cmdClientUnblock, Since: "5.0.0",
			Syntax:  "client-id unblock-type=[TIMEOUT|ERROR]",
			Summary: "Unblocks a client blocked by a blocking command from a different connection.",
			Help:    "<id> [TIMEOUT|ERROR]", Complexity: "O(N), N being the number of blocked clients"},
		{Name: "no-evict", Arity: 3, Flags: admin, Run: cmdClientNoEvict, Since: "7.0.0",
			Syntax: "enabled=<ON|OFF>", Summary: "Sets the client eviction mode of the connection.", Complexity: "O(1)"},
		{Name: "no-touch", Arity: 3, Flags: own, Run: cmdClientNoTouch, Since: "7.2.0",
			Syntax:     "enabled=<ON|OFF>",
			Summary:    "Controls whether commands sent by the client affect the LRU/LFU of accessed keys.",
			Complexity: "O(1)"},
	}
	subs = append(append(subs, trackingSubs()...), HelpLine("5.0.0"))
	for i := range subs {
		subs[i].Flags |= KeepsCaching
	}
	return subs
}

// CLIENT ID
func cmdClientID(c *Call) { c.Reply.Int(c.Session.ID) }

// CLIENT GETNAME
func cmdClientGetName(c *Call) {
	if c.Session.Name == "" {
		c.Reply.Null()
		return
	}
	c.Reply.BulkString(c.Session.Name)
}

// CLIENT SETNAME connection-name
func cmdClientSetName(c *Call) {
	name := c.Arg()
	if !printable(name) {
		c.Fail(ErrClientName)
		return
	}
	c.Session.Name = string(name)
	c.Reply.Status("OK")
}

// CLIENT SETINFO <LIB-NAME libname | LIB-VER libver>
func cmdClientSetInfo(c *Call) {
	var set *string
	what := c.Arg()
	switch {
	case IsWord(what, "LIB-NAME"):
		set = &c.Session.LibName
	case IsWord(what, "LIB-VER"):
		set = &c.Session.LibVer
	default:
		c.Refusef(ErrClientOption, what)
	}
	value := c.Arg()
	if !printable(value) {
		c.Refusef(ErrClientInfo, strings.ToLower(string(what)))
	}
	if c.OK() {
		*set = string(value)
		c.Reply.Status("OK")
	}
}

// onOff reads the word ON or OFF.
func (c *Call) onOff() (on bool) {
	switch {
	case c.Word("ON"):
		return true
	case !c.Word("OFF"):
		c.Refuse(ErrSyntax)
	}
	return false
}

// CLIENT NO-EVICT <ON | OFF>
func cmdClientNoEvict(c *Call) {
	if on := c.onOff(); c.OK() {
		c.Session.noEvict = on
		c.Session.regroup()
		c.Reply.Status("OK")
	}
}

// CLIENT NO-TOUCH <ON | OFF>
func cmdClientNoTouch(c *Call) {
	if on := c.onOff(); c.OK() {
		c.Session.noTouch = on
		c.Reply.Status("OK")
	}
}

// CLIENT REPLY <ON | OFF | SKIP>
func cmdClientReply(c *Call) {
	s := c.Session
	switch {
	case c.Word("ON"):
		s.reply = replyOn
		c.Reply.Status("OK")
	case c.Word("OFF"):
		s.reply = replyOff
	case c.Word("SKIP"):
		if s.reply != replyOff {
			s.reply = replySkipNext
		}
	default:
		c.Fail(ErrSyntax)
	}
}

// CLIENT PAUSE timeout [WRITE | ALL]
func cmdClientPause(c *Call) {
	timeout, all := c.Arg(), true
	if c.More() && !c.Word("ALL") {
		if all = false; !c.Word("WRITE") {
			c.Refuse(ErrPauseMode)
		}
	}
	c.noMore()
	if deadline := c.DeadlineAfter(timeout); c.OK() {
		c.Engine.Pause(deadline, all)
		c.Reply.Status("OK")
	}
}

// CLIENT UNPAUSE
func cmdClientUnpause(c *Call) {
	c.Engine.Unpause()
	c.Reply.Status("OK")
}

// CLIENT UNBLOCK client-id [TIMEOUT | ERROR]
func cmdClientUnblock(c *Call) {
	id, withError := c.Arg(), false
	if c.More() && !c.Word("TIMEOUT") {
		if withError = c.Word("ERROR"); !withError {
			c.Refuse(ErrUnblockReason)
		}
	}
	c.noMore()
	n, ok := resp.ParseInt(id)
	if !ok {
		c.Refuse(ErrNotInt)
	}
	if !c.OK() {
		return
	}
	if s := c.Engine.Sessions.ByID[n]; s != nil && c.Engine.UnblockClient(s, withError) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// noMore refuses further arguments of a subcommand.
func (c *Call) noMore() {
	if c.at < len(c.Args) {
		c.Refuse(c.SubSyntaxError())
	}
}

// subSyntaxError is what a container says to a number of arguments that no form of the subcommand
// takes.
func (c *Call) SubSyntaxError() error {
	return Errorf(ErrSubArgs, clip(c.Args[1], 128), strings.ToUpper(string(c.Args[0])))
}
