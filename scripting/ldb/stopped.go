package ldb

import (
	"fmt"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// New returns a session. It has more requests than those of the table if the front end brings some.
func New(console Console, more ...Request) *Session {
	return &Session{console: console, requests: append(requests(), more...), width: defaultWidth}
}

// reasons are the reasons of a stop, in Redis' words where Redis has them.
var reasons = map[debugger.Reason]string{
	debugger.BreakCalled:  "redis.breakpoint() called",
	debugger.AtBreakpoint: "break point",
	debugger.Changed:      "a watched value has changed",
	debugger.Finished:     "function finished",
	debugger.Overdue:      "timeout reached, infinite loop?",
	debugger.Paused:       "paused",
	debugger.Stepped:      "step over",
	debugger.Rewound:      "back",
	debugger.Failed:       "error",
}

// Stopped says where the run has stopped, and answers requests until one lets it go on.
func (s *Session) Stopped(d *debugger.Debugger, stop debugger.Stop) debugger.Order {
	s.debug, s.selected = d, 0
	s.note(fmt.Sprintf("* Stopped at %d, stop reason = %s", stop.Line, reasons[stop.Reason]))
	if stop.Err != nil {
		s.noteError(stop.Err)
	}
	for _, c := range stop.Changes {
		s.noteChange(c)
	}
	s.note(s.sourceLine(stop.Line))
	s.flush()
	for {
		words, ok := s.console.Ask()
		if !ok {
			return s.desert()
		}
		if order := s.obey(words); order != nil {
			s.shows = *order == debugger.StepInto || *order == debugger.StepOver
			return *order
		}
		s.flush()
	}
}

// desert returns the order for a run whose client is gone.
func (s *Session) desert() debugger.Order {
	s.shows = false
	if err := s.console.Gone(); err != nil {
		return debugger.Abort(err)
	}
	return debugger.Detach
}
