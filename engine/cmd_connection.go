package engine

import "github.com/miniserver-go/miniserver/internal/command"

// Connection is the family of commands about the connection itself, but for SELECT.
func Connection() command.Family {
	const before = command.NoScript | command.Loading | command.Stale | command.Fast | command.NoAuth | command.AllowBusy
	return command.Family{Group: "connection", Commands: []command.Line{
		{Name: "ping", Arity: -1, Flags: command.Fast | command.AllowSubscribed | command.HealthCheck | command.Harmless, Run: cmdPing, Reply: "any", Since: "1.0.0",
			Syntax: "[message]", Summary: "Returns the server's liveliness response.",
			Tips: "request_policy:all_shards response_policy:all_succeeded", Complexity: "O(1)", Was: []command.Was{command.Before("7.0.0", "+stale")}},
		{Name: "echo", Arity: 2, Flags: command.Loading | command.Stale | command.Fast | command.Harmless, Run: cmdEcho, Reply: "text", Since: "1.0.0",
			Syntax: "message", Summary: "Returns the given string.", Complexity: "O(1)", Was: []command.Was{command.Before("7.0.0", "-loading -stale")}},
		{Name: "hello", Arity: -1, Flags: before | command.Harmless, Run: cmdHello, Secrets: secretsOfHello, Reply: "array", Since: "6.0.0",
			Syntax: "arguments=[protover auth(/username_password)=[AUTH username password] [SETNAME clientname]]", Summary: "Handshakes with the server.",
			Complexity: "O(1)",
			History: "valkey:8.1.0 Shows the availability zone if the parameter `availability-zone` names one.\n" +
				"6.2.0 Without arguments it describes the connection and changes nothing."},
		{Name: "auth", Arity: -2, Flags: before | command.Harmless, Run: cmdAuth, Secrets: command.SecretsFrom(1), Reply: "status", Since: "1.0.0",
			Syntax: "[username]@6.0.0 password", Summary: "Authenticates the connection.",
			Complexity: "O(N), N being the number of the user's passwords",
			History:    "6.0.0 Takes a user name before the password."},
		{Name: "quit", Arity: -1, Flags: before | command.AllowTx | command.DropsTx | command.AllowSubscribed | command.Harmless, Run: cmdQuit, Reply: "status", Since: "1.0.0",
			Summary: "Closes the connection.", Complexity: "O(1)",
			Deprecated: "7.2.0 closing the connection"},
		{Name: "reset", Arity: 1, Flags: before | command.AllowTx | command.DropsTx | command.AllowSubscribed | command.Harmless, Run: cmdReset, Reply: "status", Since: "6.2.0",
			Summary: "Resets the connection.", Complexity: "O(1)", Was: []command.Was{command.Before("7.0.0", "-no_auth")}},
		{Name: "client", Arity: -2, Flags: command.KeepsCaching, Since: "2.4.0", Subs: clientSubs(),
			Complexity: "Depends on the subcommand", Summary: "A container for client connection commands.", Was: []command.Was{command.Before("7.0.0", "+random")}},
	}}
}

// PING [message]
func cmdPing(c *Call) {
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
func cmdEcho(c *Call) { c.Reply.Bulk(c.Arg()) }

// QUIT
func cmdQuit(c *Call) {
	c.Session.CloseAfterReply()
	c.Reply.Status("OK")
}

// RESET
func cmdReset(c *Call) {
	s := c.Session
	c.World.detach(s)
	s.db, s.Name = 0, ""
	s.noEvict, s.noTouch, s.imports, s.redirects, s.readsReplica = false, false, false, false, false
	s.regroup()
	if s.reply == replyOff {
		s.reply = replyOn // SKIP still applies to this reply
	}
	s.user, s.authed = c.Engine.users.defaultUser, !c.Engine.users.requiresAuth()
	s.Reply.SetProto(2)
	c.Reply.Status("RESET")
}

// AUTH [username] password
func cmdAuth(c *Call) {
	user := []byte(defaultUserName)
	switch {
	case c.Left() > 2:
		c.Refuse(ErrSyntax)
	case c.Left() == 2:
		user = c.Arg()
	case c.Engine.users.defaultUser.NoPass():
		c.Refuse(ErrNoPassword)
	}
	if !c.OK() {
		return
	}
	if !c.login(user, c.Arg()) {
		c.Fail(ErrWrongPass)
		return
	}
	c.Reply.Status("OK")
}

// HELLO [protover [AUTH username password] [SETNAME clientname]]
func cmdHello(c *Call) {
	proto, name := int64(0), []byte(nil)
	if c.More() {
		if proto = c.IntOr(ErrProtoInt); c.err == nil && (proto < 2 || proto > 3) {
			c.Refuse(ErrNoProto)
		}
	}
	var user, password []byte
	for c.More() {
		switch {
		case c.Left() > 2 && c.Word("AUTH"):
			user, password = c.Arg(), c.Arg()
		case c.Left() > 1 && c.Word("SETNAME"):
			if name = c.Arg(); !printable(name) {
				c.Refuse(ErrClientName)
			}
		default:
			c.Refusef(ErrHelloOption, c.Arg())
		}
	}
	if user != nil && c.err == nil && !c.login(user, password) {
		c.Refuse(ErrWrongPass)
	}
	if c.err == nil && !c.Engine.isAuthenticated(c.Session) {
		c.Refuse(ErrHelloAuth)
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
	c.replyHello()
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
func (c *Call) replyHello() {
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
	for _, word := range [...]string{"mode", c.Engine.Mode(), "role", "master", "modules"} {
		w.BulkString(word)
	}
	c.replyModules()
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
