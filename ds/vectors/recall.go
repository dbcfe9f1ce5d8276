package vectors

import "github.com/miniserver-go/miniserver/ds/hnsw"

// Recall looks for the k nearest elements of up to some elements, spread evenly over the order in
// which they were added, once by a search with an exploration factor and once by looking at all.
// clock tells the time in microseconds. O(some*elements).
func (s *Set) Recall(k, ef, some int, clock func() int64) *hnsw.Recall {
	r := &hnsw.Recall{Vectors: s.Len()}
	k, some = min(k, s.Len()), min(some, s.Len())
	at := 0
	s.Each(func(e Element) bool {
		if at*some/s.Len() == r.Asked {
			v := s.Vector(e)
			q := Query{Vector: hnsw.NewVector(v.Kind, v.Components(nil)), Count: k, EF: min(max(ef, k), s.Len())}
			search := func() []float64 { return distances(s.Search(&q)) }
			r.Ask(search, func() []float64 {
				q.Exact = true
				return search()
			}, clock)
		}
		at++
		return r.Asked < some
	})
	return r
}

func distances(list []Neighbor) (all []float64) {
	for _, n := range list {
		all = append(all, float64(n.Distance))
	}
	return all
}
