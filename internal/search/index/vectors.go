package index

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/simd"
	"github.com/miniserver-go/miniserver/internal/command"
)

// Space is what the vectors of a field are, and how their distance is measured.
type Space struct {
	Algorithm  Algorithm
	Element    Element
	Dimensions int
	Metric     Metric

	// Parameters of HNSW: the links of a vector, how many near ones are looked at when one comes
	// and when a query does, and by which share a search goes beyond a radius.
	M, Construction, Runtime int
	Epsilon                  float64

	// Parameters of FLAT, which are told as they were given.
	BlockSize, Capacity int

	Multi bool // a document may have several
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

// decode returns the numbers of a vector as they are kept: of Cosine with length 1.
func decode[F float32 | float64](s *Space, blob []byte) []F {
	numbers := make([]F, 0, s.Dimensions)
	for ; len(blob) > 0; blob = blob[s.Element.bytes():] {
		numbers = append(numbers, F(s.Element.number(blob)))
	}
	if s.Metric != Cosine {
		return numbers
	}
	sum := 0.0
	for _, f := range numbers {
		sum += float64(f) * float64(f)
	}
	if norm := math.Sqrt(sum); norm > 0 {
		for i, f := range numbers {
			numbers[i] = F(s.Element.round(float64(f) / norm))
		}
	}
	return numbers
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

// round returns a number as the type has it.
func (e Element) round(f float64) float64 {
	switch e {
	case Float64:
		return f
	case Float32:
		return float64(float32(f))
	}
	return e.number(e.append(nil, f))
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

// vectors is the vectors of a field, in the order of their documents. Unless they are FLOAT64,
// their numbers are kept as float32. Those of Cosine have length 1.
//
//	ids      3    7    7   12 │ 40   41   44
//	nodes    ●    ●    ●    0 │                 ─▶ hnsw.Graph: the vectors, and links
//	single                    │ ─── ─── ───
//
// All vectors are in a row at first, and those of HNSW, once they are many, move into a graph, the
// oldest first: see connect. Whoever looks for near ones looks into the graph and at all that still
// wait. The node of a document that is gone is removed. As a document that changes often keeps its
// vector, that is put off until the next one has come.
type vectors struct {
	space  Space
	ids    []ID
	nodes  []hnsw.Ref    // of the first of ids; 0 if the document is gone
	single rows[float32] // the vectors of the others
	double rows[float64] // the same for FLOAT64
	graph  *hnsw.Graph
	loose  []int // places of nodes that are to be removed
}

func (v *vectors) init(s Space) {
	v.space = s
	v.single.width, v.double.width = s.Dimensions, s.Dimensions
}

// fewVectors is up to how many all are looked at sooner than a graph is made.
const fewVectors = 1000

// connects reports whether there is, or is to be, a graph.
func (v *vectors) connects() bool {
	s := &v.space
	return s.Algorithm == HNSW && s.Element != Float64 && s.Dimensions <= hnsw.MaxDim && len(v.ids) > fewVectors
}

// waiting returns how many vectors are to be moved into a graph.
func (v *vectors) waiting() int {
	if !v.connects() {
		return 0
	}
	return len(v.ids) - len(v.nodes)
}

// connect moves the vector that waits longest into the graph, or forgets it if its document is
// gone. There must be one. O(Construction * log vectors) about.
func (v *vectors) connect(docs *table) {
	if v.graph == nil {
		v.newGraph()
	}
	at, node := len(v.nodes), hnsw.Ref(0)
	if docs.alive(v.ids[at]) {
		raw := hnsw.Raw(v.single.at(0))
		node = v.graph.Insert(&raw, uint32(at), max(1, min(v.space.Construction, hnsw.MaxEF)))
	}
	v.nodes = append(v.nodes, node)
	v.single.shift()
}

func (v *vectors) newGraph() {
	d, m := v.space.Dimensions, min(max(v.space.M, hnsw.MinM), hnsw.MaxM)
	if v.space.Metric == L2 {
		v.graph = hnsw.NewEuclidean(d, m)
	} else {
		v.graph = hnsw.New(hnsw.Float, d, m)
	}
}

// add adds the vector of a document.
func (v *vectors) add(blob []byte, id ID) {
	v.ids = append(v.ids, id)
	if v.space.Element == Float64 {
		v.double.add(decode[float64](&v.space, blob))
	} else if numbers := decode[float32](&v.space, blob); !v.again(numbers) {
		v.single.add(numbers)
	}
}

// again reports whether the last document, which has just come, has a vector of the one that went
// before it, and takes its node.
func (v *vectors) again(numbers []float32) bool {
	to := len(v.ids) - 1
	if to != len(v.nodes) {
		return false
	}
	for i, at := range v.loose {
		if slices.Equal(v.at(at), numbers) {
			v.nodes = append(v.nodes, v.nodes[at])
			v.graph.SetData(v.nodes[to], uint32(to))
			v.nodes[at] = 0
			v.loose = slices.Delete(v.loose, i, i+1)
			return true
		}
	}
	return false
}

// forget says that a document is gone.
func (v *vectors) forget(id ID) {
	v.tighten()
	at, _ := slices.BinarySearch(v.ids[:len(v.nodes)], id)
	for ; at < len(v.nodes) && v.ids[at] == id; at++ {
		v.loose = append(v.loose, at)
	}
}

// tighten removes the nodes that are loose.
func (v *vectors) tighten() {
	for _, at := range v.loose {
		v.graph.Remove(v.nodes[at])
		v.nodes[at] = 0
		v.graph.Compact(func(at uint32, to hnsw.Ref) { v.nodes[at] = to })
	}
	v.loose = v.loose[:0]
}

// at returns a vector by its place.
func (v *vectors) at(i int) []float32 {
	if i < len(v.nodes) {
		return v.graph.Floats(v.nodes[i])
	}
	return v.single.at(i - len(v.nodes))
}

// fetch has the processor fetch a vector by its place, and does not wait for it.
func (v *vectors) fetch(i int) {
	if v.space.Element != Float64 {
		simd.Fetch(v.at(i))
	}
}

// clean removes the vectors of documents that are gone.
func (v *vectors) clean(s *sweep) {
	v.tighten()
	n, nodes, waiting := 0, 0, 0
	for i, id := range v.ids {
		if id = s.of(id); id == 0 {
			continue
		}
		v.ids[n] = id
		switch from := i - len(v.nodes); {
		case from < 0:
			v.nodes[n] = v.nodes[i]
			v.graph.SetData(v.nodes[n], uint32(n))
			nodes++
		case v.space.Element == Float64:
			copy(v.double.at(waiting), v.double.at(from))
			waiting++
		default:
			copy(v.single.at(waiting), v.single.at(from))
			waiting++
		}
		n++
	}
	v.ids, v.nodes = v.ids[:n], v.nodes[:nodes]
	if v.space.Element == Float64 {
		v.double.cut(waiting)
	} else {
		v.single.cut(waiting)
	}
}

// target is a vector to which distances are measured.
type target struct {
	of     *vectors
	single []float32
	double []float64 // of FLOAT64, instead of single
}

// to returns the target of a vector's bytes.
func (v *vectors) to(blob []byte) *target {
	v.tighten()
	if v.space.Element == Float64 {
		return &target{of: v, double: decode[float64](&v.space, blob)}
	}
	return &target{of: v, single: decode[float32](&v.space, blob)}
}

// toOwn returns the target of a vector by its place.
func (v *vectors) toOwn(i int) *target {
	if v.space.Element == Float64 {
		return &target{of: v, double: v.numbers(i)}
	}
	return &target{of: v, single: v.at(i)}
}

// distance returns that to vector i.
func (t *target) distance(i int) float64 {
	s := &t.of.space
	switch {
	case s.Element == Float64:
		return distance(s.Metric, t.double, t.of.double.at(i))
	case s.Metric == L2:
		return float64(simd.Squares(t.single, t.of.at(i)))
	}
	return float64(1 - simd.Dot(t.single, t.of.at(i)))
}

// distance measures vectors of FLOAT64.
func distance(m Metric, a, b []float64) (sum float64) {
	for i, f := range a {
		if m == L2 {
			f -= b[i]
			sum += f * f
		} else {
			sum += f * b[i]
		}
	}
	if m == L2 {
		return sum
	}
	return 1 - sum
}

// bytes returns the memory of the vectors.
func (v *vectors) bytes() int {
	n := cap(v.ids)*4 + cap(v.nodes)*4 + v.single.bytes() + v.double.bytes()
	if v.graph != nil {
		n += v.graph.Bytes()
	}
	return n
}
