package search

import "github.com/miniserver-go/miniserver/internal/engine"

// span is the time that a command may take, without that in which it has paused for others.
type span struct {
	call  *engine.Call
	start int64 // in microseconds
	most  int64 // in milliseconds; any time if it is 0
	rows  int   // since the command could have paused
	gone  bool  // the client has left
}

// newSpan returns a span that begins now.
func newSpan(c *engine.Call, most int64) *span {
	s := &span{call: c, most: most}
	s.begin()
	return s
}

// begin begins the span anew.
func (s *span) begin() { s.start = s.call.World.Clock() }

// isOver reports whether the time is up or the client has left. It pauses first if that is due.
func (s *span) isOver() bool {
	if !s.gone && s.call.IsDue() {
		s.pause()
	}
	return s.gone || s.most > 0 && (s.call.World.Clock()-s.start)/1000 >= s.most
}

// rowsBetween is the number of rows between two pauses at least.
const rowsBetween = 16

// isAbandoned is called for each row of a reply, and reports whether the client has left. Now and
// then it pauses first if that is due.
func (s *span) isAbandoned() bool {
	if s.rows++; s.rows%rowsBetween == 0 && !s.gone && s.call.IsDue() {
		s.pause()
	}
	return s.gone
}

// pause lets others run. Meanwhile the indexes stay as they are.
func (s *span) pause() {
	cat, begun := of(s.call.World), s.call.World.Clock()
	cat.walked = true
	s.gone = s.call.Pause()
	cat.walked = false
	s.start += s.call.World.Clock() - begun
}
