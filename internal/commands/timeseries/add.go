package timeseries

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// TS.ADD key timestamp value [RETENTION retention] [ENCODING UNCOMPRESSED|COMPRESSED] [CHUNK_SIZE
// size] [DUPLICATE_POLICY policy] [IGNORE max_time_diff max_val_diff] [ON_DUPLICATE policy] [LABELS
// label value ...]
func cmdTSAdd(st *settings, c *engine.Call) {
	key := c.Arg()
	x := sample(c)
	s, o, over := optional(c, key, errNotSeries), st.defaults(), timeseries.Unset
	switch {
	case c.Failed():
	case s == nil:
		options(c, &o)
	default:
		over = onDuplicate(c)
	}
	if !c.OK() {
		return
	}
	if s == nil {
		s = st.create(c, key, o)
	}
	at, stored, err := st.store(c, key, s, x, over)
	if err != nil {
		c.Fail(err)
		return
	}
	if c.Args[2][0] == '*' {
		c.PropagateAs(append(c.Line(c.Args[0], key, strconv.AppendUint(c.Scratch(), x.Time, 10)), c.Args[3:]...)...)
	}
	changed(c, key, "ts.add")
	if !stored {
		c.PropagateNothing()
	}
	c.Reply.Int(int64(at))
}

// sample reads the time and the value of a sample. An error is latched.
func sample(c *engine.Call) (x timeseries.Sample) {
	time, value := c.Arg(), c.Arg()
	x, err := parseSample(c, time, value)
	if err != nil {
		c.Refuse(err)
	}
	return x
}

func parseSample(c *engine.Call, time, value []byte) (x timeseries.Sample, err error) {
	v, ok := parseValue(c, value)
	if !ok {
		return x, errValue
	}
	t, err := sampleTime(c, time)
	return timeseries.Sample{Time: t, Value: v}, err
}

// TS.MADD key timestamp value [key timestamp value ...]
func cmdTSMAdd(st *settings, c *engine.Call) {
	if c.Left()%3 != 0 {
		c.Fail(wrongArity(c))
		return
	}
	c.Reply.Array(c.Left() / 3)
	line := c.Line(c.Args[0])
	for c.More() {
		key, time, value := c.Arg(), c.Arg(), c.Arg()
		at, stored, err := st.addTo(c, key, time, value)
		if err != nil {
			c.Reply.Error(err)
			continue
		}
		changed(c, key, "ts.add")
		if stored {
			line = append(line, key, resp.Decimal(int64(at)), value)
		}
		c.Reply.Int(int64(at))
	}
	if len(line) == 1 {
		c.PropagateNothing()
		return
	}
	c.PropagateAs(line...)
}

// addTo adds a sample to the series at key.
func (st *settings) addTo(c *engine.Call, key, time, value []byte) (at uint64, stored bool, err error) {
	x, err := parseSample(c, time, value)
	if err != nil {
		return 0, false, err
	}
	v, _ := engine.Edit[keyspace.Value](c, key)
	s, ok := v.(*timeseries.Series)
	if !ok {
		return 0, false, errNotSeries
	}
	return st.store(c, key, s, x, timeseries.Unset)
}

// store adds a sample to the series at key, and what follows from it to the destinations of its
// rules. over is the policy for the sample; Unset leaves it to the series. If the sample is to be
// ignored, stored is false, and at the time of the last one.
func (st *settings) store(c *engine.Call, key []byte, s *timeseries.Series, x timeseries.Sample,
	over timeseries.Policy) (at uint64, stored bool, err error) {
	if x.Time < s.Oldest() {
		return 0, false, errOld
	}
	p := st.policyOf(s, over)
	last, some := s.Last()
	switch {
	case some && p == timeseries.KeepLast && ignored(s.Options(), last, x):
		return last.Time, false, nil
	case !s.Put(x, p):
		c.DB.Commit(key) // a chunk may be cut
		if p != timeseries.Block {
			return 0, false, errMissing
		}
		return 0, false, errBlocked
	case some && x.Time <= last.Time:
		recompact(c, key, s, x.Time)
	default:
		compact(c, key, s, x)
	}
	return x.Time, true, nil
}

// policyOf returns the policy that counts for a sample.
func (st *settings) policyOf(s *timeseries.Series, over timeseries.Policy) timeseries.Policy {
	switch own := s.Options().Policy; {
	case over != timeseries.Unset:
		return over
	case own != timeseries.Unset:
		return own
	}
	return st.options.Policy
}

// ignored reports whether a sample is so close to the last one that the series does not get it.
func ignored(o timeseries.Options, last, x timeseries.Sample) bool {
	return x.Time >= last.Time && x.Time-last.Time <= o.IgnoreTime && math.Abs(x.Value-last.Value) <= o.IgnoreValue
}
