package engine

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// clientSubs are the subcommands of CLIENT.
func clientSubs() []Command {
	const (
		own   = NoScript | Loading | Stale
		admin = own | Admin
	)
	help := helpLine("5.0.0")
	help.ACL = "connection"
	subs := []Command{
		{Name: "id", Arity: 2, Flags: own, Run: cmdClientID, Since: "5.0.0",
			Summary: "Returns the unique client ID of the connection."},
		{Name: "info", Arity: 2, Flags: own, Run: cmdClientInfo, Since: "6.2.0",
			Summary: "Returns information about the connection."},
		{Name: "list", Arity: -2, Flags: admin, Run: cmdClientList, Since: "2.4.0",
			Args:    "[TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <id> ...]",
			Summary: "Lists open connections."},
		{Name: "kill", Arity: -3, Flags: admin, Run: cmdClientKill, Since: "2.4.0",
			Args:    "<ip:port> | <option> <value> [<option> <value> ...], options ID TYPE ADDR LADDR USER SKIPME MAXAGE",
			Summary: "Terminates open connections."},
		{Name: "getname", Arity: 2, Flags: own, Run: cmdClientGetName, Since: "2.6.9",
			Summary: "Returns the name of the connection."},
		{Name: "setname", Arity: 3, Flags: own, Run: cmdClientSetName, Since: "2.6.9", Args: "<name>",
			Summary: "Sets the connection name."},
		{Name: "setinfo", Arity: 4, Flags: own, Run: cmdClientSetInfo, Since: "7.2.0", Args: "(LIB-NAME|LIB-VER) <value>",
			Summary: "Sets information specific to the client or connection."},
		{Name: "pause", Arity: -3, Flags: admin, Run: cmdClientPause, Since: "3.0.0", Args: "<timeout> [WRITE|ALL]",
			Summary: "Suspends commands processing."},
		{Name: "unpause", Arity: 2, Flags: admin, Run: cmdClientUnpause, Since: "6.2.0",
			Summary: "Resumes processing commands from paused clients."},
		{Name: "reply", Arity: 3, Flags: own, Run: cmdClientReply, Since: "3.2.0", Args: "(ON|OFF|SKIP)",
			Summary: "Instructs the server whether to reply to commands."},
		{Name: "unblock", Arity: -3, Flags: admin, Run: cmdClientUnblock, Since: "5.0.0", Args: "<id> [TIMEOUT|ERROR]",
			Summary: "Unblocks a client blocked by a blocking command from a different connection."},
		{Name: "no-evict", Arity: 3, Flags: admin, Run: cmdClientNoEvict, Since: "7.0.0", Args: "(ON|OFF)",
			Summary: "Sets the client eviction mode of the connection."},
		{Name: "no-touch", Arity: 3, Flags: own, Run: cmdClientNoTouch, Since: "7.2.0", Args: "(ON|OFF)",
			Summary: "Controls whether commands sent by the client affect the LRU/LFU of accessed keys."},
	}
	subs = append(append(subs, trackingSubs()...), help)
	for i := range subs {
		subs[i].ACL = "connection"
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
	if s := c.Engine.sessions.byID[n]; s != nil && c.Engine.Unblock(s, withError) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// noMore refuses further arguments of a subcommand.
func (c *Call) noMore() {
	if c.at < len(c.Args) {
		c.Refuse(c.subSyntaxError())
	}
}

// subSyntaxError is what a container says to a number of arguments that no form of the subcommand
// takes.
func (c *Call) subSyntaxError() error {
	return fmt.Errorf(ErrSubArgs, shown(c.Args[1], 128), strings.ToUpper(string(c.Args[0])))
}
