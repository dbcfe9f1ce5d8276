// Package timeseries is the time series: samples of a time and a value, in the order of time.
//
//	series   labels, rules, and chunks in the order of their times
//	chunk    |first sample|bits: of each further sample the change of its distance in time, and
//	         what differs in its value|      compressed, by the method of Gorilla (VLDB 2015)
//	         |time, value|time, value| ...   plain
//
// A sample that is the latest goes to the end of the last chunk, and into a new one where there is
// no room. One that is older goes into the chunk that covers its time, which is written anew; a
// chunk that has grown to more than 1.2 times its size is cut into two. What is older than the
// retention goes, chunk by chunk, when a new chunk begins.
//
// Rules say which other series gets the aggregates of this one. A series knows of them by the names
// of keys only, and each rule has the Accumulator of the bucket that is still open. Whoever adds
// samples takes care that they reach the other series.
//
// Invariants, verified by Check:
//
//  1. There is a chunk. Only a series without samples has one that is empty.
//  2. Times ascend within a chunk and from chunk to chunk.
//  3. The samples of the chunks add up to the series'.
//  4. The bits of a chunk are those of its samples, and end where the chunk says.
//
// Chunks are bit for bit those of RedisTimeSeries, and are filled, cut and trimmed where it does
// so. There a chunk takes all of its memory when it is made, here as its samples need it. The
// memory of chunks lies in blocks outside of Go's heap once a key has the series.
package timeseries

import (
	"strings"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Sample is a value at a time, in milliseconds since the epoch.
type Sample struct {
	Time  uint64
	Value float64
}

// Label is a name and a value by which series are found.
type Label struct{ Name, Value string }

// Options are the properties of a series.
type Options struct {
	Retention   uint64 // milliseconds that samples are kept; 0 for ever
	ChunkBytes  int    // of a full chunk
	Plain       bool   // chunks are not compressed
	Policy      Policy
	IgnoreTime  uint64 // a sample is ignored that follows the last one so soon, and
	IgnoreValue float64
	Labels      []Label
}

// DefaultChunkBytes is the usual size of a full chunk.
const DefaultChunkBytes = 4096

// Limits of Options.ChunkBytes, which is a multiple of 8.
const (
	MinChunkBytes = 48
	MaxChunkBytes = 1 << 20
)

// Series is a time series. New makes one.
type Series struct {
	options   Options
	name      string // of its key
	source    string // the key with the rule that fills this one; "" for none
	rules     []*Rule
	chunks    []*chunk
	last      Sample // the latest ever added, unless it was deleted
	samples   int
	held      int // bytes of chunks
	described int // bytes of labels, names and rules
	mem       value.Memory
	scratch   []Sample // of changes within a chunk
	filed     uint32   // in an Index, the number there and 1
}

// New returns an empty series.
func New(o Options) *Series {
	s := &Series{options: o}
	s.chunks = []*chunk{s.newChunk(o.ChunkBytes)}
	s.describe()
	return s
}

// Options returns the properties. The labels belong to the series.
func (s *Series) Options() Options { return s.options }

// SetOptions changes the properties but for Plain, which stays.
func (s *Series) SetOptions(o Options) {
	o.Plain = s.options.Plain
	s.options = o
	s.describe()
}

// Labels returns the labels in the order in which they were given. They belong to the series.
func (s *Series) Labels() []Label { return s.options.Labels }

// Name returns the key that the series was made for, or was moved to.
func (s *Series) Name() string { return s.name }

// enter tells the series which key has it. Under another key than before it has no rules.
func (s *Series) enter(key string) {
	if s.name != key {
		s.rules, s.source = nil, ""
		s.SetName(strings.Clone(key))
	}
}

// SetName changes the name.
func (s *Series) SetName(name string) {
	s.name = name
	s.describe()
}

// Source returns the key whose rule fills this series; "" for none.
func (s *Series) Source() string { return s.source }

// SetSource changes it.
func (s *Series) SetSource(key string) {
	s.source = key
	s.describe()
}

// Len returns the number of samples.
func (s *Series) Len() int { return s.samples }

// First returns the oldest sample; ok is false if there is none.
func (s *Series) First() (x Sample, ok bool) {
	if s.samples == 0 {
		return x, false
	}
	return s.chunks[0].first, true
}

// Last returns the latest sample; ok is false if there is none.
func (s *Series) Last() (x Sample, ok bool) {
	if s.samples == 0 {
		return x, false
	}
	return s.last, true
}

// Oldest returns the time of the oldest samples that the retention leaves.
func (s *Series) Oldest() uint64 {
	if keep := s.options.Retention; keep > 0 && s.last.Time > keep {
		return s.last.Time - keep
	}
	return 0
}

// Policy is what becomes of a sample whose time has a sample.
type Policy uint8

// The policies, with the numbers of payloads.
const (
	Unset     Policy = iota // as the server says
	Block                   // an error
	KeepLast                // the new one stays
	KeepFirst               // the old one stays
	KeepMin                 // the lower one stays
	KeepMax                 // the higher one stays
	AddUp                   // they are added
	policies
)

var policyNames = [...]string{"invalid", "block", "last", "first", "min", "max", "sum"}

// String returns the name of a policy.
func (p Policy) String() string { return policyNames[p] }

// ParsePolicy returns the policy of that name, in any case.
func ParsePolicy(name []byte) (p Policy, ok bool) {
	for p := Block; p < policies; p++ {
		if strings.EqualFold(string(name), p.String()) {
			return p, true
		}
	}
	return Unset, false
}
