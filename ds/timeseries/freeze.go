package timeseries

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
)

// A frozen series has the same chunks, which change in one place only: the last one, when a sample
// is added behind its others. All else makes another chunk of one. So the series copies a chunk
// before it adds a sample there, and the memory of one that it has no use for stays until thaw.
// When it moves the memory of a chunk, it moves that of both.

// sharing is who has a chunk.
type sharing uint8

const (
	alone  sharing = iota // its series
	shared                // also a frozen one
	left                  // only that
)

// Freeze implements value.Freezer. A series with one chunk is not frozen. O(chunks).
func (s *Series) Freeze() (value.Value, func()) {
	if len(s.chunks) == 1 {
		return nil, nil
	}
	f := s.bare()
	f.chunks = slices.Clone(s.chunks)
	for _, c := range f.chunks {
		c.sharing = shared
	}
	return f, f.thaw
}

// thaw ends the life of a series that Freeze returned. O(chunks).
func (s *Series) thaw() {
	for _, c := range s.chunks {
		if c.sharing == left {
			s.free(c.data)
		}
		c.sharing = alone
	}
}

// own returns chunk i, which may change then.
func (s *Series) own(i int) *chunk {
	c := s.chunks[i]
	if c.sharing == shared {
		s.chunks[i] = s.copied(c)
		s.discard(c)
	}
	return s.chunks[i]
}

// discard frees the memory of a chunk that the series has no use for, or leaves it to a frozen one.
func (s *Series) discard(c *chunk) {
	if c.sharing == shared {
		s.held -= len(c.data)
		c.sharing = left
		return
	}
	s.free(c.data)
}
