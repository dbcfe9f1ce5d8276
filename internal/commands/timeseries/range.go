package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// TS.RANGE key fromTimestamp toTimestamp [options]
func cmdRange(c *engine.Call) { replyRange(c, false) }

// TS.REVRANGE key fromTimestamp toTimestamp [options]
func cmdRevRange(c *engine.Call) { replyRange(c, true) }

func replyRange(c *engine.Call, backwards bool) {
	s := seriesAt(c, c.Arg())
	if !c.OK() {
		return
	}
	o := parseRange(c, 1, 1)
	o.Backwards = backwards
	if c.OK() {
		o.settled(c, func() { o.reply(c, s) })
	}
}

// settled replies, and puts an error in place of the reply if that would show too many buckets
// without samples.
func (o *rangeOptions) settled(c *engine.Call, reply func()) {
	at := c.Reply.Len()
	if reply(); o.gaps.Exceeded {
		c.Reply.Truncate(at)
		c.Fail(errGaps)
	}
}

// reply replies with the samples of a series, or its buckets.
func (o *rangeOptions) reply(c *engine.Call, s *timeseries.Series) {
	if len(o.kinds) > 0 && len(o.kinds[0]) > 1 {
		o.replyRows(c, o.columns(c, s, o.kinds[0]))
	} else {
		replySamples(c.Reply, o.columns(c, s, o.firstKinds())[0])
	}
}

// firstKinds returns the aggregators of the first series, one that does nothing if there are none.
func (o *rangeOptions) firstKinds() []timeseries.Aggregator {
	if len(o.kinds) == 0 {
		return make([]timeseries.Aggregator, 1)
	}
	return o.kinds[0]
}

// columns returns what each of some aggregators makes of a series.
func (o *rangeOptions) columns(c *engine.Call, s *timeseries.Series, kinds []timeseries.Aggregator) (
	list []timeseries.Source) {
	open := o.open(c, s)
	for _, kind := range kinds {
		list = append(list, o.Samples(s, kind, open))
	}
	return list
}

// open returns the latest sample of a series that a rule fills and has not closed yet, if it is
// asked for; nil if there is none.
func (o *rangeOptions) open(c *engine.Call, s *timeseries.Series) *timeseries.Sample {
	if !o.latest {
		return nil
	}
	if x, ok := pending(c, s); ok {
		return &x
	}
	return nil
}

// replySamples replies with the samples of a source.
func replySamples(w *resp.Writer, from timeseries.Source) {
	at, n := w.Defer(), 0
	for batch := from.Next(); len(batch) > 0 && !w.Full(); batch = from.Next() {
		n += len(batch)
		for i := range batch {
			replySample(w, batch[i])
		}
	}
	w.SetArray(at, n)
}

// replyRows replies with a row for each time, which has the time and the values of all columns.
func (o *rangeOptions) replyRows(c *engine.Call, columns []timeseries.Source) {
	rows := timeseries.NewRows(columns, o.Backwards, o.Limit)
	at, n := c.Reply.Defer(), 0
	for t, values, ok := rows.Next(); ok && !c.Reply.Full(); t, values, ok = rows.Next() {
		n++
		c.Reply.Array(1 + len(values))
		c.Reply.Int(int64(t))
		replyValues(c.Reply, values)
	}
	c.Reply.SetArray(at, n)
}

// replyValues replies with values one after the other.
func replyValues(w *resp.Writer, values []float64) {
	for _, v := range values {
		replyValue(w, v)
	}
}
