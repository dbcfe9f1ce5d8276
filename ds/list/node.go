package list

import "github.com/miniserver-go/miniserver/ds/ziplist"

// node is one node of a quicklist.
type node struct {
	prev, next *node
	data       ziplist.List // or the text of the one element, if plain
	count      int
	plain      bool
	twin       *node // which shares the bytes: the frozen one, or that of which it is frozen; nil for none
	block      *byte // outside of Go's heap, with the bytes unless they have left it; nil for none
	size       int   // of the block
}

// at returns element i of the node, which exists; i may count from -1 backwards.
func (n *node) at(i int) ziplist.Entry {
	if n.plain {
		return n.text()
	}
	e, _ := n.data.Get(n.data.Index(i))
	return e
}

// text returns the element of a plain node.
func (n *node) text() ziplist.Entry { return ziplist.Entry{Str: n.data} }

// find returns the index of the node's first element whose text is v.
func (n *node) find(v []byte) (i int, ok bool) {
	if n.plain {
		return 0, string(n.data) == string(v)
	}
	p := n.data.Find(v, n.data.First(), 0)
	if p == ziplist.None {
		return 0, false
	}
	for q := n.data.First(); q != p; q = n.data.Next(q) {
		i++
	}
	return i, true
}

// has reports whether the text of an element of the node is v.
func (n *node) has(v []byte) bool {
	_, ok := n.find(v)
	return ok
}

// walk calls fn for the node's elements, in order from the given end on but without the first skip,
// until fn returns false, which it then returns.
func (n *node) walk(from End, skip int, fn func(e ziplist.Entry) bool) bool {
	if n.plain {
		return fn(n.text())
	}
	return walk(n.data, from, skip, fn)
}

// walk is node.walk for a ziplist.
func walk(zl ziplist.List, from End, skip int, fn func(e ziplist.Entry) bool) bool {
	if from == Tail {
		for p := zl.Index(-1 - skip); p != ziplist.None; p = zl.Prev(p) {
			if e, _ := zl.Get(p); !fn(e) {
				return false
			}
		}
		return true
	}
	for p := zl.Index(skip); p != ziplist.None; {
		var e ziplist.Entry
		if e, p = zl.Get(p); !fn(e) {
			return false
		}
	}
	return true
}
