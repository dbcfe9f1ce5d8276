package hnsw

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/simd"
)

// Kind is how vectors are kept.
type Kind uint8

// The kinds.
const (
	Float Kind = iota // 32 bits for each component
	Int8              // 8 bits, and a scale for all
	Bit               // the sign
)

// Kinds is how many there are.
const Kinds = 3

const maxInt8 = 127

// words returns how many words have a bit for each component.
func words(dim int) int { return (dim + 63) / 64 }

// bytes returns what a vector takes.
func (k Kind) bytes(dim int) int {
	switch k {
	case Float:
		return 4 * dim
	case Int8:
		return dim
	default:
		return 8 * words(dim)
	}
}

// Vector is a vector of length 1, or of zeros, in one of the kinds; or a raw one.
type Vector struct {
	Kind  Kind
	Norm  float32 // its length before; 1 for a vector of zeros
	Scale float32 // Int8: the component that 127 stands for
	dim   int

	floats []float32
	ints   []int8
	bits   []uint64
}

// NewVector normalizes components, which it changes, and makes a vector of them.
func NewVector(kind Kind, components []float32) Vector {
	v := Vector{Kind: kind, dim: len(components), Norm: norm(components)}
	if v.Norm == 0 {
		v.Norm = 1
	}
	for i := range components {
		components[i] /= v.Norm
	}
	switch kind {
	case Float:
		v.floats = components
	case Int8:
		v.quantize(components)
	case Bit:
		v.bits = make([]uint64, words(len(components)))
		for i, x := range components {
			if x > 0 {
				v.bits[i/64] |= 1 << (i % 64)
			}
		}
	}
	return v
}

// Raw returns a vector of the kind Float that keeps its length. It shares the components.
func Raw(components []float32) Vector {
	return Vector{Kind: Float, Norm: 1, dim: len(components), floats: components}
}

// Floats returns the components of a vector of the kind Float, of length 1 unless it is raw. They
// belong to the vector.
func (v *Vector) Floats() []float32 { return v.floats }

// norm adds up in the order of the components, as Redis does.
func norm(components []float32) float32 {
	sum := float32(0)
	for _, x := range components {
		sum += float32(x * x)
	}
	return float32(math.Sqrt(float64(sum)))
}

// quantize makes bytes of components.
func (v *Vector) quantize(components []float32) {
	for _, x := range components {
		if x = float32(math.Abs(float64(x))); x > v.Scale {
			v.Scale = x
		}
	}
	v.ints = make([]int8, len(components))
	if v.Scale == 0 {
		return
	}
	factor := maxInt8 / v.Scale // rounded, as in Redis
	for i, x := range components {
		x *= factor
		v.ints[i] = int8(min(max(math.Round(float64(x)), -maxInt8), maxInt8))
	}
}

// Components appends what the vector was made of, as far as its kind tells.
func (v *Vector) Components(dst []float32) []float32 {
	switch v.Kind {
	case Float:
		for _, x := range v.floats {
			dst = append(dst, x*v.Norm)
		}
	case Int8:
		for _, x := range v.ints {
			dst = append(dst, float32(x)*v.Scale/maxInt8*v.Norm)
		}
	default:
		for i := range v.dim {
			x := float32(-1)
			if v.bits[i/64]>>(i%64)&1 != 0 {
				x = 1
			}
			dst = append(dst, x)
		}
	}
	return dst
}

// Append appends the bytes of the vector: floats and words are little-endian.
func (v *Vector) Append(dst []byte) []byte {
	switch v.Kind {
	case Float:
		for _, x := range v.floats {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	case Int8:
		for _, x := range v.ints {
			dst = append(dst, byte(x))
		}
	default:
		for _, x := range v.bits {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
	}
	return dst
}

// Parse returns the vector of dim components whose bytes Append wrote; ok is false if they are too
// many or too few, or if bits are set behind the last component.
func Parse(kind Kind, dim int, data []byte) (v Vector, ok bool) {
	if len(data) != kind.bytes(dim) {
		return v, false
	}
	v = Vector{Kind: kind, dim: dim}
	switch kind {
	case Float:
		v.floats = make([]float32, dim)
		for i := range v.floats {
			v.floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case Int8:
		v.ints = make([]int8, dim)
		for i, x := range data {
			v.ints[i] = int8(x)
		}
	default:
		v.bits = make([]uint64, words(dim))
		for i := range v.bits {
			v.bits[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		if rest := dim % 64; rest > 0 && v.bits[len(v.bits)-1]>>rest != 0 {
			return v, false
		}
	}
	return v, true
}

// farthest is the greatest distance.
const farthest = 2

// floatDistance returns the distance of two vectors of floats.
func floatDistance(v, w []float32) float32 {
	if d := 1 - simd.Dot(v, w); d == d {
		return d
	}
	return farthest
}

// squareDistance returns the square of the Euclidean distance of two vectors of floats.
func squareDistance(v, w []float32) float32 {
	if d := simd.Squares(v, w); d == d {
		return d
	}
	return float32(math.Inf(1))
}

// intDistance returns the distance of two vectors of bytes, with their scales. It rounds as Redis
// does.
func intDistance(v, w []int8, scaleV, scaleW float32) float32 {
	d := 1 - float32(float32(simd.DotInts(v, w))*float32(scaleV/maxInt8*(scaleW/maxInt8)))
	if d < farthest {
		return max(d, 0)
	}
	return farthest
}

// bitDistance returns the distance of two vectors of bits.
func bitDistance(v, w []uint64, dim int) float32 {
	return farthest * float32(differing(v, w)) / float32(dim)
}

// differing returns how many bits differ.
func differing(v, w []uint64) (n int) {
	w = w[:len(v)]
	for i, x := range v {
		n += bits.OnesCount64(x ^ w[i])
	}
	return n
}
