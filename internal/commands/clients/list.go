package clients

import (
	"bytes"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// CLIENT INFO
func cmdClientInfo(c *engine.Call) {
	var b bytes.Buffer
	writeLine(&b, c.Session, c.Args)
	c.Reply.Verbatim("txt", b.Bytes())
}

// CLIENT LIST [option value [option value ...]]
func cmdClientList(c *engine.Call) {
	var list []*engine.Session
	if asksForIDs(c) {
		list = sessionsByID(c)
	} else if c.Left() == 1 || c.Left() > 2 && !combines(c) {
		c.Refuse(engine.ErrSyntax)
	} else if f := readClientFilter(c, true); !c.Failed() {
		list = filtered(c, f)
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
		writeLine(&b, s, args)
	}
	c.Reply.Verbatim("txt", b.Bytes())
}

// combinesFilters is when CLIENT LIST began to take several options.
var combinesFilters = release.From("valkey:8.1.0")

// combines reports whether several options may follow. An open release takes them, but leaves other
// words to the release as which it behaves.
func combines(c *engine.Call) bool {
	return c.Has(combinesFilters) || c.Engine.Release.Offers(combinesFilters) &&
		slices.ContainsFunc(c.Args[c.Pos()+2:], isClientOption(c))
}

// asksForIDs reports whether ID with one ID or more is the only option. Then the order is that of
// the IDs.
func asksForIDs(c *engine.Call) bool {
	rest := c.Args[c.Pos():]
	alone := !c.Engine.Release.Offers(combinesFilters)
	return len(rest) > 1 && command.IsWord(rest[0], "ID") &&
		(alone || !slices.ContainsFunc(rest[1:], isClientOption(c)))
}

func sessionsByID(c *engine.Call) (list []*engine.Session) {
	c.Arg()
	for c.More() {
		if s := c.World.Client(clientID(c, errID)); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// primaries is when a master began to be called a primary as well.
var primaries = release.From("valkey:8.0.0")

// clientType reads a type of clients.
func clientType(c *engine.Call) string {
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
	c.Refusef(errType, arg)
	return ""
}

// CLIENT KILL ip:port | option value [option value ...]
func cmdClientKill(c *engine.Call) {
	if c.Left() == 1 {
		addr := string(c.Arg())
		if kill(c, clientFilter{
			tests: map[string]clientTest{"ADDR": func(s *engine.Session) bool { return s.Addr == addr }}, self: true,
		}) == 0 {
			c.Fail(errNoClient)
			return
		}
		c.Reply.Status("OK")
		return
	}
	f := readClientFilter(c, false)
	if c.OK() {
		c.Reply.Int(int64(kill(c, f)))
	}
}

// kill closes the sessions that pass a filter and returns their number. The caller, if it is among
// them, closes after its reply.
func kill(c *engine.Call, f clientFilter) int {
	list := filtered(c, f)
	for _, s := range list {
		s.DisconnectBy(c.Session)
	}
	return len(list)
}
