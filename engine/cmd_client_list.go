package engine

import (
	"bytes"
	"slices"
	"strings"
)

// CLIENT INFO
func cmdClientInfo(c *Call) {
	var b bytes.Buffer
	c.Engine.writeClientInfo(&b, c.Session, c.Args)
	c.Reply.Verbatim("txt", b.Bytes())
}

// CLIENT LIST [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]
func cmdClientList(c *Call) {
	list := c.Engine.Sessions.inOrder()
	switch {
	case c.Left() == 2 && c.Word("TYPE"):
		t := c.clientType()
		list = slices.DeleteFunc(list, func(s *Session) bool { return s.clientType() != t })
	case c.Left() > 1 && c.Word("ID"):
		list = c.sessionsByID()
	default:
		c.End()
	}
	if !c.OK() {
		return
	}
	var b bytes.Buffer
	for _, s := range list {
		var args [][]byte
		if s == c.Session {
			args = c.Args
		}
		c.Engine.writeClientInfo(&b, s, args)
	}
	c.Reply.Verbatim("txt", b.Bytes())
}

func (c *Call) sessionsByID() (list []*Session) {
	for c.More() {
		if s := c.Engine.Sessions.ByID[c.IntOr(ErrClientID)]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// clientType reads a type of clients.
func (c *Call) clientType() string {
	arg := c.Arg()
	switch t := strings.ToLower(string(arg)); t {
	case "normal", "master", "replica", "pubsub":
		return t
	case "slave":
		return "replica"
	}
	c.Refusef(ErrClientType, arg)
	return ""
}
