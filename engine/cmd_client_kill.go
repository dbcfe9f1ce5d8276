package engine

import "github.com/miniserver-go/miniserver/acl"

// killFilter is the options of CLIENT KILL.
type killFilter struct {
	id, minAge        int64 // 0 for any; seconds
	addr, laddr, kind string
	user              *acl.User // nil for any
	self              bool      // the caller may be among them
}

// CLIENT KILL <ip:port> | <[ID client-id] | [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] |
// [USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] | [MAXAGE maxage] ...>
func cmdClientKill(c *Call) {
	if c.Left() == 1 {
		if c.Engine.killClients(c.Session, killFilter{addr: string(c.Arg()), self: true}) == 0 {
			c.Fail(ErrNoClient)
			return
		}
		c.Reply.Status("OK")
		return
	}
	f := c.killFilter()
	if c.OK() {
		c.Reply.Int(int64(c.Engine.killClients(c.Session, f)))
	}
}

func (c *Call) killFilter() (f killFilter) {
	for c.More() {
		switch {
		case c.Left() < 2:
			c.Refuse(ErrSyntax)
		case c.Word("ID"):
			f.id = c.IntIn(1, 1<<63-1, ErrKillID)
		case c.Word("MAXAGE"):
			if f.minAge = c.IntOr(ErrMaxAgeInt); f.minAge <= 0 {
				c.Refuse(ErrMaxAge)
			}
		case c.Word("TYPE"):
			f.kind = c.clientType()
		case c.Word("ADDR"):
			f.addr = string(c.Arg())
		case c.Word("LADDR"):
			f.laddr = string(c.Arg())
		case c.Word("USER"):
			user := c.Arg()
			if f.user = c.Engine.users.byName[string(user)]; f.user == nil {
				c.Refusef(ErrNoUser, user)
			}
		case c.Word("SKIPME"):
			if f.self = c.Word("NO"); !f.self && !c.Word("YES") {
				c.Refuse(ErrSyntax)
			}
		default:
			c.Refuse(ErrSyntax)
		}
	}
	return f
}

// killClients closes the sessions that pass a filter and returns their number. The caller, if it is among
// them, closes after its reply.
func (e *Engine) killClients(caller *Session, f killFilter) (n int) {
	for _, s := range e.Sessions.inOrder() {
		switch {
		case f.addr != "" && s.Addr != f.addr, f.laddr != "" && s.LocalAddr != f.laddr,
			f.kind != "" && s.clientType() != f.kind, f.id != 0 && s.ID != f.id,
			f.user != nil && s.user != f.user, s == caller && !f.self, f.minAge != 0 && (e.time.micros-s.created)/1e6 < f.minAge:
			continue
		}
		e.closeSession(caller, s)
		n++
	}
	return n
}
