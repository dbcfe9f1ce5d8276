package lua

import "math"

// Random is the generator behind math.random: the 48-bit linear congruence of
// POSIX's drand48, which Redis carries along so that scripts draw the same
// numbers everywhere. As in Redis 7 there is one sequence: a server's scripts
// continue it from one to the next, unless one calls math.randomseed.
type Random struct{ x uint64 }

// firstRandom is the state before any seed: 0x1234, 0xABCD, 0x330E.
const firstRandom = 0x1234abcd330e

// NewRandom returns the generator before any seed.
func NewRandom() *Random { return &Random{firstRandom} }

// Seed starts the sequence of seed as srand48 does.
func (r *Random) Seed(seed int32) { r.x = uint64(uint32(seed))<<16 | 0x330e }

// next returns the next number of 31 bits.
func (r *Random) next() int32 {
	r.x = (r.x*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(r.x >> 17)
}

// unit returns the next number in [0, 1), as Redis scales it.
func (r *Random) unit() float64 {
	return float64(r.next()%math.MaxInt32) / math.MaxInt32
}
