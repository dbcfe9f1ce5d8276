package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// TS.GET key [LATEST]
func cmdTSGet(c *engine.Call) {
	key := c.Arg()
	if c.Left() > 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	s := seriesAt(c, key)
	latest := c.Left() > 0
	if latest && !c.Word("LATEST") {
		c.Refuse(errThird)
	}
	if !c.OK() {
		return
	}
	replyLatest(c, s, latest)
}

// replyLatest replies with the last sample of a series. With latest it is that of the bucket which
// is open, if there is one.
func replyLatest(c *engine.Call, s *timeseries.Series, latest bool) {
	x, ok := s.Last()
	if latest {
		if open, some := pending(c, s); some {
			x, ok = open, true
		}
	}
	if !ok {
		c.Reply.Array(0)
		return
	}
	replySample(c.Reply, x)
}

// pending returns the aggregate of the bucket that is open for a destination; ok is false if there
// is none.
func pending(c *engine.Call, s *timeseries.Series) (x timeseries.Sample, ok bool) {
	key := []byte(s.Name())
	from := source(c, key, s)
	if from == "" {
		return x, false
	}
	return ruleTo(peek(c, from), key).Pending()
}

// replySample replies with a time and a value.
func replySample(w *resp.Writer, x timeseries.Sample) {
	w.Array(2)
	w.Int(int64(x.Time))
	replyValue(w, x.Value)
}

// TS.INFO key [DEBUG]
func cmdTSInfo(c *engine.Call) {
	key := c.Arg()
	if c.Left() > 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	debug := c.Left() > 0 && c.Word("DEBUG")
	s := seriesAt(c, key)
	if !c.OK() {
		return
	}
	if debug {
		c.Reply.Map(16)
	} else {
		c.Reply.Map(14)
	}
	replyInfo(c, key, s)
	if debug {
		c.Reply.Status("keySelfName")
		c.Reply.Bulk(key)
		c.Reply.Status("Chunks")
		replyChunks(c, s)
	}
}

func replyInfo(c *engine.Call, key []byte, s *timeseries.Series) {
	o := s.Options()
	first, n := s.Kept()
	last, _ := s.Last()
	number(c, "totalSamples", int64(n))
	number(c, "memoryUsage", int64(s.Bytes()+timeseries.Type.Size))
	number(c, "firstTimestamp", int64(first.Time))
	number(c, "lastTimestamp", int64(last.Time))
	number(c, "retentionTime", int64(o.Retention))
	number(c, "chunkCount", int64(s.Chunks()))
	number(c, "chunkSize", int64(o.ChunkBytes))
	c.Reply.Status("chunkType")
	if o.Plain {
		c.Reply.Status("uncompressed")
	} else {
		c.Reply.Status("compressed")
	}
	c.Reply.Status("duplicatePolicy")
	if o.Policy == timeseries.Unset {
		c.Reply.Null()
	} else {
		c.Reply.Status(o.Policy.String())
	}
	c.Reply.Status("labels")
	replyLabels(c, o.Labels)
	c.Reply.Status("sourceKey")
	if from := source(c, key, s); from == "" {
		c.Reply.Null()
	} else {
		c.Reply.BulkString(from)
	}
	c.Reply.Status("rules")
	replyRules(c, rules(c, key, s))
	number(c, "ignoreMaxTimeDiff", int64(o.IgnoreTime))
	c.Reply.Status("ignoreMaxValDiff")
	c.Reply.Double(o.IgnoreValue)
}

// number replies with a number under a name.
func number(c *engine.Call, name string, n int64) {
	c.Reply.Status(name)
	c.Reply.Int(n)
}

// replyLabels replies with a map, for RESP2 an array of pairs.
func replyLabels(c *engine.Call, list []timeseries.Label) {
	pairs(c, len(list))
	for _, l := range list {
		pair(c, 2)
		c.Reply.BulkString(l.Name)
		c.Reply.BulkString(l.Value)
	}
}

// pairs begins a map, for RESP2 an array of arrays.
func pairs(c *engine.Call, n int) {
	if c.Reply.Proto() >= 3 {
		c.Reply.Map(n)
	} else {
		c.Reply.Array(n)
	}
}

// pair begins an element of pairs, which in RESP2 has n parts.
func pair(c *engine.Call, n int) {
	if c.Reply.Proto() < 3 {
		c.Reply.Array(n)
	}
}

func replyRules(c *engine.Call, list []*timeseries.Rule) {
	pairs(c, len(list))
	for _, r := range list {
		pair(c, 4)
		c.Reply.BulkString(r.Dest)
		if c.Reply.Proto() >= 3 {
			c.Reply.Array(3)
		}
		c.Reply.Int(int64(r.Bucket))
		c.Reply.Status(r.Kind.String())
		c.Reply.Int(int64(r.Align))
	}
}

func replyChunks(c *engine.Call, s *timeseries.Series) {
	c.Reply.Array(s.Chunks())
	for i := range s.Chunks() {
		of := s.Chunk(i)
		first, last, each := int64(of.First), int64(of.Last), 0.
		if of.Samples == 0 {
			first, last = -1, -1
		} else {
			each = float64(float32(of.Bytes) / float32(of.Samples))
		}
		c.Reply.Map(5)
		number(c, "startTimestamp", first)
		number(c, "endTimestamp", last)
		number(c, "samples", int64(of.Samples))
		number(c, "size", int64(of.Bytes))
		c.Reply.Status("bytesPerSample")
		c.Reply.Double(each)
	}
}
