package tdigest

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how RedisBloom saves a digest, which it merges before:
//
//	compression, least, most                        doubles
//	capacity, merged nodes, others, merges          integers
//	weight of the merged nodes, of the others       doubles
//	means, weights of the merged nodes              doubles
//
// So nothing else is left but a single value, which is not merged. RedisBloom loses that one; here
// it is known, as it is the least and the most. A copy is merged here, so that a snapshot changes
// nothing.
var module = &value.Module{Name: "TDIS-TYPE", Version: version, Save: save, Load: load}

const version = 0

func save(v value.Value, to value.PartWriter) {
	d := v.(*Digest).Whole()
	to.Double(d.compression)
	to.Double(d.least)
	to.Double(d.most)
	to.Uint(uint64(d.Capacity()))
	to.Uint(uint64(d.merged))
	to.Uint(uint64(len(d.means) - d.merged))
	to.Uint(uint64(d.merges))
	to.Double(float64(d.mergedSum))
	to.Double(float64(d.restSum))
	for _, mean := range d.means[:d.merged] {
		to.Double(mean)
	}
	for i := range d.merged {
		to.Double(float64(d.weight(i)))
	}
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a t-digest of version %d cannot be read", written)
		return nil
	}
	d := &Digest{compression: from.Double(), least: from.Double(), most: from.Double()}
	capacity, merged, rest := from.Uint(), from.Uint(), from.Uint()
	d.merges = int64(from.Uint())
	mergedSum, restSum := from.Double(), from.Double()
	if !from.OK() {
		return nil
	}
	switch single := merged == 0 && rest == 1 && d.least == d.most; {
	// NaN is not within bounds, either.
	case !(d.compression >= 1 && d.compression < MaxCompression+1), capacity != uint64(d.Capacity()),
		merged > capacity, rest > 0 && !single, restSum != float64(rest), math.IsNaN(d.least) || math.IsNaN(d.most):
		from.Fail("a t-digest is damaged")
		return nil
	case single:
		d.means, d.restSum = []float64{d.least}, 1
	}
	d.merged = int(merged)
	if d.loadNodes(from, mergedSum); !from.OK() {
		return nil
	}
	return d
}

// loadNodes reads the merged nodes, whose weights have a sum, which may be rounded.
func (d *Digest) loadNodes(from value.PartReader, total float64) {
	for i := 0; i < d.merged && from.OK(); i++ {
		d.means = append(d.means, from.Double())
	}
	sum := 0.
	for i := 0; i < d.merged && from.OK(); i++ {
		weight := from.Double()
		if !(weight >= 1 && weight < 1<<63) || weight != math.Trunc(weight) {
			from.Fail("a weight of a t-digest is damaged")
			return
		}
		d.weights = append(d.weights, int64(weight))
		sum += weight
	}
	const exact = 1e-9
	if !(math.Abs(sum-total) <= total*exact) || total >= math.MaxInt64 {
		from.Fail("the weights of a t-digest are damaged")
		return
	}
	d.mergedSum = int64(total)
}
