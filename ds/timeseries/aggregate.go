package timeseries

import (
	"math"
	"slices"
	"strings"
)

// Aggregator is a way to make one value of the samples of a bucket.
type Aggregator uint8

// The aggregators, with the numbers of payloads.
const (
	Min      Aggregator = iota + 1 // the lowest value
	Max                            // the highest
	Sum                            // of all
	Avg                            // the mean
	Count                          // how many there are
	First                          // the oldest
	Last                           // the latest
	Range                          // between the lowest and the highest
	StdP                           // standard deviation of a population
	StdS                           // of a sample
	VarP                           // variance of a population
	VarS                           // of a sample
	TWA                            // the mean weighted by time
	CountNaN                       // how many values are NaN
	CountAll                       // how many samples there are, NaN or not
	aggregators
)

var aggregatorNames = [...]string{"", "MIN", "MAX", "SUM", "AVG", "COUNT", "FIRST", "LAST", "RANGE", "STD.P", "STD.S",
	"VAR.P", "VAR.S", "TWA", "COUNTNAN", "COUNTALL"}

// String returns the name of an aggregator, in capitals.
func (a Aggregator) String() string { return aggregatorNames[a] }

// ParseAggregator returns the aggregator of that name, in any case.
func ParseAggregator(name []byte) (a Aggregator, ok bool) {
	for a := Min; a < aggregators; a++ {
		if strings.EqualFold(string(name), a.String()) {
			return a, true
		}
	}
	return 0, false
}

// BucketStart returns when the bucket that holds t begins. Buckets last duration, and one begins at
// align. As in the module a bucket that would begin before 0 begins at 0, and numbers of
// 64 bits overflow.
func BucketStart(t, duration, align uint64) uint64 {
	return notNegative(bucketStart(t, duration, align))
}

// Accumulator gathers the samples of a bucket.
type Accumulator struct {
	kind     Aggregator
	overflow bool    // Avg: a is the mean, since the sum would be infinite
	count    uint64  // of samples
	a, b     float64 // Max and Min; or the sum and that of the squares; or the value
	twa      weighted
}

// weighted is what TWA knows.
type weighted struct {
	prev        Sample // the last one, maybe of the bucket before
	start, end  uint64 // of the bucket
	first, last uint64 // the times between which a is the area
	begins      bool   // there was no bucket before
	reverse     bool
}

// Start makes a ready for the samples of a bucket.
func (a *Accumulator) Start(kind Aggregator) {
	*a = Accumulator{kind: kind}
	switch kind {
	case Min, Max, Range:
		a.a, a.b = -math.MaxFloat64, math.MaxFloat64
	case TWA:
		a.twa.begins = true
	}
}

// Bounds says from when until when the bucket lasts.
func (a *Accumulator) Bounds(start, end uint64) { a.twa.start, a.twa.end = start, end }

// Add adds samples in the order of their times. Values that are NaN do not count but for the
// aggregators that count them. It may change list.
func (a *Accumulator) Add(list []Sample) {
	switch a.kind {
	case Avg:
		a.addMean(list)
		return
	case Min, Max, Range:
		a.addBounds(list)
		return
	case CountNaN:
		a.count += uint64(len(list))
		a.a += float64(len(list) - len(numbers(list)))
		return
	case CountAll:
		a.count += uint64(len(list))
		return
	}
	if list = numbers(list); len(list) == 0 {
		return
	}
	switch a.kind {
	case Sum:
		for i := range list {
			a.a += list[i].Value
		}
	case First:
		if a.count == 0 {
			a.a = list[0].Value
		}
	case Last:
		a.a = list[len(list)-1].Value
	case StdP, StdS, VarP, VarS:
		sum, squares := a.a, a.b
		for i := range list {
			sum += list[i].Value
			squares += float64(list[i].Value * list[i].Value)
		}
		a.a, a.b = sum, squares
	case TWA:
		for i := range list {
			a.addWeighted(list[i])
		}
		return
	}
	a.count += uint64(len(list))
}

// numbers returns those of some samples that are not NaN. It may change the memory of list.
func numbers(list []Sample) []Sample {
	for i := range list {
		if math.IsNaN(list[i].Value) {
			rest := slices.DeleteFunc(list[i:], func(x Sample) bool { return math.IsNaN(x.Value) })
			return list[:i+len(rest)]
		}
	}
	return list
}

