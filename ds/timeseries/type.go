package timeseries

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of time series, named as by RedisTimeSeries.
var Type = &value.Type{Name: "TSDB-TYPE", Number: 5, Size: seriesSize, Keeps: true, Module: module, Index: NewIndex}

var _ value.Settler = (*Series)(nil)

// Type implements value.Value.
func (s *Series) Type() *value.Type { return Type }

// Encoding implements value.Value: Redis says raw of what a module holds.
func (s *Series) Encoding() string { return "raw" }

// Packed implements value.Value: a series is more than its samples.
func (s *Series) Packed() ([]byte, bool) { return nil, false }

// Allocations implements value.Value.
func (s *Series) Allocations(int) int { return len(s.chunks) }

// Digest implements value.Value: labels in any order, rules, and the samples, however they lie in
// chunks.
func (s *Series) Digest(m *value.Mixer) {
	for _, l := range s.options.Labels {
		m.XorPair([]byte(l.Name), []byte(l.Value))
	}
	list := make([]byte, 0, batchSize*sampleBytes)
	for w := s.Walk(0, math.MaxUint64, false); ; {
		batch := w.Next()
		if len(batch) == 0 {
			return
		}
		list = list[:0]
		for _, x := range batch {
			list = binary.LittleEndian.AppendUint64(list, x.Time)
			list = binary.LittleEndian.AppendUint64(list, math.Float64bits(x.Value))
			var one value.Digest
			one.Mix(list[len(list)-sampleBytes:])
			m.Xor(one[:])
		}
	}
}

// Clone implements value.Value.
func (s *Series) Clone() value.Value {
	t := *s
	t.mem, t.held, t.scratch, t.filed = nil, 0, nil, 0
	t.options.Labels = slices.Clone(s.options.Labels)
	t.chunks = make([]*chunk, len(s.chunks))
	for i, c := range s.chunks {
		twin := *c
		twin.data = t.block(len(c.data))
		copy(twin.data, c.data)
		t.chunks[i] = &twin
	}
	t.rules = nil
	for _, r := range s.rules {
		twin := *r
		t.rules = append(t.rules, &twin)
	}
	t.describe()
	return &t
}
