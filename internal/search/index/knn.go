package index

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// vector returns the documents whose vector is near to that of a query.
func (v *evaluation) vector(n *query.Vector, fields query.Fields) iterator {
	f := v.index.field(n.Field, Vector)
	if f == nil {
		return nil
	}
	if want := f.Space.Bytes(); len(n.Blob) != want {
		v.refuse(command.Errorf("Error parsing vector similarity query: query vector blob size (%d) does not "+
			"match index's expected size (%d).", len(n.Blob), want))
		return nil
	}
	if n.Range && n.Radius < 0 {
		v.refuse(command.Errorf("Error parsing vector similarity query: negative radius (%g) given in a range query",
			n.Radius))
		return nil
	}
	how, err := readAttributes(n, &f.Space)
	if err != nil {
		v.refuse(command.Errorf("Error parsing vector similarity parameters: %s", err))
		return nil
	}
	target := f.lists.vectors.to([]byte(n.Blob))
	var found []neighbour
	switch {
	case n.Range:
		found = v.within(target, n.Radius, how.epsilon)
	case n.Child == nil:
		found = v.nearest(target, n.K, how.runtime)
	default:
		child := v.node(n.Child, fields)
		if child == nil {
			return nil
		}
		found = v.filtered(target, n, how, child, fields)
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b neighbour) int { return cmp.Compare(a.id, b.id) })
	return &neighbours{list: found, name: n.Score,
		m: match{kind: isDistance, weight: 1}}
}

// neighbour is a document with the distance of its vector.
type neighbour struct {
	id       ID
	distance float64
	why      *match // why it is among those that are asked; nil for all
}

// compare returns a negative number if a neighbour is nearer than another one.
func (n neighbour) compare(o neighbour) int {
	return cmp.Or(cmp.Compare(n.distance, o.distance), cmp.Compare(n.id, o.id))
}

// nearest is the nearest neighbours, as a heap with the farthest on top.
type nearest struct {
	list []neighbour
	most int
}

func (h *nearest) Len() int           { return len(h.list) }
func (h *nearest) Less(i, j int) bool { return h.list[j].compare(h.list[i]) < 0 }
func (h *nearest) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *nearest) Push(n any)         { h.list = append(h.list, n.(neighbour)) }
func (h *nearest) Pop() any           { return nil } // nothing is taken from the heap

// add adds a neighbour that an iterator, which may be nil, has found, if it is among the nearest.
func (h *nearest) add(n neighbour, it iterator) {
	if h.most == 0 || len(h.list) == h.most && n.compare(h.list[0]) >= 0 {
		return
	}
	if it != nil {
		n.why = it.match().clone()
	}
	if len(h.list) < h.most {
		heap.Push(h, n)
		return
	}
	h.list[0] = n
	heap.Fix(h, 0)
}

// again returns the iterator of a node that has one already, which has moved. The profile tells of
// the first.
func (v *evaluation) again(n query.Node, fields query.Fields) iterator {
	profile := v.Profile
	v.Profile = nil
	defer func() { v.Profile = profile }()
	return v.orNothing(n, fields)
}

// ahead is how many vectors are fetched before the first of them is looked at.
const ahead = 16

// candidates calls yield for the documents with a vector from a place on that an iterator finds, or
// all if it is nil, with the least distance of their vectors. The iterator may be further then.
func (v *evaluation) candidates(t *target, from int, it iterator, yield func(neighbour)) {
	ids := t.of.ids
	var places [ahead]int
	for n := ahead; n == ahead; {
		for n = 0; n < ahead; n++ {
			if from = v.place(ids, from, it); from == len(ids) {
				break
			}
			places[n] = from
			for id := ids[from]; from < len(ids) && ids[from] == id; from++ {
				t.of.fetch(from)
			}
		}
		for _, i := range places[:n] {
			yield(t.nearestOf(i))
		}
	}
}

// place returns the first place from one on of a document to which an iterator goes, or of any if
// it is nil; len(ids) if there is none.
func (v *evaluation) place(ids []ID, i int, it iterator) int {
	for i < len(ids) {
		if it != nil {
			if !it.next() {
				return len(ids)
			}
			if i += below(ids[i:], it.id()); i == len(ids) || ids[i] != it.id() {
				continue
			}
		}
		if v.index.docs.alive(ids[i]) {
			return i
		}
		i++
	}
	return i
}

// nearestOf returns the document of a place with the least distance of its vectors, of which that
// is the first.
func (t *target) nearestOf(i int) neighbour {
	ids := t.of.ids
	n := neighbour{id: ids[i], distance: t.distance(i)}
	for i++; i < len(ids) && ids[i] == n.id; i++ {
		n.distance = min(n.distance, t.distance(i))
	}
	return n
}

// below returns how many numbers, which are in order, are below one that is not far behind the
// first.
func below(ids []ID, id ID) int {
	from, to := 0, 1
	for to < len(ids) && ids[to] < id {
		from, to = to, 2*to
	}
	skipped, _ := slices.BinarySearch(ids[from:min(to, len(ids))], id)
	return from + skipped
}

// among returns the k nearest documents among those that an iterator finds, or all if it is nil.
func (v *evaluation) among(t *target, k int, it iterator) []neighbour {
	best := nearest{most: k}
	v.candidates(t, 0, it, func(n neighbour) { best.add(n, nil) })
	return best.list
}

// nearest returns the k nearest documents. It looks for ef vectors, and for more if several of them
// are of the same documents.
func (v *evaluation) nearest(t *target, k, ef int) []neighbour {
	for ef = max(ef, k); t.quick(ef); ef *= 4 {
		if found := v.search(t, ef); len(found) >= k {
			return found[:k]
		}
	}
	return v.among(t, k, nil)
}

