package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// CLIENT INFO
func cmdClientInfo(c *Call) {
	var b bytes.Buffer
	c.World.writeClientInfo(&b, c.Session, c.Args)
	c.Reply.Verbatim("txt", b.Bytes())
}

// CLIENT LIST [option value [option value ...]]
func cmdClientList(c *Call) {
	var list []*Session
	if c.asksForIDs() {
		list = c.sessionsByID()
	} else if c.Left() == 1 || c.Left() > 2 && !c.combines() {
		c.Refuse(ErrSyntax)
	} else if f := c.readClientFilter(true); c.err == nil {
		list = c.filtered(f)
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
		c.World.writeClientInfo(&b, s, args)
	}
	c.Reply.Verbatim("txt", b.Bytes())
}

// combinesFilters is when CLIENT LIST began to take several options.
var combinesFilters = release.From("valkey:8.1.0")

// combines reports whether several options may follow. An open release takes them, but leaves other words to the release
// as which it behaves.
func (c *Call) combines() bool {
	return c.Has(combinesFilters) || c.Engine.Release.Offers(combinesFilters) && slices.ContainsFunc(c.Args[c.at+2:], c.isClientOption)
}

// asksForIDs reports whether ID with one ID or more is the only option. Then the order is that of the IDs.
func (c *Call) asksForIDs() bool {
	rest := c.Args[c.at:]
	alone := !c.Engine.Release.Offers(combinesFilters)
	return len(rest) > 1 && command.IsWord(rest[0], "ID") && (alone || !slices.ContainsFunc(rest[1:], c.isClientOption))
}

func (c *Call) sessionsByID() (list []*Session) {
	c.Arg()
	for c.More() {
		if s := c.World.clients[c.clientID(ErrClientID)]; s != nil {
			list = append(list, s)
		}
	}
	return list
}

// primaries is when a master began to be called a primary as well.
var primaries = release.From("valkey:8.0.0")

// clientType reads a type of clients.
func (c *Call) clientType() string {
	arg := c.Arg()
	switch t := strings.ToLower(string(arg)); t {
	case "normal", "master", "replica", "pubsub":
		return t
	case "slave":
		return "replica"
	case "primary":
		if c.Engine.Release.Offers(primaries) {
			return "master"
		}
	}
	c.Refusef(ErrClientType, arg)
	return ""
}
