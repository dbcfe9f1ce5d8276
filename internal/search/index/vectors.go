package index

import (
	"encoding/binary"
	"math"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/command"
)

// Space is what the vectors of a field are, and how their distance is measured.
type Space struct {
	Algorithm  Algorithm
	Element    Element
	Dimensions int
	Metric     Metric

	// Parameters of the algorithms, which are told as they were given.
	M, Construction, Runtime int     // of HNSW
	Epsilon                  float64 // of HNSW
	BlockSize, Capacity      int     // of FLAT
	Multi                    bool    // a document may have several
}

// DefaultBlock is how many vectors a block has, and room is made for, if nothing is said.
const DefaultBlock = 1024

// Algorithm is how the nearest vectors are found.
type Algorithm byte

// The algorithms.
const (
	Flat Algorithm = iota
	HNSW
)

func (a Algorithm) String() string { return [...]string{"FLAT", "HNSW"}[a] }

// Element is the type of a vector's numbers.
type Element byte

// The types of numbers.
const (
	Float32 Element = iota
	Float64
	Float16
	BFloat16
)

func (e Element) String() string { return [...]string{"FLOAT32", "FLOAT64", "FLOAT16", "BFLOAT16"}[e] }

// bytes returns how many a number takes.
func (e Element) bytes() int { return [...]int{4, 8, 2, 2}[e] }

// Metric is how distances are measured.
type Metric byte

// The metrics: the square of the Euclidean distance, 1 - the inner product, 1 - the cosine.
const (
	L2 Metric = iota
	InnerProduct
	Cosine
)

// Score returns a score of a distance, which is 1 where vectors are equal: 1/(1+d) of L2, and half
// of 2-d else.
func (m Metric) Score(distance float64) float64 {
	if m == L2 {
		return 1 / (1 + distance)
	}
	return (2 - distance) / 2
}

func (m Metric) String() string { return [...]string{"L2", "IP", "COSINE"}[m] }

// Bytes returns how many bytes a vector has.
func (s *Space) Bytes() int { return s.Dimensions * s.Element.bytes() }

// decode appends the numbers of a vector.
func (s *Space) decode(dst []float64, blob []byte) []float64 {
	for ; len(blob) > 0; blob = blob[s.Element.bytes():] {
		dst = append(dst, s.Element.number(blob))
	}
	return dst
}

func (e Element) number(b []byte) float64 {
	switch e {
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case Float16:
		return halfFloat(binary.LittleEndian.Uint16(b))
	case BFloat16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// halfFloat returns a number of IEEE 754's binary16.
func halfFloat(h uint16) float64 {
	sign, exponent, fraction := h>>15, int(h>>10&0x1f), float64(h&0x3ff)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 0x1f:
		if f = math.Inf(1); fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if sign == 1 {
		return -f
	}
	return f
}

// append appends a number as it lies in memory.
func (e Element) append(dst []byte, f float64) []byte {
	switch e {
	case Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
	case Float16:
		return binary.LittleEndian.AppendUint16(dst, toHalf(f))
	case BFloat16:
		bits := math.Float32bits(float32(f))
		return binary.LittleEndian.AppendUint16(dst, uint16((bits+0x7fff+bits>>16&1)>>16))
	}
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(f)))
}

// toHalf returns the nearest number of binary16.
func toHalf(f float64) uint16 {
	sign := uint16(0)
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	switch {
	case f != f:
		return sign | 0x7e00
	case f >= 65520:
		return sign | 0x7c00
	case f < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24)))
	}
	fraction, exponent := math.Frexp(f)
	return sign | uint16(exponent+14)<<10 + uint16(math.RoundToEven(math.Ldexp(fraction, 11))-1024)
}

// blob returns the vector of an array of JSON.
func (s *Space) blob(list []json.Value) (blob []byte, err error) {
	if len(list) != s.Dimensions {
		return nil, command.Errorf("Invalid vector length. Expected %d, got %d", s.Dimensions, len(list))
	}
	for _, v := range list {
		if k := v.Kind(); k != json.Integer && k != json.Number {
			return nil, command.Errorf("Invalid vector element type")
		}
		blob = s.Element.append(blob, v.Float())
	}
	return blob, nil
}

