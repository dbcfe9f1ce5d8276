package timeseries

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns where the bytes of a series are: its chunks, with those at the ends, and what it
// takes beside them.
func explain(v keyspace.Value, ends int) []engine.Detail {
	s := v.(*timeseries.Series)
	chunks := engine.Table{Columns: []string{"from", "samples", "size", "held", "used", "bytes-per-sample"}}
	held, used, n := 0, 0, s.Chunks()
	for i := range n {
		of := s.Chunk(i)
		held, used = held+of.Held, used+of.Used
		if i < ends || i >= n-ends {
			chunks.Add(int(of.First), of.Samples, of.Bytes, of.Held, of.Used, perSample(of.Held, of.Samples))
		}
	}
	form := "compressed"
	if s.Options().Plain {
		form = "uncompressed"
	}
	return []engine.Detail{{"series", []engine.Detail{{"form", form, ""}, {"samples", s.Len(), ""},
		{"bytes-per-sample", perSample(held, s.Len()), "in chunks"}, {"chunks", n, ""},
		{"held", held, "bytes of chunks"}, {"used", used, "of them"}, {"first-and-last", chunks, chunks.Without(n)},
		{"other", s.Bytes() - held, "bytes of labels, rules, names, and of what leads to the chunks"}}, ""}}
}

func perSample(bytes, samples int) float64 {
	if samples == 0 {
		return 0
	}
	return float64(bytes) / float64(samples)
}

// forms returns a series as a sorted set, in which a member is the time and the value, and the
// score the time; and as a stream, in which an entry has the time as its ID, and one field.
func forms(w *engine.World, v keyspace.Value) []engine.Form {
	s, config := v.(*timeseries.Series), w.Engine().Config
	sorted, entries, n := new(zset.Set), new(stream.Stream), 0
	var member []byte
	walk := s.Walk(0, math.MaxUint64, false)
	for batch := walk.Next(); len(batch) > 0 && n < engine.MostBuilt; batch = walk.Next() {
		for _, x := range batch[:min(len(batch), engine.MostBuilt-n)] {
			member = append(strconv.AppendUint(member[:0], x.Time, 10), ':')
			at := len(member)
			member = appendValue(member, x.Value)
			sorted.Add(member, float64(x.Time), config.ZSet, w.Dice)
			entries.Append(stream.ID{Ms: x.Time, Seq: 1}, [][]byte{[]byte("value"), member[at:]}, config.Stream)
			n++
		}
	}
	first := 0
	if n < s.Len() {
		first = n
	}
	list := []engine.Form{{Name: "timeseries", Value: s}}
	if n > 0 {
		list = append(list, engine.Form{Name: "zset", Value: sorted, First: first},
			engine.Form{Name: "stream", Value: entries, First: first})
	}
	return list
}
