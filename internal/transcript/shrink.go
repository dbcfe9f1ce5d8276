package transcript

import (
	"maps"
	"slices"
	"time"
)

// shrinker looks for the shortest and simplest requests that still fail. It is delta debugging
// (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002) on the requests,
// and after that on their times and values. Every step keeps only what fails, and makes the load
// smaller by this measure: the number of requests, then the sum of their times, then how many
// values are not the simplest. So it ends, and its result depends on nothing but the load.
type shrinker struct {
	load  *load
	fails func([]request) bool
	tries int // that are left
}

// maxTries bounds the runs of a load while it is shrunk.
const maxTries = 3000

// shrink returns requests that fail, such that none of them can be left out.
func (s *shrinker) shrink(requests []request) []request {
	for again := true; again; {
		before := requests
		requests = s.drop(requests)
		requests = s.hasten(requests)
		requests = s.simplify(requests)
		again = !slices.EqualFunc(before, requests, request.equal)
	}
	return requests
}

func (q request) equal(o request) bool {
	return q.at == o.at && q.command == o.command && maps.Equal(q.values, o.values)
}

// try reports whether the requests fail.
func (s *shrinker) try(requests []request) bool {
	if s.tries == 0 {
		return false
	}
	s.tries--
	return s.fails(requests)
}

// drop leaves out parts of the requests: halves, quarters, and so on to single ones.
func (s *shrinker) drop(requests []request) []request {
	for size := (len(requests) + 1) / 2; size > 0; {
		dropped := false
		for from := 0; from < len(requests) && len(requests) > 1; {
			to := min(from+size, len(requests))
			if rest := slices.Concat(requests[:from], requests[to:]); len(rest) > 0 && s.try(rest) {
				requests, dropped = rest, true
			} else {
				from = to
			}
		}
		if size = min(size, len(requests)); size > 1 || !dropped {
			size /= 2
		}
	}
	return requests
}

// hasten moves requests to earlier times: all from one on, which shortens the gap before it, or one
// alone.
func (s *shrinker) hasten(requests []request) []request {
	for i := range requests {
		before := time.Duration(0)
		if i > 0 {
			before = requests[i-1].at
		}
		gap := requests[i].at - before
		requests = s.least(gap, requests,
			func(d time.Duration) []request { return shifted(requests, i, len(requests), gap-d) })
		gap = requests[i].at - before
		requests = s.least(gap, requests, func(d time.Duration) []request { return shifted(requests, i, i+1, gap-d) })
	}
	return requests
}

// least returns what made returns for the least gap that still fails: for 0, or else what bisection
// finds in whole milliseconds.
func (s *shrinker) least(gap time.Duration, requests []request, made func(gap time.Duration) []request) []request {
	if gap == 0 {
		return requests
	}
	if zero := made(0); s.try(zero) {
		return zero
	}
	low, high := time.Duration(0), gap // low does not fail, high does
	best := requests
	for high-low > time.Millisecond {
		middle := (low + (high-low)/2).Truncate(time.Millisecond)
		if middle == low {
			break
		}
		if shorter := made(middle); s.try(shorter) {
			best, high = shorter, middle
		} else {
			low = middle
		}
	}
	return best
}

// shifted returns the requests with those from one place up to another d earlier.
func shifted(requests []request, from, to int, d time.Duration) []request {
	earlier := slices.Clone(requests)
	for i := from; i < to; i++ {
		earlier[i].at -= d
	}
	return earlier
}

// simplify gives the variables their simplest values: in all requests, or in one.
func (s *shrinker) simplify(requests []request) []request {
	for _, v := range s.load.variables {
		requests = s.set(requests, v, 0, len(requests))
		for i := range requests {
			requests = s.set(requests, v, i, i+1)
		}
	}
	for i := range requests {
		if requests[i].command > 0 {
			first := slices.Clone(requests)
			if first[i].command = 0; s.try(first) {
				requests = first
			}
		}
	}
	return requests
}

// set sets a variable of some requests to its simplest value if they still fail then.
func (s *shrinker) set(requests []request, v variable, from, to int) []request {
	simpler := slices.Clone(requests)
	for i := from; i < to; i++ {
		simpler[i].values = maps.Clone(simpler[i].values)
		simpler[i].values[v.name] = v.simplest(i)
	}
	if !slices.EqualFunc(requests, simpler, request.equal) && s.try(simpler) {
		return simpler
	}
	return requests
}
