package clients

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// family is the commands about the connection itself, but for SELECT.
var family = newFamily()

func newFamily() command.Family {
	const before = command.NoScript | command.Loading | command.Stale | command.Fast | command.NoAuth |
		command.AllowBusy
	return command.Family{Group: "connection", Commands: []command.Line{
		{Name: "ping", Arity: -1,
			Flags: command.Fast | command.AllowSubscribed | command.HealthCheck | command.Harmless, Run: cmdPing,
			Reply: "any", Since: "1.0.0", Syntax: "[message]", Summary: "Returns the server's liveliness response.",
			Tips: "request_policy:all_shards response_policy:all_succeeded", Complexity: "O(1)",
			Was: []command.Was{command.Before("7.0.0", "+stale")}},
		{Name: "echo", Arity: 2, Flags: command.Loading | command.Stale | command.Fast | command.Harmless,
			Run: cmdEcho, Reply: "text", Since: "1.0.0",
			Syntax: "message", Summary: "Returns the given string.", Complexity: "O(1)",
			Was: []command.Was{command.Before("7.0.0", "-loading -stale")}},
		{Name: "hello", Arity: -1, Flags: before | command.Harmless,
			Run: cmdHello, Secrets: secretsOfHello, Reply: "array", Since: "6.0.0",
			Syntax:  "arguments=[protover auth(/username_password)=[AUTH username password] [SETNAME clientname]]",
			Summary: "Handshakes with the server.", Complexity: "O(1)",
			History: "valkey:8.1.0 Shows the availability zone if the parameter `availability-zone` names one.\n" +
				"6.2.0 Without arguments it describes the connection and changes nothing."},
		{Name: "auth", Arity: -2, Flags: before | command.Harmless | command.LogsIn, Run: cmdAuth,
			Secrets: command.SecretsFrom(1), Reply: "status", Since: "1.0.0", Syntax: "[username]@6.0.0 password",
			Summary: "Authenticates the connection.", Complexity: "O(N), N being the number of the user's passwords",
			History: "6.0.0 Takes a user name before the password."},
		{Name: "quit", Arity: -1, Flags: before | command.AllowTx | command.DropsTx | command.AllowSubscribed |
			command.Harmless, Run: cmdQuit, Reply: "status", Since: "1.0.0",
			Summary: "Closes the connection.", Complexity: "O(1)", Deprecated: "7.2.0 closing the connection"},
		{Name: "reset", Arity: 1, Flags: before | command.AllowTx | command.DropsTx | command.AllowSubscribed |
			command.Harmless, Run: cmdReset, Reply: "status", Since: "6.2.0",
			Summary: "Resets the connection.", Complexity: "O(1)",
			Was: []command.Was{command.Before("7.0.0", "-no_auth")}},
		{Name: "client", Arity: -2, Flags: command.KeepsCaching, Since: "2.4.0", Subs: clientSubs(),
			Complexity: "Depends on the subcommand", Summary: "A container for client connection commands.",
			Was: []command.Was{command.Before("7.0.0", "+random")}},
	}, Wordings: []command.Wording{
		{Before: "7.2.0", Error: errHelloAuth, Was: "NOAUTH HELLO must be called with the client already " +
			"authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and " +
			"select the RESP protocol version at the same time"},
	}}
}

// PING [message]
func cmdPing(c *engine.Call) {
	switch {
	case c.Left() > 1:
		c.Refusef(command.ErrArity, c.Cmd.FullName())
		c.OK()
	case c.Session.Listens() && c.Reply.Proto() == 2:
		c.Reply.Array(2)
		c.Reply.BulkString("pong")
		if c.More() {
			c.Reply.Bulk(c.Arg())
		} else {
			c.Reply.BulkString("")
		}
	case c.More():
		c.Reply.Bulk(c.Arg())
	default:
		c.Reply.Status("PONG")
	}
}

// ECHO message
func cmdEcho(c *engine.Call) { c.Reply.Bulk(c.Arg()) }

// QUIT
func cmdQuit(c *engine.Call) {
	c.Session.CloseAfterReply()
	c.Reply.Status("OK")
}

// RESET
func cmdReset(c *engine.Call) {
	c.Session.Reset()
	c.Reply.Status("RESET")
}

// AUTH [username] password
func cmdAuth(c *engine.Call) {
	user := []byte("default")
	switch {
	case c.Left() > 2:
		c.Refuse(engine.ErrSyntax)
	case c.Left() == 2:
		user = c.Arg()
	case c.Engine.Users.Default().NoPass():
		c.Refuse(errNoPassword)
	}
	if !c.OK() {
		return
	}
	if !c.Login(user, c.Arg()) {
		c.Fail(engine.ErrWrongPass)
		return
	}
	c.Reply.Status("OK")
}

// HELLO [protover [AUTH username password] [SETNAME clientname]]
func cmdHello(c *engine.Call) {
	proto, name := int64(0), []byte(nil)
	if c.More() {
		if proto = c.IntOr(errProtoInt); !c.Failed() && (proto < 2 || proto > 3) {
			c.Refuse(errNoProto)
		}
	}
	var user, password []byte
	for c.More() {
		switch {
		case c.Left() > 2 && c.Word("AUTH"):
			user, password = c.Arg(), c.Arg()
		case c.Left() > 1 && c.Word("SETNAME"):
			if name = c.Arg(); !printable(name) {
				c.Refuse(errName)
			}
		default:
			c.Refusef(errHelloOption, c.Arg())
		}
	}
	if user != nil && !c.Failed() && !c.Login(user, password) {
		c.Refuse(engine.ErrWrongPass)
	}
	if !c.Failed() && !c.Session.Authenticated() {
		c.Refuse(errHelloAuth)
	}
	if !c.OK() {
		return
	}
	if name != nil {
		c.Session.Name = string(name)
	}
	if proto != 0 {
		c.Reply.SetProto(int(proto))
	}
	replyHello(c)
}

// secretsOfHello returns the positions of the user names and passwords.
func secretsOfHello(args [][]byte) (at []int) {
	for i := 2; i < len(args); i++ {
		switch {
		case command.IsWord(args[i], "AUTH"):
			at = append(at, i+1, i+2)
			i += 2
		case command.IsWord(args[i], "SETNAME"):
			i++
		}
	}
	return at
}

// replyHello replies with what HELLO says about the server.
func replyHello(c *engine.Call) {
	w, zone := c.Reply, c.Engine.Params.Named("availability-zone").Get()
	product, version := c.Engine.Release.Product, c.Engine.Release.Version
	if c.Engine.Params.Named("extended-redis-compatibility").Get() == "yes" {
		product, version = "redis", c.Engine.Release.Redis
	}
	w.Map(7 + min(len(zone), 1))
	for _, pair := range [...][2]string{{"server", product}, {"version", version}} {
		w.BulkString(pair[0])
		w.BulkString(pair[1])
	}
	w.BulkString("proto")
	w.Int(int64(w.Proto()))
	w.BulkString("id")
	w.Int(c.Session.ID)
	for _, word := range [...]string{"mode", c.Engine.Config.Mode(), "role", "master", "modules"} {
		w.BulkString(word)
	}
	server.ReplyModules(c)
	if zone != "" {
		w.BulkString("availability_zone")
		w.BulkString(zone)
	}
}

// printable reports whether text is printable ASCII without blanks, as a connection's name must be.
func printable(text []byte) bool {
	for _, ch := range text {
		if ch < '!' || ch > '~' {
			return false
		}
	}
	return true
}
