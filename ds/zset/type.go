package zset

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/resp"
)

// Type is the data type of sorted sets.
var Type = &value.Type{Name: "zset", Number: 3, Size: sizeclass.Round(int(unsafe.Sizeof(Set{})))}

// Type implements value.Value.
func (s *Set) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (s *Set) Allocations(_ int) int { return value.Allocations(s) }

// Digest implements value.Value.
func (s *Set) Digest(m *value.Mixer) {
	s.Each(func(member []byte, score float64) bool {
		m.XorPair(member, scoreText(score, m.All17))
		return true
	})
	m.XorVolatile(s.Deadlines)
}

// scoreText returns a score as it counts in digests.
func scoreText(score float64, all17 bool) []byte {
	if all17 {
		return resp.Format17(nil, score)
	}
	return resp.FormatShortest(nil, score)
}
