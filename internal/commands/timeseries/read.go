package timeseries

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// reading is what TS.READ asks for.
type reading struct {
	key      []byte
	from     uint64 // the time of the oldest sample
	blocks   bool
	deadline int64 // in milliseconds since the epoch; 0 for none
	least    int   // samples for which it waits
	most     int   // samples of the reply; 0 for all
}

// TS.READ key timestamp [BLOCK milliseconds min_count] [MAX_COUNT max_count]
//
// A client that waits gets the samples that are there when the time is over, and none if the key
// goes.
func cmdRead(c *engine.Call) {
	r := reading{key: c.Arg()}
	cursor := c.Arg()
	s, found := engine.Read[*timeseries.Series](c, r.key)
	if c.Failed() {
		c.Refuse(errWrongType)
	}
	r.parseCursor(c, cursor, s)
	for c.More() && r.parseOption(c) {
	}
	switch {
	case c.Left() > 0:
		c.Refuse(wrongArity(c))
	case r.blocks && !c.MayBlock():
		c.Refuse(errReadBlock)
	case r.most > 0 && r.most < r.least:
		c.Refuse(errReadCounts)
	}
	if !c.OK() {
		return
	}
	gone := c.Woken() && !found
	if r.blocks && !gone && (s == nil || s.CountFrom(r.from) < r.least) {
		r.block(c)
		return
	}
	r.reply(c.Reply, s)
}

// parseCursor reads the time from which on samples are read. s is the series; nil if there is none.
func (r *reading) parseCursor(c *engine.Call, text []byte, s *timeseries.Series) {
	var first, last timeseries.Sample
	exists := false
	if s != nil {
		first, exists = s.First()
		last, _ = s.Last()
	}
	switch string(text) {
	case "-":
		r.from = first.Time
	case "+":
		r.from = last.Time
	case "$":
		if exists {
			r.from = last.Time + 1
		}
	default:
		r.from = parseTime(c, text, errReadFrom)
	}
}

// parseOption reads an option; false if there is none.
func (r *reading) parseOption(c *engine.Call) bool {
	switch {
	case !r.blocks && c.Left() > 2 && c.Word("BLOCK"):
		r.blocks = true
		ms := c.IntIn(0, math.MaxInt64-c.World.Millis(), errReadTimeout)
		if ms > 0 {
			r.deadline = c.World.Millis() + ms
		}
		r.least = int(c.IntIn(1, math.MaxInt64, errReadMin))
	case r.most == 0 && c.Left() > 1 && c.Word("MAX_COUNT"):
		r.most = int(c.IntIn(1, math.MaxInt64, errReadMax))
	default:
		return false
	}
	return true
}

// block waits for samples. What stands for a time keeps the meaning that it had when the command
// arrived.
func (r *reading) block(c *engine.Call) {
	if !c.Woken() {
		c.Args = slices.Clone(c.Args)
		c.Args[2] = resp.Decimal(int64(min(r.from, math.MaxInt64)))
	}
	db := c.DB
	late := *r
	late.key = slices.Clone(r.key)
	c.BlockOnKeys([][]byte{r.key}, r.deadline, func(client *engine.Session) { late.expire(client, db) })
	if !c.Woken() {
		c.WakeOnDelete()
	}
}

// expire replies with what there is after the time is over.
func (r *reading) expire(client *engine.Session, db *keyspace.DB) {
	v, _ := db.Find(r.key)
	s, _ := v.(*timeseries.Series)
	r.reply(client.Reply, s)
}

// reply replies with the samples of a series; none if it is nil.
func (r *reading) reply(w *resp.Writer, s *timeseries.Series) {
	if s == nil {
		w.Array(0)
		return
	}
	q := timeseries.Query{From: r.from, To: math.MaxInt64, Limit: r.most}
	replySamples(w, q.Samples(s, 0, nil))
}