// addMean adds samples to the sum, or where that would be infinite, to the mean.
func (a *Accumulator) addMean(list []Sample) {
	for _, x := range list[a.addFar(list):] {
		v := x.Value
		if math.IsNaN(v) {
			continue
		}
		a.count++
		if !a.overflow && (a.a < 0) == (v < 0) && math.Abs(a.a) > math.MaxFloat64-math.Abs(v) {
			a.overflow = true
			a.a /= float64(a.count - 1)
		}
		if a.overflow {
			n := float64(a.count)
			a.a = a.a/n*(n-1) + v/n
		} else {
			a.a += v
		}
	}
}

// addBounds adds samples to the lowest and the highest value.
func (a *Accumulator) addBounds(list []Sample) {
	most, least, nan := a.a, a.b, 0
	for i := range list {
		switch v := list[i].Value; {
		case v >= least && v <= most: // nearly always
		case math.IsNaN(v):
			nan++
		default:
			most, least = max(most, v), min(least, v)
		}
	}
	a.a, a.b = most, least
	a.count += uint64(len(list) - nan)
}

// addFar adds samples to the sum as long as that is far from infinite, and returns how many.
func (a *Accumulator) addFar(list []Sample) (n int) {
	const far = math.MaxFloat64 / 4
	sum := a.a
	for n < len(list) && !a.overflow && math.Abs(sum) <= far && math.Abs(list[n].Value) <= far {
		sum += list[n].Value
		n++
	}
	a.a = sum
	a.count += uint64(n)
	return n
}

// addWeighted adds a sample to the area: that from the one before, or of the first one from the
// beginning of the bucket, if it is known what was before.
func (a *Accumulator) addWeighted(x Sample) {
	w := &a.twa
	a.count++
	switch {
	case a.count > 1:
		a.a += area(w.prev, x)
	case w.begins:
		w.first = x.Time
	default:
		a.a += area(between(w.prev, x, w.start), x)
		w.first = w.start
	}
	w.last, w.prev = x.Time, x
}

// Before tells TWA the last sample before the bucket.
func (a *Accumulator) Before(x Sample) { a.twa.prev, a.twa.begins = x, false }

// After tells TWA the first sample behind the bucket.
func (a *Accumulator) After(x Sample) {
	w := &a.twa
	a.a += area(w.prev, between(w.prev, x, w.end))
	w.last = w.end
}

// between returns the sample at a time on the line through two others.
func between(x, y Sample, t uint64) Sample {
	return Sample{t, x.Value + (y.Value-x.Value)*float64(t-x.Time)/float64(y.Time-x.Time)}
}

// area returns the area between two samples.
func area(x, y Sample) float64 { return (x.Value + y.Value) * float64(y.Time-x.Time) / 2 }

// Result returns the value of the bucket; ok is false if it has no samples that count.
func (a *Accumulator) Result() (v float64, ok bool) {
	n := float64(a.count)
	switch a.kind {
	case Min:
		v = a.b
	case Max, Sum, First, Last, CountNaN:
		v = a.a
	case Range:
		v = a.a - a.b
	case Count, CountAll:
		v = n
	case Avg:
		if v = a.a / n; a.overflow {
			v = a.a
		}
	case VarP:
		v = a.variance()
	case StdP:
		v = math.Sqrt(a.variance())
	case VarS:
		v = a.sampleVariance()
	case StdS:
		v = math.Sqrt(a.sampleVariance())
	case TWA:
		v = a.weightedMean()
	}
	return v, a.count > 0
}

func (a *Accumulator) variance() float64 {
	if a.count == 0 {
		return 0
	}
	n := float64(a.count)
	mean := a.a / n
	return (a.b - 2*a.a*a.a/n + float64(mean*mean*n)) / n // rounded as in the module
}

func (a *Accumulator) sampleVariance() float64 {
	if a.count <= 1 {
		return 0
	}
	n := float64(a.count)
	return a.variance() * n / (n - 1)
}

func (a *Accumulator) weightedMean() float64 {
	if a.twa.last == a.twa.first {
		return a.twa.prev.Value
	}
	return a.a / float64(a.twa.last-a.twa.first)
}

// Empty returns what a bucket without samples shows where it is shown at all, unless its neighbours
// count.
func (a Aggregator) Empty() float64 {
	switch a {
	case Sum, Count, CountNaN, CountAll:
		return 0
	}
	return math.NaN()
}
