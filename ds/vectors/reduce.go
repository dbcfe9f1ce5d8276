package vectors

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/hnsw"
)

// A vector of n components is reduced to its products with the first rows of the matrix of Walsh
// and Hadamard, whose entries are 1 and -1, divided by the square root of n. Entry (i, j) is 1 if i
// and j have an even number of ones in common. So it needs not be kept: the products with all rows
// at once take n log n additions. A set that was loaded may have another matrix.

// NewVector makes a vector of components, which it changes: reduced, if there are as many as the
// set reduces.
func (s *Set) NewVector(components []float32) hnsw.Vector {
	if s.input > 0 && len(components) == s.input {
		components = s.reduced(components)
	}
	return hnsw.NewVector(s.graph.Kind(), components)
}

func (s *Set) reduced(components []float32) []float32 {
	if s.matrix == nil {
		return walsh(components)[:s.graph.Dim()]
	}
	list := make([]float32, s.graph.Dim())
	for i := range list {
		row := s.matrix[i*s.input:][:s.input]
		for j, x := range components {
			list[i] += float32(x * row[j])
		}
	}
	return list
}

// walsh returns the products with the rows of the matrix, as many as the next power of two.
func walsh(components []float32) []float32 {
	n := len(components)
	list := make([]float32, 1<<bits.Len(uint(n-1)))
	copy(list, components)
	for half := 1; half < len(list); half *= 2 {
		for i := 0; i < len(list); i += 2 * half {
			low, high := list[i:i+half], list[i+half:i+2*half]
			for j, x := range low {
				low[j], high[j] = x+high[j], x-high[j]
			}
		}
	}
	scale := scaleOf(n)
	for i := range list {
		list[i] *= scale
	}
	return list
}

func scaleOf(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// entry returns an entry of the matrix.
func entry(i, j int, scale float32) float32 {
	if bits.OnesCount(uint(i&j))%2 == 1 {
		return -scale
	}
	return scale
}

// appendMatrix appends entries as they are saved, n bytes from an offset on, both multiples of 4.
func (s *Set) appendMatrix(dst []byte, offset, n int) []byte {
	scale := scaleOf(s.input)
	for at := offset / 4; at < (offset+n)/4; at++ {
		x := entry(at/s.input, at%s.input, scale)
		if s.matrix != nil {
			x = s.matrix[at]
		}
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// setMatrix takes a matrix that was saved.
func (s *Set) setMatrix(data []byte) {
	scale, same := scaleOf(s.input), true
	matrix := make([]float32, len(data)/4)
	for at := range matrix {
		matrix[at] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*at:]))
		same = same && matrix[at] == entry(at/s.input, at%s.input, scale)
	}
	if !same {
		s.matrix = matrix
	}
}
