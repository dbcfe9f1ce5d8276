package tdigest

import (
	"math"
	"slices"
	"sort"
	"sync"
)

// Questions answers questions about a digest. It is of use until the digest changes. Many questions
// take little more time than one. The digest is merged for the first question that needs it.
type Questions struct {
	d       *Digest
	total   float64         // weight of the merged nodes
	before  []float64       // the weight before each node; empty before the first cdf
	middle  []float64       // the weight before the middle of each node; empty before the first quantile
	ordered bool            // no mean is below the one before it; known with before
	equal   map[int]float64 // the weight of a node and those behind it that have its mean
}

// asked are Questions whose memory is free for others.
var asked = sync.Pool{New: func() any { return new(Questions) }}

// mostAsked is for how many nodes such memory is kept.
const mostAsked = 4096

// Ask returns what answers questions about the digest, until Done.
func (d *Digest) Ask() *Questions {
	q := asked.Get().(*Questions)
	q.d = d
	return q
}

// Done lets others have the memory.
func (q *Questions) Done() {
	if q.d.merged <= mostAsked {
		*q = Questions{before: q.before[:0], middle: q.middle[:0]}
		asked.Put(q)
	}
}

// merge merges the digest.
func (q *Questions) merge() {
	q.d.Merge()
	q.total = float64(q.d.mergedSum)
}

func (q *Questions) weight(i int) float64 { return float64(q.d.weight(i)) }

// Quantile returns the value below which a part p of all values lies, from 0 to 1; NaN if nothing
// is merged. At both ends it may lie beyond all values, as in RedisBloom.
func (q *Questions) Quantile(p float64) float64 {
	q.merge()
	switch q.d.merged {
	case 0:
		return math.NaN()
	case 1:
		return q.d.means[0]
	}
	return q.at(p * q.total)
}

// at returns the value at an index among all values. There are at least two nodes.
func (q *Questions) at(index float64) float64 {
	d, n := q.d, q.d.merged
	left, right := q.weight(0), q.weight(n-1)
	switch {
	case left > 1 && index < left/2:
		return d.least + float64((index-1)/(left/2-1)*(d.means[0]-d.least))
	case index > float64(d.mergedSum-1):
		return d.most
	case right > 1 && q.total-index <= right/2:
		return d.most - float64((q.total-index-1)/(right/2-1)*(d.most-d.means[n-1]))
	}
	if i := q.searchMiddle(index); i < n-1 {
		return q.between(i, index)
	}
	z := index - q.total - right/2
	return average(d.means[n-1], z, d.most, right/2-z)
}

// searchMiddle returns the last node whose middle is at most at index, or before all of them the
// first one.
func (q *Questions) searchMiddle(index float64) int {
	n := q.d.merged
	if len(q.middle) == 0 {
		q.middle = append(slices.Grow(q.middle, n), q.weight(0)/2)
		for i := range n - 1 {
			q.middle = append(q.middle, q.middle[i]+(q.weight(i)+q.weight(i+1))/2)
		}
	}
	return sort.Search(n-1, func(i int) bool { return q.middle[i+1] > index })
}

// between returns the value at an index between the middles of nodes i and i+1. A node of one value
// is exactly there, and takes no part in what is interpolated.
func (q *Questions) between(i int, index float64) float64 {
	low, high := q.d.means[i], q.d.means[i+1]
	from, to := q.middle[i], q.middle[i+1]
	leftUnit, rightUnit := 0., 0.
	if q.weight(i) == 1 {
		if index-from < 0.5 {
			return low
		}
		leftUnit = 0.5
	}
	if q.weight(i+1) == 1 {
		if to-index <= 0.5 {
			return high
		}
		rightUnit = 0.5
	}
	return average(low, to-index-rightUnit, high, index-from-leftUnit)
}

// average returns the weighted average of two values, which is not outside of them.
func average(x1, w1, x2, w2 float64) float64 {
	if !(x1 <= x2) {
		x1, w1, x2, w2 = x2, w2, x1, w1
	}
	x := (float64(x1*w1) + float64(x2*w2)) / (w1 + w2)
	if !(x < x2) {
		x = x2
	}
	if x1 > x {
		return x1
	}
	return x
}

// CDF returns the part of all values that is below a value, with half of those that equal it; NaN
// if nothing is merged.
func (q *Questions) CDF(value float64) float64 {
	q.merge()
	d, n := q.d, q.d.merged
	switch {
	case n == 0:
		return math.NaN()
	case value < d.least:
		return 0
	case value > d.most:
		return 1
	case n == 1:
		if width := d.most - d.least; !(value-d.least <= width) {
			return (value - d.least) / width
		}
		return 0.5
	case value < d.means[0]:
		return q.inTail(value == d.least, value-d.least, d.means[0]-d.least, q.weight(0))
	case value > d.means[n-1]:
		if d.most-d.means[n-1] > 0 {
			return 1 - q.inTail(value == d.most, d.most-value, d.most-d.means[n-1], q.weight(n-1))
		}
		return 1
	}
	return q.inside(value)
}

// inTail returns the part of all values that lies within a distance from the end, before a node of
// a weight whose mean is at width. One value is at the end; the distance between infinite ones is
// no number.
func (q *Questions) inTail(atEnd bool, distance, width, weight float64) float64 {
	switch {
	case !(width > 0):
		return 0
	case atEnd:
		return 0.5 / q.total
	}
	return (1 + float64(distance/width*(weight/2-1))) / q.total
}

