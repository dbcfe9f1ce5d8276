package search

import "github.com/miniserver-go/miniserver/internal/engine"

// span is the time that a command may take.
type span struct {
	clock       func() int64 // in microseconds
	start, most int64        // in milliseconds; any time if most is 0
}

// newSpan returns a span that begins now.
func newSpan(c *engine.Call, most int64) *span {
	s := &span{clock: c.World.Clock, most: most}
	s.begin()
	return s
}

// begin begins the span anew.
func (s *span) begin() { s.start = s.clock() / 1000 }

// isOver reports whether the time is over.
func (s *span) isOver() bool { return s.most > 0 && s.clock()/1000-s.start >= s.most }
