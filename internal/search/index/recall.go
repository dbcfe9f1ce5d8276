package index

// Recall is how well a field's graph finds the nearest vectors, beside a look at all of them.
type Recall struct {
	Vectors     int
	Asked       int   // vectors whose neighbours were looked for
	Wanted      int   // neighbours that there are, of all that were asked
	Found       int   // those of them that the graph found
	Graph, Full int64 // microseconds that the graph took, and that a look at all took
}

// Share returns the part of the neighbours that the graph found, from 0 to 1; 1 if there are none.
func (r *Recall) Share() float64 {
	if r.Wanted == 0 {
		return 1
	}
	return float64(r.Found) / float64(r.Wanted)
}

// Recall looks for the k nearest documents of up to some vectors of a field, spread evenly, once
// as a query does and once by looking at all. clock tells the time in microseconds.
func (x *Index) Recall(f *Field, k, some int, clock func() int64) *Recall {
	v, e := &f.lists.vectors, &evaluation{index: x}
	r := &Recall{Vectors: len(v.ids)}
	v.tighten()
	for i := range min(some, len(v.ids)) {
		at := i * len(v.ids) / min(some, len(v.ids))
		if !x.docs.alive(v.ids[at]) {
			continue
		}
		t := v.target(at)
		begin := clock()
		near := e.nearest(t, k, f.Space.Runtime)
		middle := clock()
		r.compare(near, e.among(t, k, nil))
		r.Graph, r.Full = r.Graph+middle-begin, r.Full+clock()-middle
	}
	return r
}

// target returns the target of the vector at a place.
func (v *vectors) target(at int) *target {
	t := &target{of: v, double: v.numbers(at)}
	for _, f := range t.double {
		t.single = append(t.single, float32(f))
	}
	return t
}

// compare counts what was found. Of neighbours that are equally far any will do.
func (r *Recall) compare(found, exact []neighbour) {
	farthest := 0.0
	for _, n := range exact {
		farthest = max(farthest, n.distance)
	}
	for _, n := range found {
		if n.distance <= farthest {
			r.Found++
		}
	}
	r.Asked++
	r.Wanted += len(exact)
}