// inside is CDF for a value that is not outside of the means.
func (q *Questions) inside(value float64) float64 {
	q.sumBefore()
	i, n := q.searchMean(value), q.d.merged
	switch {
	case i >= n-1:
		return 1 - 0.5/q.total
	case q.d.means[i] == value:
		return (q.before[i] + q.equalTo(i)/2) / q.total
	}
	low, high := q.d.means[i], q.d.means[i+1]
	together := (q.weight(i) + q.weight(i+1)) / 2
	if !(high-low > 0) {
		return (q.before[i] + together) / q.total
	}
	leftUnit, rightUnit := 0., 0.
	switch {
	case q.weight(i) == 1 && q.weight(i+1) == 1:
		return (q.before[i] + 1) / q.total
	case q.weight(i) == 1:
		leftUnit = 0.5
	case q.weight(i+1) == 1:
		rightUnit = 0.5
	}
	base := q.before[i] + q.weight(i)/2 + leftUnit
	return (base + (together-leftUnit-rightUnit)*(value-low)/(high-low)) / q.total
}

// equalTo returns the weight of a node and of those behind it that have the same mean.
func (q *Questions) equalTo(i int) float64 {
	sum, known := q.equal[i]
	for j := i; !known && j < q.d.merged && q.d.means[j] == q.d.means[i]; j++ {
		sum += q.weight(j)
	}
	if q.equal == nil {
		q.equal = map[int]float64{}
	}
	q.equal[i] = sum
	return sum
}

// sumBefore makes before.
func (q *Questions) sumBefore() {
	if len(q.before) > 0 {
		return
	}
	q.before, q.ordered = append(slices.Grow(q.before, q.d.merged), 0), true
	for i := range q.d.merged - 1 {
		q.before = append(q.before, q.before[i]+q.weight(i))
		q.ordered = q.ordered && q.d.means[i] <= q.d.means[i+1]
	}
}

// searchMean returns the first node whose mean equals a value, or that has it between its mean and
// the next one; the last node or beyond if there is none.
func (q *Questions) searchMean(value float64) int {
	means := q.d.means[:q.d.merged]
	if q.ordered {
		i := sort.SearchFloat64s(means, value)
		if i < len(means) && means[i] == value {
			return i
		}
		return i - 1
	}
	for i := range means[:len(means)-1] {
		if means[i] == value || means[i] <= value && value < means[i+1] {
			return i
		}
	}
	return len(means)
}

// TrimmedMean returns the mean of the values between two quantiles, from 0 to 1; NaN if nothing is
// merged. O(n) of n nodes.
func (q *Questions) TrimmedMean(low, high float64) float64 {
	q.merge()
	switch q.d.merged {
	case 0:
		return math.NaN()
	case 1:
		return q.d.means[0]
	}
	first, last := math.Floor(q.total*low), math.Ceil(q.total*high)
	done, sum, count := 0., 0., 0.
	for i := 0; i < q.d.merged && done < last || i == 0; i++ {
		weight := q.weight(i)
		within := weight - lower(higher(0, first-done), weight)
		within = lower(higher(0, last-done), within)
		done += weight
		sum += float64(q.d.means[i] * within)
		count += within
	}
	return sum / count
}

// lower and higher are the minimum and the maximum of C, which prefer the second of two that are
// not comparable.
func lower(x, y float64) float64 {
	if x < y {
		return x
	}
	return y
}

func higher(x, y float64) float64 {
	if x > y {
		return x
	}
	return y
}

// Below is the rank of what is below all values, and the reverse rank of what is above them; Empty
// is that of everything in an empty digest.
const (
	Below = -1
	Empty = -2
)

// Rank returns how many values are below a value, with half of those that equal it, rounded down.
func (q *Questions) Rank(value float64) int64 {
	size := q.d.Size()
	switch {
	case size == 0:
		return Empty
	case value < q.d.least:
		return Below
	case value > q.d.most:
		return size
	}
	whole, part := math.Modf(q.CDF(value) * float64(size))
	if part > 0.5 {
		whole++
	}
	return integer(whole)
}

// ReverseRank returns how many values are above a value, with half of those that equal it, rounded
// down.
func (q *Questions) ReverseRank(value float64) int64 {
	size := q.d.Size()
	switch {
	case size == 0:
		return Empty
	case value < q.d.least:
		return size
	case value > q.d.most:
		return Below
	}
	return integer(float64(size) - math.Round(q.CDF(value)*float64(size)))
}

// integer converts a number to an integer. As on x86, NaN and numbers out of range become the
// lowest.
func integer(f float64) int64 {
	if !(math.Abs(f) < 1<<63) {
		return math.MinInt64
	}
	return int64(f)
}

// ByRank returns the value of a rank from 0 on, infinity if there are not so many values.
func (q *Questions) ByRank(rank int64) float64 {
	size := q.d.Size()
	switch {
	case size == 0:
		return math.NaN()
	case rank == 0:
		return q.d.least
	case rank >= size:
		return math.Inf(1)
	}
	return q.byPart(float64(rank) / float64(size))
}

// ByReverseRank returns the value of a reverse rank from 0 on, minus infinity if there are not so
// many values.
func (q *Questions) ByReverseRank(rank int64) float64 {
	size := q.d.Size()
	switch {
	case size == 0:
		return math.NaN()
	case rank == 0:
		return q.d.most
	case rank >= size:
		return math.Inf(-1)
	}
	return q.byPart(float64(size-rank-1) / float64(size))
}

// byPart is Quantile, but not below the lowest value.
func (q *Questions) byPart(p float64) float64 {
	q.merge()
	if q.d.merged > 1 && p*q.total < 1 {
		return q.d.least
	}
	return q.Quantile(p)
}
