package engine

import (
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// slowlog is the last commands that took at least a threshold: of microseconds, or of bytes.
type slowlog struct {
	threshold int64 // below 0 nothing is logged
	maxLen    int   // entries
	entries   []slowEntry
	next      int64 // id
}

// slowEntry is a command that took long or was large, with what is shown of its arguments.
type slowEntry struct {
	id, unix, value int64
	args            []string
	addr, name      string
}

// sizelogs are the commands with large requests and large replies, which Valkey logs since 8.1. Elsewhere the thresholds are off.
type sizelogs struct {
	requests, replies slowlog
	on                bool // one of them logs
}

var logsSizes = release.From("valkey:8.1.0")

func newSizelogs(r *release.Release) (l sizelogs) {
	off := slowlog{threshold: -1, maxLen: 128}
	l.requests, l.replies = off, off
	if r.Has(logsSizes) {
		l.requests.threshold, l.replies.threshold, l.on = 1<<20, 1<<20, true
	}
	return l
}

// logSizes logs a command whose request or reply is large.
func (w *World) logSizes(s *Session, cmd *command.Command, args [][]byte, reply int) {
	e := w.engine
	if cmd == nil || cmd.Flags&command.SkipSlowlog != 0 {
		return
	}
	for _, l := range []struct {
		log  *slowlog
		size int64
	}{{&e.sizelogs.requests, wireBytes(args)}, {&e.sizelogs.replies, int64(reply)}} {
		if l.log.threshold >= 0 && l.size >= l.log.threshold {
			l.log.add(s, e.shown(cmd, args), l.size, w.time.micros/1e6)
		}
	}
}

// sizelogParams are the parameters of the logs of large commands.
func (e *Engine) sizelogParams() (list []Param) {
	for name, l := range map[string]*slowlog{"request": &e.sizelogs.requests, "reply": &e.sizelogs.replies} {
		larger := IntParam("commandlog-"+name+"-larger-than", &l.threshold, -1, math.MaxInt64)
		set := larger.Set
		larger.Set = func(v string) error {
			err := set(v)
			e.sizelogs.on = e.sizelogs.requests.threshold >= 0 || e.sizelogs.replies.threshold >= 0
			return err
		}
		list = append(list, larger, l.lengthParam("commandlog-large-"+name+"-max-len"))
	}
	return list
}

// lengthParam is the parameter for the number of entries, which shortens the log at once.
func (l *slowlog) lengthParam(name string, aliases ...string) Param {
	p := IntParam(name, &l.maxLen, 0, math.MaxInt64, aliases...)
	set := p.Set
	p.Set = func(v string) error {
		err := set(v)
		l.trim()
		return err
	}
	return p
}

// What an entry shows of a command.
const (
	maxSlowlogArgs = 32  // arguments, the last of them telling how many are left out
	maxSlowlogText = 128 // bytes of an argument
)

func (l *slowlog) add(s *Session, args [][]byte, value, unix int64) {
	l.next++
	if l.maxLen == 0 {
		return
	}
	addr, name := s.slowlogOrigin()
	l.entries = append(l.entries, slowEntry{
		id: l.next - 1, unix: unix, value: value,
		args: slowlogArgs(args), addr: addr, name: name,
	})
	l.trim()
}

// When the slow log ceased to show an address for what scripts call, and when it began to show their caller's.
var noScriptAddress, callerAddress = release.From("7.2.0"), release.From("valkey:8.1.0")

// slowlogOrigin returns the address and the name that the slow log shows for the session's commands.
func (s *Session) slowlogOrigin() (addr, name string) {
	switch r := s.engine.Release; {
	case !s.script:
		return s.Addr, s.Name
	case s.caller != nil && r.Has(callerAddress):
		return s.caller.Addr, s.caller.Name
	case !r.Has(noScriptAddress):
		return "?:0", ""
	}
	return "", ""
}

// trim drops the oldest entries over the limit. It moves none, as a log may be long.
func (l *slowlog) trim() {
	if over := len(l.entries) - l.maxLen; over > 0 {
		clear(l.entries[:over])
		l.entries = l.entries[over:]
	}
}

// slowlogArgs cuts a command's arguments to what the slow log shows.
func slowlogArgs(args [][]byte) []string {
	n := min(len(args), maxSlowlogArgs)
	shown := make([]string, n)
	for i, arg := range args[:n] {
		switch {
		case i == maxSlowlogArgs-1 && len(args) > maxSlowlogArgs:
			shown[i] = fmt.Sprintf("... (%d more arguments)", len(args)-maxSlowlogArgs+1)
		case len(arg) > maxSlowlogText:
			shown[i] = fmt.Sprintf("%s... (%d more bytes)", arg[:maxSlowlogText], len(arg)-maxSlowlogText)
		default:
			shown[i] = string(arg)
		}
	}
	return shown
}