// search returns documents that the graph finds near to a target, the nearest first: those of ef
// vectors, and of those that wait.
func (v *evaluation) search(t *target, ef int) []neighbour {
	raw := hnsw.Raw(t.single)
	found := t.of.graph.Search(&raw, ef, nil, 0)
	list := make([]neighbour, 0, len(found))
	for _, f := range found {
		list = append(list, t.neighbour(f))
	}
	best := nearest{most: ef}
	v.candidates(t, len(t.of.nodes), nil, func(n neighbour) { best.add(n, nil) })
	return t.of.once(append(list, best.list...))
}

// neighbour returns the document of a node.
func (t *target) neighbour(f hnsw.Found) neighbour {
	at := int(t.of.graph.Data(f.Node))
	return neighbour{id: t.of.ids[at], distance: t.distance(at)}
}

// once sorts documents, the nearest first, and leaves each there once.
func (v *vectors) once(list []neighbour) []neighbour {
	slices.SortFunc(list, neighbour.compare)
	if !v.space.Multi {
		return list
	}
	seen := make(map[ID]bool, len(list))
	return slices.DeleteFunc(list, func(n neighbour) bool {
		twice := seen[n.id]
		seen[n.id] = true
		return twice
	})
}

// quick reports whether to find ef vectors in the graph takes less time than to look at all: for
// each it looks at those that are linked with it.
func (t *target) quick(ef int) bool {
	g := t.of.graph
	return g != nil && ef < hnsw.MaxEF && ef*g.Room(0) < g.Len()
}

// filtered returns the k nearest documents that an iterator finds, with why it does: among those
// that the graph finds, or if they are too few or that takes longer, among all that it finds. Then
// another iterator goes through all again to say why, as what a union tells depends on the way.
func (v *evaluation) filtered(t *target, n *query.Vector, how attributes, it iterator,
	fields query.Fields) []neighbour {
	if size := t.batchSize(n.K, how, it.estimate()); size > 0 {
		if found := v.batch(t, n.K, size, it); len(found) == n.K {
			return found
		}
		it = v.again(n.Child, fields)
	}
	found := v.among(t, n.K, it)
	slices.SortFunc(found, func(a, b neighbour) int { return cmp.Compare(a.id, b.id) })
	at := 0
	for it = v.again(n.Child, fields); at < len(found) && it.next(); {
		if it.id() == found[at].id {
			found[at].why = it.match().clone()
			at++
		}
	}
	return found
}

// batchSize returns how many vectors the graph is to find of which k will be among some that a
// filter lets pass; 0 if to look at those takes less time.
func (t *target) batchSize(k int, how attributes, some int) int {
	if how.exact || some == 0 {
		return 0
	}
	size := max(how.runtime, 2*k*(len(t.of.ids)/some+1))
	if !t.quick(size) || size*t.of.graph.Room(0) > some {
		return 0
	}
	return size
}

// batch returns the k nearest documents that an iterator finds among those of some vectors that the
// graph finds; fewer if there are fewer.
func (v *evaluation) batch(t *target, k, size int, it iterator) []neighbour {
	near := v.search(t, size)
	slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.id, b.id) })
	best := nearest{most: k}
	for _, n := range near {
		if !it.seek(n.id) {
			break
		}
		if it.id() == n.id {
			best.add(n, it)
		}
	}
	return best.list
}

// within returns the documents within a radius. The graph goes on from as many near vectors as a
// query for the nearest looks at, and as far as epsilon says beyond the radius. It looks for those
// of a sixteenth of all vectors; if there are more, all are looked at.
func (v *evaluation) within(t *target, radius, epsilon float64) (list []neighbour) {
	from := 0
	if ef := t.of.space.Runtime; t.quick(ef) {
		raw, reach := hnsw.Raw(t.single), math.Nextafter32(float32(radius*(1+epsilon)), math.MaxFloat32)
		if found, ok := t.of.graph.Within(&raw, reach, reach, ef, len(t.of.nodes)/16); ok {
			from = len(t.of.nodes)
			for _, f := range found {
				if n := t.neighbour(f); n.distance <= radius {
					list = append(list, n)
				}
			}
		}
	}
	v.candidates(t, from, nil, func(n neighbour) {
		if n.distance <= radius {
			list = append(list, n)
		}
	})
	return t.of.once(list)
}

// neighbours finds documents with their distances.
type neighbours struct {
	list []neighbour
	at   int // of the next one
	name string
	m    match
}

func (n *neighbours) next() bool {
	n.at++
	return n.at <= len(n.list)
}

func (n *neighbours) seek(id ID) bool {
	if n.at > 0 && n.at <= len(n.list) && n.list[n.at-1].id >= id {
		return true
	}
	skipped, _ := slices.BinarySearchFunc(n.list[min(n.at, len(n.list)):], id,
		func(a neighbour, id ID) int { return cmp.Compare(a.id, id) })
	n.at += skipped
	return n.next()
}

func (n *neighbours) id() ID        { return n.list[n.at-1].id }
func (n *neighbours) estimate() int { return len(n.list) }

// match returns the distance. With a filter it is that beside why the filter lets it pass.
func (n *neighbours) match() *match {
	at := &n.list[n.at-1]
	n.m.distances = n.m.distances[:0]
	if n.name != "" {
		n.m.distances = append(n.m.distances, distanceOf{n.name, at.distance})
	}
	if at.why == nil {
		return &n.m
	}
	both := &match{kind: isIntersection, weight: 1}
	both.join(&n.m)
	both.join(at.why)
	return both
}
