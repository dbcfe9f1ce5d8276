package timeseries

import (
	"math"
	"sort"
)

// bucket is a span of time: from start until before end. One that ends at math.MaxUint64 includes
// that.
type bucket struct{ start, end uint64 }

// holds reports whether a time is in the bucket.
func (x bucket) holds(t uint64) bool { return t >= x.start && (t < x.end || x.end == math.MaxUint64) }

// leading returns how many of some samples are in the bucket before one that is not. Their times
// ascend or descend.
func (x bucket) leading(list []Sample) int {
	if x.holds(list[len(list)-1].Time) {
		return len(list)
	}
	return sort.Search(len(list), func(i int) bool { return !x.holds(list[i].Time) })
}

// of returns the bucket of a time. The first one of all may be shorter than the others.
func (b *Buckets) of(t uint64) bucket {
	first := b.Align % b.Duration
	if t < first {
		return bucket{0, first}
	}
	start := t - (t-first)%b.Duration
	return bucket{start, b.endOf(start)}
}

// endOf returns the end of a bucket that is not shorter than others.
func (b *Buckets) endOf(start uint64) uint64 {
	if start > math.MaxUint64-b.Duration {
		return math.MaxUint64
	}
	return start + b.Duration
}

// next returns the bucket behind another one, or before it.
func (b *Buckets) next(x bucket, backwards bool) bucket {
	if backwards {
		return bucket{x.start - min(x.start, b.Duration), x.start}
	}
	return bucket{x.end, b.endOf(x.end)}
}

// stamp returns the time that is shown for a bucket.
func (b *Buckets) stamp(x bucket) uint64 {
	switch b.Stamp {
	case AtEnd:
		return x.start + b.Duration
	case AtMiddle:
		return x.start + b.Duration/2
	}
	return x.start
}

// spend takes a bucket without samples from those that may be shown.
func (g *Gaps) spend() bool {
	if g.Left == 0 {
		g.Exceeded = true
		return false
	}
	g.Left--
	return true
}

// buckets aggregates the samples of a source, which come in the order of time or backwards.
type buckets struct {
	Buckets
	from      Source
	kind      Aggregator
	backwards bool
	in        []Sample // that were read
	bucket    bucket   // the latest one
	acc       Accumulator
	state     state
	value     float64 // of the latest bucket that had samples
	out       []Sample
	size      int // of out
}

// state is how far buckets has come: the latest bucket does not exist, or takes samples, or is
// closed; or buckets without samples follow.
type state uint8

const (
	fresh state = iota
	filling
	closed
	bridging
)

func newBuckets(q *Query, kind Aggregator, from Source) *buckets {
	return &buckets{Buckets: q.Buckets, from: from, kind: kind, backwards: q.Backwards, size: q.batch()}
}

// Next implements Source.
func (b *buckets) Next() []Sample {
	b.out = b.out[:0]
	for len(b.out) < b.size {
		if len(b.in) == 0 {
			if b.in = b.from.Next(); len(b.in) == 0 {
				b.close()
				return b.out
			}
		}
		switch {
		case b.state == filling:
			b.take()
		case b.state == bridging:
			b.bridge()
		case b.state == closed && b.Empty:
			b.state = bridging
		default:
			b.begin(b.of(b.in[0].Time))
		}
	}
	return b.out
}

// begin begins a bucket.
func (b *buckets) begin(x bucket) {
	b.bucket, b.state = x, filling
	b.acc.Start(b.kind)
}

// take adds the samples of the bucket, and closes it before the first one of another bucket.
func (b *buckets) take() {
	n := b.bucket.leading(b.in)
	b.acc.Add(b.in[:n])
	if b.in = b.in[n:]; len(b.in) > 0 {
		b.close()
	}
}

// close shows the bucket that takes samples, if there is one.
func (b *buckets) close() {
	if b.state == filling {
		value, ok := b.acc.Result()
		if !ok {
			value = b.kind.Empty()
		}
		b.value = value
		b.show(value)
		b.state = closed
	}
}

func (b *buckets) show(v float64) { b.out = append(b.out, Sample{b.stamp(b.bucket), v}) }

// bridge goes to the next bucket: it begins if the next sample is there, else it is shown without
// samples. If no more of those may be shown there is an end.
func (b *buckets) bridge() {
	x := b.next(b.bucket, b.backwards)
	if x.holds(b.in[0].Time) {
		b.begin(x)
		return
	}
	if !b.Gaps.spend() {
		b.in, b.from, b.state = nil, nothing{}, closed
		return
	}
	b.bucket = x
	if b.kind == Last {
		b.show(b.value)
	} else {
		b.show(b.kind.Empty())
	}
}
