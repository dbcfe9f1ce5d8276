package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// compacted is the event of a destination that a rule gave a sample.
var compacted = event.Module("ts.add:dest")

// compact lets the rules of the series at key know a sample that is later than all before, and
// gives their destinations the buckets that it ends.
func compact(c *engine.Call, key []byte, s *timeseries.Series, x timeseries.Sample) {
	if len(s.Rules()) == 0 {
		return
	}
	tidy(c, key, s)
	for _, r := range s.Rules() {
		if done, ok := r.Take(x); ok {
			give(c, r, done, compacted)
		}
	}
}

// recompact has the rules of the series at key count the bucket of a time again, whose samples have
// changed.
func recompact(c *engine.Call, key []byte, s *timeseries.Series, t uint64) {
	if len(s.Rules()) == 0 {
		return
	}
	tidy(c, key, s)
	for _, r := range s.Rules() {
		last, _ := s.Last()
		if t >= r.BucketOf(last.Time) {
			r.Reopen(s)
		} else if x, ok := r.Closed(s, t); ok {
			give(c, r, x, event.Event{})
		}
	}
}

// give adds an aggregate to the destination of a rule, or changes the one that is there. One that
// is older than what the destination keeps is lost.
func give(c *engine.Call, r *timeseries.Rule, x timeseries.Sample, ev event.Event) {
	key := []byte(r.Dest)
	if dest := edited(c, key); x.Time >= dest.Oldest() {
		dest.Put(x, timeseries.KeepLast)
	}
	c.Changed(key, ev)
}