// vectors is the vectors of a field, one after the other, each with its document. Unless they are
// FLOAT64, their numbers are kept as float32. Those of Cosine have length 1.
type vectors struct {
	space  Space
	ids    []ID
	single []float32
	double []float64
}

// add adds the vector of a document.
func (v *vectors) add(blob []byte, id ID) {
	v.ids = append(v.ids, id)
	v.append(v.space.unit(v.space.decode(nil, blob)))
}

func (v *vectors) append(numbers []float64) {
	if v.space.Element == Float64 {
		v.double = append(v.double, numbers...)
		return
	}
	for _, f := range numbers {
		v.single = append(v.single, float32(f))
	}
}

// unit makes the length of a vector 1, if the metric needs that.
func (s *Space) unit(numbers []float64) []float64 {
	if s.Metric != Cosine {
		return numbers
	}
	sum := 0.0
	for _, f := range numbers {
		sum += f * f
	}
	if norm := math.Sqrt(sum); norm > 0 {
		for i := range numbers {
			numbers[i] = s.Element.number(s.Element.append(nil, numbers[i]/norm))
		}
	}
	return numbers
}

// clean removes the vectors of documents that are gone.
func (v *vectors) clean(now renumbering) {
	n, d := 0, v.space.Dimensions
	for i, id := range v.ids {
		if id = now.of(id); id == 0 {
			continue
		}
		v.ids[n] = id
		if v.double != nil {
			copy(v.double[n*d:(n+1)*d], v.double[i*d:])
		} else {
			copy(v.single[n*d:(n+1)*d], v.single[i*d:])
		}
		n++
	}
	v.ids = v.ids[:n]
	v.double, v.single = v.double[:min(len(v.double), n*d)], v.single[:min(len(v.single), n*d)]
}

// target is a vector to which distances are measured.
type target struct {
	of     *vectors
	single []float32
	double []float64
}

// to returns the target of a vector's bytes.
func (v *vectors) to(blob []byte) *target {
	t := &target{of: v, double: v.space.unit(v.space.decode(nil, blob))}
	for _, f := range t.double {
		t.single = append(t.single, float32(f))
	}
	return t
}

// distance returns that to vector i.
func (t *target) distance(i int) float64 {
	d := t.of.space.Dimensions
	if t.of.space.Element == Float64 {
		return distance(t.of.space.Metric, t.double, t.of.double[i*d:(i+1)*d])
	}
	return float64(float32(distance(t.of.space.Metric, t.single, t.of.single[i*d:(i+1)*d])))
}

// distance measures in eight lanes, so that the order of additions does not depend on the machine.
func distance[F float32 | float64](m Metric, a, b []F) float64 {
	var lanes [8]F
	b = b[:len(a)]
	if m == L2 {
		for ; len(a) >= 8; a, b = a[8:], b[8:] {
			for i := range lanes {
				d := a[i] - b[i]
				lanes[i] += d * d
			}
		}
		for i := range a {
			d := a[i] - b[i]
			lanes[i] += d * d
		}
		return float64(sum(&lanes))
	}
	for ; len(a) >= 8; a, b = a[8:], b[8:] {
		for i := range lanes {
			lanes[i] += a[i] * b[i]
		}
	}
	for i := range a {
		lanes[i] += a[i] * b[i]
	}
	return float64(1 - sum(&lanes))
}

func sum[F float32 | float64](lanes *[8]F) (total F) {
	return (lanes[0] + lanes[4] + (lanes[2] + lanes[6])) + (lanes[1] + lanes[5] + (lanes[3] + lanes[7]))
}

// bytes returns the memory of the vectors.
func (v *vectors) bytes() int { return cap(v.ids)*4 + cap(v.single)*4 + cap(v.double)*8 }
