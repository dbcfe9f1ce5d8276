package topk

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/libm"
)

// Each addition of another item takes a count from a cell with a chance of decay^count. With a
// random number for each, a hundred thousand additions would take a millisecond in each row, so
// many are decided at once where that is possible:
//
//	the chance is low                  how many fail before one succeeds
//	it stays the same for a while      how many of them succeed
//	else                               one by one

// chances are decay^count.
type chances struct {
	decay float64
	small [256]float64 // of the counts below 256
	steps [24]float64  // of 256 << i
	alike uint32       // counts one after another with nearly the same chance
}

func newChances(decay float64) *chances {
	c := &chances{decay: decay, alike: uint32(min(same/(1-decay), math.MaxUint32))}
	for i := range c.small {
		c.small[i] = libm.Pow(decay, float64(i))
	}
	c.steps[0] = c.small[128] * c.small[128]
	for i := range len(c.steps) - 1 {
		c.steps[i+1] = c.steps[i] * c.steps[i]
	}
	return c
}

// usual are the chances of the default decay, which most sketches share.
var usual = newChances(0.9)

func chancesOf(decay float64) *chances {
	if decay == usual.decay {
		return usual
	}
	return newChances(decay)
}

// of returns the chance of a count.
func (c *chances) of(count uint32) float64 {
	chance := c.small[count%256]
	for i, rest := 0, count/256; rest > 0 && chance >= never; i, rest = i+1, rest/2 {
		if rest&1 != 0 {
			chance *= c.steps[i]
		}
	}
	return chance
}

const (
	never = 0x1p-40 // a chance that no number of additions makes likely
	low   = 0.25    // a chance below which failures are counted at once
	some  = 16      // additions from which on that is worth it
	many  = 32      // additions that are worth to be decided at once
	same  = 1. / 64 // how much the chance may change among them
	broad = 16      // the variance from which on a binomial distribution is taken for a normal one
)

// decayed returns the count of a cell after n additions of another item. If that is 0, left is how
// many of them are left to count for the other item, at least 1.
func (s *Sketch) decayed(count, n uint32) (rest, left uint32) {
	for n > 0 {
		chance := s.chances.of(count)
		took, tried := uint32(1), uint32(1)
		switch block := s.block(count, n); {
		case chance < never:
			return count, 0
		case chance < low && n >= some:
			failures := s.failures(chance)
			if failures >= float64(n) {
				return count, 0
			}
			tried += uint32(failures)
		case block >= many:
			// The chance in the middle of the block stands for all of them.
			took, tried = s.successes(block, s.chances.of(count-uint32(chance*float64(block)/2))), block
		case s.random() >= chance:
			took = 0
		}
		if count -= took; count == 0 {
			return 0, n - tried + 1
		}
		n -= tried
	}
	return count, 0
}

// block returns how many of n additions have nearly the same chance, and not more than counts.
func (s *Sketch) block(count, n uint32) uint32 { return min(count, n, s.chances.alike) }

// failures returns how many additions take no count before one does.
func (s *Sketch) failures(chance float64) float64 {
	return math.Floor(libm.Log(1-s.random()) / libm.Log(1-chance))
}

// successes returns how many of n additions take a count.
func (s *Sketch) successes(n uint32, chance float64) (k uint32) {
	mean := float64(n) * chance
	switch variance := mean * (1 - chance); {
	case chance > 1-never:
		return n
	case variance >= broad:
		return uint32(min(max(math.Round(mean+float64(s.normal()*math.Sqrt(variance))), 0), float64(n)))
	}
	// With a chance that is not low, few fail.
	for at := s.failures(1 - chance); at < float64(n); at += 1 + s.failures(1-chance) {
		k++
	}
	return n - k
}

// normal returns a random number of a nearly normal distribution with a variance of 1: the sum of
// 12 numbers.
func (s *Sketch) normal() float64 {
	sum := -6.
	for range 12 {
		sum += s.random()
	}
	return sum
}

// random returns a number from 0 to 1, without 1. It is SplitMix64, of Steele, Lea and Flood
// (2014).
func (s *Sketch) random() float64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}
