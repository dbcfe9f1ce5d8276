package index

import "github.com/miniserver-go/miniserver/ds/hnsw"

// Recall looks for the k nearest documents of up to some vectors of a field, spread evenly, once
// as a query does and once by looking at all. clock tells the time in microseconds.
func (x *Index) Recall(f *Field, k, some int, clock func() int64) *hnsw.Recall {
	v, e := &f.lists.vectors, &evaluation{index: x}
	r := &hnsw.Recall{Vectors: len(v.ids)}
	v.tighten()
	for i := range min(some, len(v.ids)) {
		at := i * len(v.ids) / min(some, len(v.ids))
		if !x.docs.alive(v.ids[at]) {
			continue
		}
		t := v.toOwn(at)
		r.Ask(func() []float64 { return distances(e.nearest(t, k, f.Space.Runtime)) },
			func() []float64 { return distances(e.among(t, k, nil)) }, clock)
	}
	return r
}

func distances(list []neighbour) (all []float64) {
	for _, n := range list {
		all = append(all, n.distance)
	}
	return all
}
