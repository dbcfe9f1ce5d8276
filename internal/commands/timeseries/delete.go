package timeseries

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// TS.DEL key from_timestamp to_timestamp
func cmdTSDel(c *engine.Call) {
	key := c.Arg()
	from := border(c, '-', 0, errFrom)
	to := border(c, '+', math.MaxUint64, errTo)
	s := edited(c, key)
	if !c.Failed() && !keeps(c, key, s, from) {
		c.Refuse(errCompacted)
	}
	if !c.OK() {
		return
	}
	last, _ := s.Last()
	n := s.Delete(from, to)
	if n > 0 {
		decompact(c, key, s, from, to, last)
	}
	changed(c, key, "ts.del")
	c.Reply.Int(int64(n))
}

// keeps reports whether the samples are kept of which the rules of the series at key count again if
// some are deleted from a time on.
func keeps(c *engine.Call, key []byte, s *timeseries.Series, from uint64) bool {
	for _, r := range rules(c, key, s) {
		if r.BucketOf(from) < s.Oldest() {
			return false
		}
	}
	return true
}

// border reads the beginning or the end of a range of times, for which a sign may stand. An error
// is latched.
func border(c *engine.Call, sign byte, all uint64, err error) uint64 {
	arg := c.Arg()
	if len(arg) == 1 && arg[0] == sign {
		return all
	}
	t, fault := sampleTime(c, arg)
	if fault != nil {
		c.Refuse(err)
	}
	return t
}

// decompact has the rules of the series at key count again where samples were deleted. last was the
// last one before. A bucket that was closed and has the last sample now is open again.
func decompact(c *engine.Call, key []byte, s *timeseries.Series, from, to uint64, last timeseries.Sample) {
	tidy(c, key, s)
	for _, r := range s.Rules() {
		first, end := r.BucketOf(from), r.BucketOf(min(to, last.Time))
		r.Reopen(s)
		open, some := r.Open()
		if !some {
			open = 0
		}
		dest := edited(c, []byte(r.Dest))
		dest.Delete(first, end)
		dest.Delete(open, math.MaxUint64)
		for _, t := range []uint64{first, end} {
			if x, ok := r.Closed(s, t); ok && t < open {
				dest.Put(x, timeseries.KeepLast)
			}
		}
		c.Changed([]byte(r.Dest), event.Event{})
	}
}
