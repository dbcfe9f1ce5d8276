package laboratory

import (
	"math/rand/v2"
	"time"
)

// Times are CPU times of the working thread, not those of a clock on the wall, which would also
// count other programs on the machine. Of several times the shortest counts: what other programs do
// to the caches can only add to it.

// repeats is how often each operation is timed.
const repeats = 5

// repeat runs fn for about patience, once at least, and returns the nanoseconds of one of the ops
// that it does.
func repeat(patience time.Duration, ops int, fn func()) float64 {
	start := time.Now()
	best := lap(patience/repeats, ops, fn)
	for range repeats - 1 {
		if time.Since(start) > 2*patience {
			break
		}
		best = min(best, lap(patience/repeats, ops, fn))
	}
	return best
}

// lap is one of repeat's.
func lap(patience time.Duration, ops int, fn func()) float64 {
	start, runs, batch := busy(), 0, 1
	for {
		for range batch {
			fn()
		}
		runs += batch
		took := busy() - start
		if took >= patience {
			return float64(took) / float64(runs*ops)
		}
		if took < patience/8 {
			batch *= 2
		}
	}
}

// timeDelete removes elements in random order, from as many collections as patience allows, and
// returns the best time of one removal. Filling them is not counted.
func (r *Result) timeDelete(data []element, d dice, patience time.Duration) (best float64) {
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(data))
	const most, least = 20_000, 500
	order = order[:min(len(order), most)]
	several := max(1, least/len(order))
	for start := time.Now(); best == 0 || time.Since(start) < 2*patience; {
		all := make([]container, several)
		for i := range all {
			all[i] = fill(r.Case, data, d)
		}
		begin := busy()
		for _, v := range all {
			for _, i := range order {
				v.delete(data[i])
			}
		}
		took := float64(busy()-begin) / float64(several*len(order))
		if best == 0 || took < best {
			best = took
		}
	}
	return best
}
