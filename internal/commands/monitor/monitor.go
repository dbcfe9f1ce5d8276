// Package monitor is MONITOR: a client that sees the commands that the others of its world run.
//
// The monitors of a world are its observers as long as there is one.
package monitor

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Part returns the command.
func Part() engine.Part {
	return engine.Part{Detach: remove, Families: []command.Family{family}}
}

var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "monitor", Arity: 1, Flags: command.Admin | command.NoScript | command.Loading | command.Stale |
		command.Harmless, Run: cmdMonitor, Reply: "status", Since: "1.0.0",
		Summary:    "Listens for all requests received by the server in real-time.",
		Complexity: "O(1) for each command that the server executes from then on"},
}}

// errInTx has the text of Redis.
const errInTx = command.Error("ERR MONITOR isn't allowed for DENY BLOCKING client")

// monitors are those of a world.
type monitors struct {
	list     []*engine.Session
	observer engine.Observer
}

func monitorsOf(w *engine.World) *monitors { return engine.PerWorld[monitors](w) }

// MONITOR
func cmdMonitor(c *engine.Call) {
	if !c.MayBlock() {
		c.Fail(errInTx)
		return
	}
	if !c.Session.Monitors {
		c.Session.Monitors = true
		monitorsOf(c.World).add(c.World, c.Session)
	}
	c.Reply.Status("OK")
}

func (m *monitors) add(w *engine.World, s *engine.Session) {
	if m.list = append(m.list, s); len(m.list) == 1 {
		m.observer.Shown = m.feed
		w.Observe(&m.observer)
	}
}

// remove stops showing commands to a session.
func remove(s *engine.Session) {
	if !s.Monitors {
		return
	}
	s.Monitors = false
	m := monitorsOf(s.World())
	if m.list = slices.DeleteFunc(m.list, func(other *engine.Session) bool { return other == s }); len(m.list) == 0 {
		s.World().Unobserve(&m.observer)
	}
}

// feed sends a command to the monitors.
func (m *monitors) feed(c *engine.Call) {
	text := line(c.World.Micros(), c.Session, c.Engine.Shown(c.Cmd, c.Args))
	for _, s := range m.list {
		switch {
		case s == c.Session: // CLIENT REPLY silences the line with the reply
			s.Reply.Raw(text)
		case !s.Muted():
			s.Push(text)
		}
	}
}

// line is a command as MONITOR shows it: +1700000000.000001 [0 127.0.0.1:1234] "get" "k"
func line(micros int64, s *engine.Session, args [][]byte) []byte {
	text := []byte{'+'}
	text = strconv.AppendInt(text, micros/1e6, 10)
	text = append(text, '.')
	fraction := strconv.Itoa(int(micros%1e6 + 1e6))
	text = append(text, fraction[1:]...)
	text = append(text, " ["...)
	text = strconv.AppendInt(text, int64(s.DB()), 10)
	text = append(text, ' ')
	text = append(text, origin(s)...)
	text = append(text, ']')
	for _, arg := range args {
		text = append(text, ' ')
		text = resp.Quote(text, string(arg))
	}
	return append(text, "\r\n"...)
}

// origin returns where a command came from.
func origin(s *engine.Session) string {
	switch {
	case s.InScript():
		return "lua"
	case s.Unix:
		return "unix:" + s.LocalAddr[:len(s.LocalAddr)-len(":0")]
	}
	return s.Addr
}
