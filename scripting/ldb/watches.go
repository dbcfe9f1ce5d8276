package ldb

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// watch shows the watches, or adds one: watch [code], watch key name.
func (s *Session) watch(args []string) {
	var w debugger.Watch
	var err error
	switch {
	case len(args) == 0:
		s.listWatches()
		return
	case len(args) == 2 && args[0] == "key":
		w, err = s.debug.WatchKey(args[1])
	default:
		w, err = s.debug.WatchExpression(strings.Join(args, " "), s.selected)
	}
	if err != nil {
		s.noteError(err)
		return
	}
	s.noteWatch(w)
}

func (s *Session) listWatches() {
	watches := s.debug.Watches()
	if len(watches) == 0 {
		s.note("No watches set. Use 'watch <code>' or 'watch key <name>' to add one.")
	}
	for _, w := range watches {
		s.noteWatch(w)
	}
}

// noteWatch shows a watch with its value.
func (s *Session) noteWatch(w debugger.Watch) {
	s.noteTrimmed("<watch> " + strconv.Itoa(w.Number) + ": " + watched(w) + " = " + w.Value)
}

// noteChange shows a watch with its old and its new value.
func (s *Session) noteChange(c debugger.Change) {
	s.noteTrimmed("<watch> " + strconv.Itoa(c.Number) + ": " + watched(c.Watch))
	s.noteTrimmed("  old = " + c.Old)
	s.noteTrimmed("  new = " + c.Value)
}

func watched(w debugger.Watch) string {
	if w.Expression == "" {
		return "key " + w.Key
	}
	return w.Expression
}

// unwatch removes a watch, or all: unwatch [n].
func (s *Session) unwatch(args []string) {
	if len(args) == 0 {
		for _, w := range s.debug.Watches() {
			_ = s.debug.Unwatch(w.Number)
		}
		s.note("All watches removed.")
		return
	}
	n, _ := strconv.Atoi(args[0])
	if err := s.debug.Unwatch(n); err != nil {
		s.noteError(err)
		return
	}
	s.note("Watch removed.")
}
