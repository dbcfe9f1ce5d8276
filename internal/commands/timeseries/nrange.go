package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TS.NRANGE numkeys key [key ...] fromTimestamp toTimestamp [options]
func cmdNRange(c *engine.Call) { replyNRange(c, false) }

// TS.NREVRANGE numkeys key [key ...] fromTimestamp toTimestamp [options]
func cmdNRevRange(c *engine.Call) { replyNRange(c, true) }

// replyNRange replies with a row for each time, which has the time and an array with the values of
// all series.
func replyNRange(c *engine.Call, backwards bool) {
	n := int(c.IntIn(1, int64(len(c.Args)), errNumKeys))
	if !c.Failed() && c.Left() < n+2 {
		c.Refuse(wrongArity(c))
	}
	if !c.OK() {
		return
	}
	var list []*timeseries.Series
	for _, key := range c.Next(n) {
		list = append(list, seriesAt(c, key))
	}
	if !c.OK() {
		return
	}
	o := parseRange(c, n, c.Pos())
	o.Backwards = backwards
	if c.OK() {
		o.settled(c, func() { o.replyJoined(c, list) })
	}
}

// replyJoined replies with the rows of several series.
func (o *rangeOptions) replyJoined(c *engine.Call, list []*timeseries.Series) {
	each := *o
	each.Limit, each.Batch = 0, max(8, 512/len(list))
	var columns []timeseries.Source
	for i, s := range list {
		kinds := o.firstKinds()
		if len(o.kinds) > 0 {
			kinds = o.kinds[i]
		}
		columns = append(columns, each.columns(c, s, kinds)...)
	}
	rows := timeseries.NewRows(columns, o.Backwards, o.Limit)
	at, n := c.Reply.Defer(), 0
	for t, values, ok := rows.Next(); ok && !c.Reply.Full(); t, values, ok = rows.Next() {
		n++
		c.Reply.Array(2)
		c.Reply.Int(int64(t))
		c.Reply.Array(len(values))
		replyValues(c.Reply, values)
	}
	c.Reply.SetArray(at, n)
}
