package engine

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// MONITOR
func cmdMonitor(c *Call) {
	s := c.Session
	if !c.MayBlock() {
		c.Fail(ErrMonitorTx)
		return
	}
	if !s.monitor {
		s.monitor = true
		c.Engine.Sessions.monitors = append(c.Engine.Sessions.monitors, s)
	}
	c.Reply.Status("OK")
}

// unmonitor stops showing commands to a session.
func (e *Engine) unmonitor(s *Session) {
	if s.monitor {
		s.monitor = false
		e.Sessions.monitors = slices.DeleteFunc(e.Sessions.monitors, func(m *Session) bool { return m == s })
	}
}

// feedMonitors sends a command that was executed to the monitors.
func (w *World) feedMonitors(c *Call) {
	line := monitorLine(w.time.micros, c.Session, c.Session.db, w.engine.Shown(c.Cmd, c.Args))
	for _, m := range w.engine.Sessions.monitors {
		switch {
		case m == c.Session: // CLIENT REPLY silences the line with the reply
			m.Reply.Raw(line)
		case m.world == w && !m.muted():
			m.Push(line)
		}
	}
}

// monitorLine is a command as MONITOR shows it: +1700000000.000001 [0 127.0.0.1:1234] "get" "k"
func monitorLine(micros int64, s *Session, db int, args [][]byte) []byte {
	line := []byte{'+'}
	line = strconv.AppendInt(line, micros/1e6, 10)
	line = append(line, '.')
	fraction := strconv.Itoa(int(micros%1e6 + 1e6))
	line = append(line, fraction[1:]...)
	line = append(line, " ["...)
	line = strconv.AppendInt(line, int64(db), 10)
	line = append(line, ' ')
	line = append(line, s.origin()...)
	line = append(line, ']')
	for _, arg := range args {
		line = append(line, ' ')
		line = resp.Quote(line, string(arg))
	}
	return append(line, "\r\n"...)
}

// origin returns where a command came from, as MONITOR shows it.
func (s *Session) origin() string {
	switch {
	case s.script:
		return "lua"
	case s.unix:
		return "unix:" + s.LocalAddr[:len(s.LocalAddr)-len(":0")]
	}
	return s.Addr
}

// ShowToMonitors sends the command to the monitors before the commands that it is about to run. It is for
// commands flagged SkipMonitor, such as EVAL.
func (c *Call) ShowToMonitors() {
	if len(c.Engine.Sessions.monitors) > 0 && !c.Session.loader {
		c.World.feedMonitors(c)
	}
}
