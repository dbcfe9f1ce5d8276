package hnsw

import "slices"

// heap is found nodes, on top the nearest, or with far the farthest.
type heap struct {
	g    *Graph
	list []Found
	far  bool
}

func (h *heap) before(a, b Found) bool { return h.g.nearer(a, b) != h.far }

func (h *heap) push(f Found) {
	h.list = append(h.list, f)
	i := len(h.list) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(f, h.list[parent]) {
			break
		}
		h.list[i], i = h.list[parent], parent
	}
	h.list[i] = f
}

func (h *heap) pop() Found {
	top, last := h.list[0], len(h.list)-1
	f := h.list[last]
	if h.list = h.list[:last]; last > 0 {
		h.replace(f)
	}
	return top
}

// replace puts a node in the place of that on top.
func (h *heap) replace(f Found) {
	list, i := h.list, 0
	for {
		child := 2*i + 1
		if child >= len(list) {
			break
		}
		if child+1 < len(list) && h.before(list[child+1], list[child]) {
			child++
		}
		if !h.before(list[child], f) {
			break
		}
		list[i], i = list[child], child
	}
	list[i] = f
}

// keep adds a node to the nearest ones, of which there are most at most.
func (h *heap) keep(f Found, most int) {
	if len(h.list) < most {
		h.push(f)
	} else if h.before(h.list[0], f) {
		h.replace(f)
	}
}

// sorted returns the nodes, the nearest first. The heap is none any more.
func (h *heap) sorted() []Found {
	slices.SortFunc(h.list, h.g.compare)
	return h.list
}
