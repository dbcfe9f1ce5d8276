package hnsw

import "slices"

// Recall is how well a graph finds the nearest vectors, beside a look at all of them.
type Recall struct {
	Vectors     int
	Asked       int   // vectors whose neighbors were looked for
	Wanted      int   // neighbors that there are, of all that were asked
	Found       int   // those of them that the graph found
	Graph, Full int64 // microseconds that the graph took, and that a look at all took
}

// Share returns the part of the neighbors that the graph found, from 0 to 1; 1 if there are none.
func (r *Recall) Share() float64 {
	if r.Wanted == 0 {
		return 1
	}
	return float64(r.Found) / float64(r.Wanted)
}

// Ask looks for the neighbors of one vector by the graph and by looking at all, and counts what was
// found. Both functions return distances, and clock tells the time in microseconds. Of neighbors
// that are equally far any will do.
func (r *Recall) Ask(graph, full func() []float64, clock func() int64) {
	begin := clock()
	found := graph()
	middle := clock()
	exact := full()
	r.Graph, r.Full = r.Graph+middle-begin, r.Full+clock()-middle
	r.Asked++
	r.Wanted += len(exact)
	if len(exact) == 0 {
		return
	}
	farthest := slices.Max(exact)
	for _, distance := range found {
		if distance <= farthest {
			r.Found++
		}
	}
}
