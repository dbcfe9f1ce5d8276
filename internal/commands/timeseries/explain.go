package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
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
