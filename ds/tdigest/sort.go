package tdigest

import (
	"math"
	"math/bits"
	"sort"
)

// nodes are the nodes of a digest, to be sorted by their means.
type nodes struct {
	means   []float64
	weights []int64
	steps   int // comparisons that are left
}

// Len, Less and Swap implement sort.Interface.
func (n *nodes) Len() int           { return len(n.means) }
func (n *nodes) Less(i, j int) bool { return n.means[i] < n.means[j] }
func (n *nodes) Swap(i, j int) {
	n.means[i], n.means[j] = n.means[j], n.means[i]
	n.weights[i], n.weights[j] = n.weights[j], n.weights[i]
}

// sort sorts the nodes as RedisBloom does, whose quicksort takes the middle for the pivot and moves
// what is less to its left. The order in which that leaves equal means with different weights
// counts, as it decides which of them are merged.
//
// That takes quadratic time where many means are equal, or are ordered to that end. Here the first
// takes no time, see quick. The second gets a sort of another kind, which gives the same order but
// for equal means.
func (d *Digest) sort() {
	n := nodes{means: d.means, weights: d.weights}
	n.steps = 64 * len(d.means) * bits.Len(uint(len(d.means)))
	n.quick(0, len(d.means)-1, math.NaN())
}

// quick sorts the nodes from first to last. No mean there is below floor. So a pivot that equals it
// has no mean to its left, which needs no comparisons.
func (n *nodes) quick(first, last int, floor float64) {
	for first < last {
		if last-first == 1 {
			if n.means[first] > n.means[last] {
				n.Swap(first, last)
			}
			return
		}
		if n.steps < 0 {
			sort.Sort(&nodes{means: n.means[first : last+1], weights: n.weights[first : last+1]})
			return
		}
		middle := (first + last) / 2
		pivot, at := n.means[middle], first
		n.Swap(middle, last)
		if pivot != floor {
			at = n.partition(first, last, pivot)
		}
		n.Swap(at, last)
		n.quick(first, at-1, floor)
		first, floor = at+1, pivot
	}
}

// partition moves the means before last that are below the pivot to the left, and returns where
// they end.
func (n *nodes) partition(first, last int, pivot float64) (end int) {
	end = first
	for i := first; i < last; i++ {
		if n.means[i] < pivot {
			n.Swap(end, i)
			end++
		}
	}
	n.steps -= last - first
	return end
}
