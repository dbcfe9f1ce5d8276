package timeseries

import (
	"fmt"
	"math"
)

// Check verifies the invariants of the package. O(samples).
func (s *Series) Check() error {
	samples, held := 0, 0
	for i, c := range s.chunks {
		samples, held = samples+int(c.count), held+len(c.data)
		switch {
		case c.count == 0 && len(s.chunks) > 1:
			return fmt.Errorf("chunk %d of %d is empty", i, len(s.chunks))
		case i > 0 && c.first.Time <= s.chunks[i-1].last.Time:
			return fmt.Errorf("chunk %d begins before the one before ends", i)
		case s.used(c) > int(c.size) || s.used(c) > len(c.data):
			return fmt.Errorf("chunk %d has %d bytes of %d and memory for %d", i, s.used(c), c.size, len(c.data))
		case !s.options.Plain && !c.sound():
			return fmt.Errorf("the bits of chunk %d are not those of its samples", i)
		}
		if err := s.checkTimes(c); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	switch {
	case len(s.chunks) == 0:
		return fmt.Errorf("there is no chunk")
	case samples != s.samples:
		return fmt.Errorf("the chunks have %d samples, the series %d", samples, s.samples)
	case held != s.held:
		return fmt.Errorf("the chunks hold %d bytes, the series %d", held, s.held)
	case samples > 0 && !same(s.last, s.chunks[len(s.chunks)-1].last):
		return fmt.Errorf("the last sample is %v, that of the last chunk %v", s.last, s.chunks[len(s.chunks)-1].last)
	}
	return nil
}

// checkTimes verifies that the times of a chunk ascend from its first to its last sample.
func (s *Series) checkTimes(c *chunk) error {
	list := s.all(c)
	for i := 1; i < len(list); i++ {
		if list[i].Time <= list[i-1].Time {
			return fmt.Errorf("the time %d follows %d", list[i].Time, list[i-1].Time)
		}
	}
	if n := len(list); n > 0 && !(same(list[0], c.first) && same(list[n-1], c.last)) {
		return fmt.Errorf("it is said to go from %v to %v", c.first, c.last)
	}
	return nil
}

// same reports whether two samples are the same, NaN or not.
func same(x, y Sample) bool {
	return x.Time == y.Time && math.Float64bits(x.Value) == math.Float64bits(y.Value)
}
