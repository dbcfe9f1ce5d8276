package index

import (
	"cmp"
	"container/heap"
	"slices"

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
	if err := checkAttributes(n, &f.Space); err != nil {
		v.refuse(command.Errorf("Error parsing vector similarity parameters: %s", err))
		return nil
	}
	target := f.lists.vectors.to([]byte(n.Blob))
	var found []neighbour
	if n.Range {
		found = v.within(target, n.Radius)
	} else {
		var child iterator
		if n.Child != nil {
			if child = v.node(n.Child, fields); child == nil {
				return nil
			}
		}
		found = v.nearest(target, n.K, child)
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b neighbour) int { return cmp.Compare(a.id, b.id) })
	return &neighbours{list: found, name: n.Score,
		m: match{kind: isDistance, weight: 1, fields: query.AllFields}}
}

// neighbour is a document with the distance of its vector.
type neighbour struct {
	id       ID
	distance float64
	why      *match // why it is among those that are asked; nil for all
}

// farthest is a heap of neighbours, the farthest on top.
type farthest []neighbour

func (h farthest) Len() int           { return len(h) }
func (h farthest) Less(i, j int) bool { return h[j].before(h[i]) }
func (h farthest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *farthest) Push(n any)        { *h = append(*h, n.(neighbour)) }
func (h *farthest) Pop() any {
	last := len(*h) - 1
	n := (*h)[last]
	*h = (*h)[:last]
	return n
}

// before reports whether a neighbour is nearer than another one.
func (n neighbour) before(o neighbour) bool {
	return cmp.Or(cmp.Compare(n.distance, o.distance), cmp.Compare(n.id, o.id)) < 0
}

// among calls yield for the documents with a vector that an iterator finds, or all if it is nil,
// with the least distance of their vectors.
func (v *evaluation) among(t *target, it iterator, yield func(neighbour)) {
	ids := t.of.ids
	for i := 0; i < len(ids); {
		if it != nil {
			if !it.seek(ids[i]) {
				return
			}
			if at := it.id(); at != ids[i] {
				skipped, _ := slices.BinarySearch(ids[i:], at)
				i += skipped
				continue
			}
		}
		n := neighbour{id: ids[i], distance: t.distance(i)}
		for i++; i < len(ids) && ids[i] == n.id; i++ {
			n.distance = min(n.distance, t.distance(i))
		}
		if v.index.docs.alive(n.id) {
			yield(n)
		}
	}
}

// nearest returns the k nearest documents among those that an iterator finds, or all if it is nil.
func (v *evaluation) nearest(t *target, k int, it iterator) []neighbour {
	var h farthest
	if k == 0 {
		return nil
	}
	v.among(t, it, func(n neighbour) {
		if len(h) == k && !n.before(h[0]) {
			return
		}
		if it != nil {
			n.why = it.match().clone()
		}
		if len(h) < k {
			heap.Push(&h, n)
		} else {
			h[0] = n
			heap.Fix(&h, 0)
		}
	})
	return h
}

// within returns the documents within a radius.
func (v *evaluation) within(t *target, radius float64) (list []neighbour) {
	v.among(t, nil, func(n neighbour) {
		if n.distance <= radius {
			list = append(list, n)
		}
	})
	return list
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
