// Package tdigest is the t-digest: quantiles of a stream of numbers, most exact at both ends, in
// memory that does not grow with the stream. It is the merging digest of Dunning and Ertl,
// "Computing Extremely Accurate Quantiles Using t-Digests" (2019).
//
//	nodes   [ mean, weight ] ...  merged: sorted; light at both ends, heavy in the middle
//	        [ value, 1 ] ...      not yet merged, in the order in which they came
//
// When the nodes reach the capacity, and before a question is answered, all are sorted, and
// neighbours become one as long as their weight is no more than the scale allows at their quantile:
// with a compression of c, about q*(1-q)/c of all.
//
// Invariants, verified by Check:
//
//  1. There are at most as many nodes as the capacity, 6*compression + 10.
//  2. Each weight is at least 1. Those of the merged nodes add up to their sum, but for rounding,
//     and those of the others exactly.
//  3. The weights that are not kept are 1.
//
// Every operation on floats is that of RedisBloom's library, in the same order, so that replies are
// equal to the last digit; so is the order in which the sort leaves equal means. Products are
// converted before they are added, or some processors would round once instead of twice. Unlike
// there, nodes take memory as they come, and a weight of 1 at the end takes none.
//
// Means can be infinite, or no numbers, where values differ by more than the largest float. Nothing
// relies on their order then.
package tdigest

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/libm"
)

// Default is the compression of a digest for which none is asked.
const Default = 100

// MaxCompression is the highest compression, whose capacity is just below 2^31.
const MaxCompression = (math.MaxInt32 - 10) / 6

// Digest is one digest. New makes one; the zero value is of no use.
type Digest struct {
	compression float64
	least, most float64 // of all values; least is above most if there are none
	means       []float64
	weights     []int64 // of the first nodes
	merged      int     // nodes
	mergedSum   int64   // of their weights
	restSum     int64   // of the weights of the others
	merges      int64   // how often nodes were merged
}

// New returns an empty digest with a compression from 1 to MaxCompression.
func New(compression int64) *Digest {
	d := &Digest{compression: float64(compression)}
	d.Reset()
	return d
}

// Reset removes all values.
func (d *Digest) Reset() {
	*d = Digest{compression: d.compression, least: math.MaxFloat64, most: -math.MaxFloat64}
}

// Capacity returns how many nodes there can be.
func (d *Digest) Capacity() int { return 6*int(d.compression) + 10 }

// FullBytes returns the bytes of as many nodes as there can be.
func (d *Digest) FullBytes() int { return 16 * d.Capacity() }

// Compression returns the compression, which weighs exactness against memory.
func (d *Digest) Compression() int64 { return int64(d.compression) }

// Size returns how many values were added.
func (d *Digest) Size() int64 { return d.mergedSum + d.restSum }

// Min returns the lowest value, NaN without any.
func (d *Digest) Min() float64 { return d.extreme(d.least) }

// Max returns the highest value, NaN without any.
func (d *Digest) Max() float64 { return d.extreme(d.most) }

func (d *Digest) extreme(f float64) float64 {
	if d.Size() == 0 {
		return math.NaN()
	}
	return f
}

// Stats are the figures of a digest.
type Stats struct {
	Merged, Rest       int   // nodes
	MergedSum, RestSum int64 // of their weights
	Merges             int64
}

// Stats returns the figures of the digest.
func (d *Digest) Stats() Stats {
	return Stats{d.merged, len(d.means) - d.merged, d.mergedSum, d.restSum, d.merges}
}

// Fits reports whether values of a weight can be added to those of another one, so that their
// number stays one.
func Fits(size, weight int64) bool { return size <= math.MaxInt64-weight }

// Add adds a finite value. It returns false if there are too many. O(1) on average, O(capacity *
// log capacity) at most.
func (d *Digest) Add(value float64) bool { return d.add(value, 1) }

// add adds a node.
func (d *Digest) add(mean float64, weight int64) bool {
	if len(d.means) >= d.Capacity()-1 {
		d.Merge()
	}
	if len(d.means) >= d.Capacity() || !Fits(d.Size(), weight) {
		return false
	}
	// Neither a NaN nor another 0 takes the place of what is there.
	if mean < d.least {
		d.least = mean
	}
	if mean > d.most {
		d.most = mean
	}
	if weight != 1 {
		d.spell()
		d.weights = append(d.weights, weight)
	}
	if len(d.means) == cap(d.means) {
		d.means = append(make([]float64, 0, min(max(8, len(d.means)*3/2), d.Capacity())), d.means...)
	}
	d.means = append(d.means, mean)
	d.restSum += weight
	return true
}

// Absorb adds the values of another digest, which is merged before: see Merge. It returns false if
// they are too many.
func (d *Digest) Absorb(from *Digest) bool {
	d.Merge()
	from.Merge()
	for i, mean := range from.means {
		if !d.add(mean, from.weight(i)) {
			return false
		}
	}
	return true
}

// spell makes the weights that are not kept.
func (d *Digest) spell() {
	d.weights = slices.Grow(d.weights, len(d.means)+1-len(d.weights))
	for len(d.weights) < len(d.means) {
		d.weights = append(d.weights, 1)
	}
}

// weight returns the weight of a node.
func (d *Digest) weight(i int) int64 {
	if i < len(d.weights) {
		return d.weights[i]
	}
	return 1
}

// Node returns the mean and the weight of a node: first the merged ones, then the others.
func (d *Digest) Node(i int) (mean float64, weight int64) { return d.means[i], d.weight(i) }

// NeedsMerge reports whether Merge would change the digest.
func (d *Digest) NeedsMerge() bool { return len(d.means) > d.merged && d.Size() > 1 }

// Merge merges the nodes, which every question does first. A single value stays as it is, as in
// RedisBloom. O(n log n) of n nodes.
func (d *Digest) Merge() {
	if !d.NeedsMerge() {
		return
	}
	d.spell()
	d.sort()
	total := float64(d.mergedSum) + float64(d.restSum)
	normalizer := d.compression / (2 * math.Pi * total * libm.Log(total))
	last, before := 0, 0. // the node to merge into, and the weight of those before it
	for i := 1; i < len(d.means); i++ {
		mean, weight := d.means[i], d.weights[i]
		together := float64(d.weights[last]) + float64(weight)
		z, low, high := together*normalizer, before/total, (before+together)/total
		if z <= low*(1-low) && z <= high*(1-high) {
			d.weights[last] += weight
			d.means[last] += float64((mean-d.means[last])*float64(weight)) / float64(d.weights[last])
			continue
		}
		before += float64(d.weights[last])
		last++
		d.means[last], d.weights[last] = mean, weight
	}
	d.means = d.means[:last+1]
	d.weights = slices.Clone(d.weights[:last+1])
	d.merged, d.mergedSum, d.restSum = last+1, int64(min(total, math.MaxInt64-1023)), 0
	d.merges++
}
