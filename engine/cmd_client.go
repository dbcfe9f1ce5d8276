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
			Syntax: "[TYPE <NORMAL|MASTER|REPLICA|PUBSUB>] [ID client-id...]", Summary: "Lists open connections.",
			Help: "[TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <id> ...]", Tips: "nondeterministic_output",
			Complexity: "O(N), N being the number of connected clients"},
		{Name: "kill", Arity: -3, Flags: admin, Run: cmdClientKill, Since: "2.4.0",
			Syntax:     "<ip-port|<[ID client-id]|[TYPE <NORMAL|MASTER|SLAVE|REPLICA|PUBSUB>]|[USER username]|[ADDR ip-port]|[LADDR ip-port]|[SKIPME <YES|NO>]|[MAXAGE maxage]>...>",
			Summary:    "Terminates open connections.",
			Help:       "<ip:port> | <option> <value> [<option> <value> ...], options ID TYPE ADDR LADDR USER SKIPME MAXAGE",
			Complexity: "O(N), N being the number of connected clients"},
		{Name: "getname", Arity: 2, Flags: own, Run: cmdClientGetName, Since: "2.6.9",
			Summary: "Returns the name of the connection.", Complexity: "O(1)"},
		{Name: "setname", Arity: 3, Flags: own, Run: cmdClientSetName, Since: "2.6.9",
			Syntax: "connection-name", Summary: "Sets the connection name.", Help: "<name>", Complexity: "O(1)"},
		{Name: "setinfo", Arity: 4, Flags: own, Run: cmdClientSetInfo, Since: "7.2.0",
			Syntax: "<LIB-NAME libname|LIB-VER libver>", Summary: "Sets information specific to the client or connection.",
			Help: "(LIB-NAME|LIB-VER) <value>", Complexity: "O(1)"},
		{Name: "pause", Arity: -3, Flags: admin, Run: cmdClientPause, Since: "3.0.0",
			Syntax: "timeout:integer [WRITE|ALL]", Summary: "Suspends commands processing.", Complexity: "O(1)"},
		{Name: "unpause", Arity: 2, Flags: admin, Run: cmdClientUnpause, Since: "6.2.0",
			Summary:    "Resumes processing commands from paused clients.",
			Complexity: "O(N), N being the number of postponed clients"},
		{Name: "reply", Arity: 3, Flags: own, Run: cmdClientReply, Since: "3.2.0",
			Syntax: "<ON|OFF|SKIP>", Summary: "Instructs the server whether to reply to commands.", Complexity: "O(1)"},
		{Name: "unblock", Arity: -3, Flags: admin, Run: cmdClientUnblock, Since: "5.0.0",
			Syntax:  "client-id [TIMEOUT|ERROR]",
			Summary: "Unblocks a client blocked by a blocking command from a different connection.",
			Help:    "<id> [TIMEOUT|ERROR]", Complexity: "O(N), N being the number of blocked clients"},
		{Name: "no-evict", Arity: 3, Flags: admin, Run: cmdClientNoEvict, Since: "7.0.0",
			Syntax: "<ON|OFF>", Summary: "Sets the client eviction mode of the connection.", Complexity: "O(1)"},
		{Name: "no-touch", Arity: 3, Flags: own, Run: cmdClientNoTouch, Since: "7.2.0",
			Syntax:     "<ON|OFF>",
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
