package engine

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/release"
)

// slowlog is the last commands that took longer than slowlog-log-slower-than.
type slowlog struct {
	threshold int64 // microseconds; below 0 nothing is logged
	maxLen    int   // entries
	entries   []slowEntry
	next      int64 // id
}

// slowEntry is a slow command with what is shown of its arguments.
type slowEntry struct {
	id, unix, micros int64
	args             []string
	addr, name       string
}

// What an entry shows of a command.
const (
	maxSlowlogArgs = 32  // arguments, the last of them telling how many are left out
	maxSlowlogText = 128 // bytes of an argument
)

func (l *slowlog) add(s *Session, args [][]byte, micros, unix int64) {
	l.next++
	if l.maxLen == 0 {
		return
	}
	addr, name := s.slowlogOrigin()
	l.entries = append(l.entries, slowEntry{
		id: l.next - 1, unix: unix, micros: micros,
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

// trim drops the oldest entries over the limit.
func (l *slowlog) trim() {
	if over := len(l.entries) - l.maxLen; over > 0 {
		l.entries = slices.Delete(l.entries, 0, over)
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
