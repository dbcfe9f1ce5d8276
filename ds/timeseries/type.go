package timeseries

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of time series, named as by RedisTimeSeries.
var Type = &value.Type{Name: "TSDB-TYPE", Number: 5, Size: seriesSize, Keeps: true, Module: module, Index: NewIndex}

var (
	_ value.Settler = (*Series)(nil)
	_ value.Freezer = (*Series)(nil)
)

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
	t := s.bare()
	t.mem, t.held = nil, 0
	t.chunks = make([]*chunk, len(s.chunks))
	for i, c := range s.chunks {
		t.chunks[i] = t.copied(c)
	}
	t.describe()
	return t
}

// bare returns a series with all that s has but the chunks.
func (s *Series) bare() *Series {
	t := *s
	t.chunks, t.scratch, t.filed = nil, nil, 0
	t.options.Labels = slices.Clone(s.options.Labels)
	t.rules = nil
	for _, r := range s.rules {
		twin := *r
		t.rules = append(t.rules, &twin)
	}
	return &t
}

// copied returns a copy of a chunk with memory of its own.
func (s *Series) copied(c *chunk) *chunk {
	twin := *c
	twin.data, twin.sharing = s.block(len(c.data)), alone
	copy(twin.data, c.data)
	return &twin
}
