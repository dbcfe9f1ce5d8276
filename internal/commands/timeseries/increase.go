package timeseries

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// TS.INCRBY key addend [TIMESTAMP timestamp] [options of TS.ADD]
func cmdTSIncrBy(st *settings, c *engine.Call) { st.increase(c, 1, "ts.incrby") }

// TS.DECRBY key subtrahend [TIMESTAMP timestamp] [options of TS.ADD]
func cmdTSDecrBy(st *settings, c *engine.Call) { st.increase(c, -1, "ts.decrby") }

// increase adds a sample that is the last one and a number with a sign.
func (st *settings) increase(c *engine.Call, sign float64, event string) {
	key, step := c.Arg(), c.Arg()
	s, o := optional(c, key, errWrongType), st.defaults()
	if s == nil && !c.Failed() {
		options(c, &o)
	}
	by, ok := resp.ParseFloat(step)
	if !ok || math.IsNaN(by) {
		c.Refuse(errStep)
	}
	t := timestamp(c)
	last := timeseries.Sample{}
	if s != nil {
		last, _ = s.Last()
	}
	if t < last.Time {
		c.Refuse(errBefore)
	}
	if math.IsNaN(last.Value) {
		c.Refuse(errMissingStep)
	}
	if !c.OK() {
		return
	}
	if s == nil {
		s = st.create(c, key, o)
	}
	x := timeseries.Sample{Time: t, Value: last.Value + sign*by}
	at, _, err := st.store(c, key, s, x, timeseries.KeepLast)
	if err != nil {
		c.Fail(err)
		return
	}
	propagateAt(c, t)
	changed(c, key, event)
	c.Reply.Int(int64(at))
}

// timestamp reads TIMESTAMP, which by default is now. An error is latched.
func timestamp(c *engine.Call) uint64 {
	at := find(c, "TIMESTAMP", 1)
	if at < 0 {
		return uint64(c.Date())
	}
	t, err := sampleTime(c, argAt(c, at+1, errTime))
	if err == errTimeRange {
		n, _ := resp.ParseInt(c.Args[at+1])
		return uint64(n)
	}
	if err != nil {
		c.Refuse(err)
	}
	return t
}

// propagateAt propagates a command whose time is now with that time.
func propagateAt(c *engine.Call, t uint64) {
	now := resp.Decimal(int64(t))
	at := find(c, "TIMESTAMP", 1)
	switch {
	case at < 0:
		c.PropagateAs(append(c.Line(c.Args[0], c.Args[1], c.Args[2], []byte("TIMESTAMP"), now), c.Args[3:]...)...)
	case string(c.Args[at+1]) == "*":
		line := append(c.Line(c.Args[:at+1]...), now)
		c.PropagateAs(append(line, c.Args[at+2:]...)...)
	}
}
