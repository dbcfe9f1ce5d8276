package timeseries

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// TS.CREATE key [RETENTION retention] [ENCODING UNCOMPRESSED|COMPRESSED] [CHUNK_SIZE size]
// [DUPLICATE_POLICY policy] [IGNORE max_time_diff max_val_diff] [LABELS label value ...]
func cmdTSCreate(st *settings, c *engine.Call) {
	key, o := c.Arg(), st.defaults()
	options(c, &o)
	if !c.Failed() && c.DB.Exists(key) {
		c.Refuse(errExists)
	}
	if !c.OK() {
		return
	}
	c.DB.Set(key, timeseries.New(o), false)
	changed(c, key, "ts.create")
	c.Reply.Status("OK")
}

// TS.ALTER key [RETENTION retention] [CHUNK_SIZE size] [DUPLICATE_POLICY policy] [IGNORE
// max_time_diff max_val_diff] [LABELS label value ...]
func cmdTSAlter(st *settings, c *engine.Call) {
	key, o := c.Arg(), st.defaults()
	is := options(c, &o)
	s := edited(c, key)
	if !c.OK() {
		return
	}
	now := s.Options()
	if is.retention {
		now.Retention = o.Retention
	}
	if is.chunk {
		now.ChunkBytes = o.ChunkBytes
	}
	if is.policy {
		now.Policy = o.Policy
	}
	if is.ignore {
		now.IgnoreTime, now.IgnoreValue = o.IgnoreTime, o.IgnoreValue
	}
	if is.labels {
		now.Labels = o.Labels
	}
	s.SetOptions(now)
	changed(c, key, "ts.alter")
	c.Reply.Status("OK")
}

// create stores a new series at key, and those that the parameter ts-compaction-policy adds to it.
func (st *settings) create(c *engine.Call, key []byte, o timeseries.Options) *timeseries.Series {
	c.DB.Set(key, timeseries.New(o), false)
	s := optional(c, key, errNotSeries)
	for _, a := range st.rules {
		dest := []byte(a.name(key))
		if c.DB.Exists(dest) {
			continue
		}
		c.DB.Set(dest, timeseries.New(a.options(st.defaults(), o.Labels)), false)
		edited(c, dest).SetSource(string(key))
		c.Changed(dest, event.Event{})
		s.SetRules(append(s.Rules(), timeseries.NewRule(string(dest), a.kind, a.bucket, a.align)))
	}
	return s
}

// name returns the key of the destination for a source.
func (a automatic) name(source []byte) string {
	name := fmt.Sprintf("%s_%s_%d", source, a.kind, a.bucket)
	if a.align != 0 {
		name += "_" + strconv.FormatUint(a.align, 10)
	}
	return name
}

// options returns the properties of the destination of a source with these labels.
func (a automatic) options(o timeseries.Options, of []timeseries.Label) timeseries.Options {
	o.Retention = a.retention
	o.Labels = slices.Concat(of, []timeseries.Label{{Name: "aggregation", Value: a.kind.String()},
		{Name: "time_bucket", Value: strconv.FormatUint(a.bucket, 10)}})
	return o
}
