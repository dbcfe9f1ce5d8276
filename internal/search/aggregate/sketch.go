package aggregate

import (
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/internal/libm"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// sketch is a HyperLogLog of Flajolet, Fusy, Gandouet and Meunier (2007) with hashes of 32 bits:
// for each group of values the highest rank of a hash.
type sketch []uint8

// sketchBits is how many bits of a hash say to which group it belongs.
const sketchBits = 8

// add counts a hash.
func (s sketch) add(hash uint32) {
	i := hash >> (32 - sketchBits)
	s[i] = max(s[i], uint8(min(bits.TrailingZeros32(hash), 32-sketchBits)+1))
}

// count estimates how many hashes were added.
func (s sketch) count() float64 {
	size, sum, empty := float64(len(s)), 0.0, 0.0
	for _, rank := range s {
		sum += 1 / float64(uint64(1)<<min(rank, 63))
		if rank == 0 {
			empty++
		}
	}
	estimate := alpha(len(s)) * size * size / sum
	switch {
	case estimate <= 2.5*size && empty > 0:
		return size * libm.Log(size/empty)
	case estimate > 1<<32/30.0:
		return -(1 << 32) * libm.Log(1-estimate/(1<<32))
	}
	return estimate
}

// alpha corrects the bias of a sketch of some size.
func alpha(size int) float64 {
	switch size {
	case 16:
		return 0.673
	case 32:
		return 0.697
	case 64:
		return 0.709
	}
	return 0.7213 / (1 + 1.079/float64(size))
}

// sketched counts different values, about.
type sketched struct {
	column *column
	raw    bool // the result is the sketch itself
	sketch sketch
}

// sketchSeed is the hash before the first value.
const sketchSeed = 0x5f61767a

func (s *sketched) add(r *row) (bytes int) {
	if s.sketch == nil {
		s.sketch, bytes = make(sketch, 1<<sketchBits), 1<<sketchBits
	}
	if v, _ := r.get(s.column); v.Kind() != expr.NullKind {
		hash := hashOf(&v, sketchSeed)
		s.sketch.add(uint32(hash) ^ uint32(hash>>32))
	}
	return bytes
}

// sketchHeader is what a sketch as a text begins with: flags of 4 bytes, and the bits.
const sketchHeader = "\x00\x00\x00\x00"

func (s *sketched) result() expr.Value {
	if s.raw {
		return expr.Text(sketchHeader + string(rune(sketchBits)) + string(s.sketch))
	}
	return expr.Number(math.Trunc(s.sketch.count()))
}

// sketchSum joins sketches, and counts the different values in all of them.
type sketchSum struct {
	column *column
	sketch sketch
}

func (s *sketchSum) add(r *row) int {
	v, _ := r.get(s.column)
	text := v.String()
	if v.Kind() != expr.TextKind || len(text) <= len(sketchHeader) {
		return 0
	}
	n, other := text[len(sketchHeader)], text[len(sketchHeader)+1:]
	if n < 4 || n > 20 || len(other) != 1<<n || s.sketch != nil && len(s.sketch) != len(other) {
		return 0
	}
	bytes := 0
	if s.sketch == nil {
		s.sketch, bytes = make(sketch, len(other)), len(other)
	}
	for i := range s.sketch {
		s.sketch[i] = max(s.sketch[i], other[i])
	}
	return bytes
}

func (s *sketchSum) result() expr.Value {
	if s.sketch == nil {
		return expr.Number(0)
	}
	return expr.Number(math.Trunc(s.sketch.count()))
}
