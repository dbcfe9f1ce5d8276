package engine

import (
	"fmt"
	"slices"
)

// slowlog is the last commands that took longer than slowlog-log-slower-than.
type slowlog struct {
	slower  int64 // microseconds; below 0 nothing is logged
	most    int   // entries
	entries []slowEntry
	next    int64 // id
}

// slowEntry is a slow command with what is shown of its arguments.
type slowEntry struct {
	id, unix, micros int64
	args             []string
	addr, name       string
}

// What an entry shows of a command.
const (
	slowArgs = 32  // arguments, the last of them telling how many are left out
	slowText = 128 // bytes of an argument
)

func (l *slowlog) add(s *Session, args [][]byte, micros, unix int64) {
	l.next++
	if l.most == 0 {
		return
	}
	l.entries = append(l.entries, slowEntry{
		id: l.next - 1, unix: unix, micros: micros,
		args: shownArgs(args), addr: s.Addr, name: s.Name,
	})
	l.trim()
}

// trim drops the oldest entries over the limit.
func (l *slowlog) trim() {
	if over := len(l.entries) - l.most; over > 0 {
		l.entries = slices.Delete(l.entries, 0, over)
	}
}

// shownArgs cuts a command's arguments to what the slow log shows.
func shownArgs(args [][]byte) []string {
	n := min(len(args), slowArgs)
	shown := make([]string, n)
	for i, arg := range args[:n] {
		switch {
		case i == slowArgs-1 && len(args) > slowArgs:
			shown[i] = fmt.Sprintf("... (%d more arguments)", len(args)-slowArgs+1)
		case len(arg) > slowText:
			shown[i] = fmt.Sprintf("%s... (%d more bytes)", arg[:slowText], len(arg)-slowText)
		default:
			shown[i] = string(arg)
		}
	}
	return shown
}
