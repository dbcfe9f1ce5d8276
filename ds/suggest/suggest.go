// Package suggest is the suggestion dictionary of FT.SUGADD: texts with scores and payloads, of
// which the best are found that begin with what somebody has typed, also with a mistake in it.
//
//	root ─┬─ "hel" ─┬─ "lo"  7     a node: the runes of its edge, score, highest score below
//	      │         └─ "p"   3     children: the highest score first
//	      └─ "a"     1
//
// It is a trie with edges of several runes. A search goes through it depth first, the best children
// first, and skips those below which no score is as high as the worst of the results so far.
//
// Invariants, verified by Check:
//
//  1. The runes of a node's children begin differently, and only the root has none.
//  2. A node other than the root is the end of a text or has a child.
//  3. The texts and the bytes of the nodes are those that are accounted.
//
// The form of the trie, the order of children and the scores are those of RediSearch, since of
// equal scores the one that is met first wins. As there a rune is what UTF-8 has in its lower 16
// bits, a text has 1 to 255 of them, and ends at a zero. Nodes are merged, and children sorted,
// when RediSearch does it. Its TRIM frees results twice; here it works.
package suggest

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// MaxRunes is how many runes a text may have.
const MaxRunes = 255

// maxBytes is how long a text may be.
const maxBytes = 2 * (MaxRunes + 1)

// Dictionary is one dictionary. New makes one; the zero value is of no use.
type Dictionary struct {
	root  *node
	count int
	bytes int // of the nodes, with what they point to, as the allocator rounds them
}

type node struct {
	runes   []uint16
	kids    []*node // the highest best first
	payload []byte  // nil without one
	score   float32
	best    float32 // the highest score here and below; it may be too high
	end     bool    // of a text
	deleted bool    // was the end of one
}

// New returns an empty dictionary.
func New() *Dictionary {
	d := &Dictionary{root: new(node)}
	d.bytes = d.root.bytes()
	return d
}

// Len returns how many texts there are.
func (d *Dictionary) Len() int { return d.count }

// bytes returns what a node takes.
func (n *node) bytes() int {
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*n))) + sizeclass.Round(2*cap(n.runes)) +
		sizeclass.RoundScanned(8*cap(n.kids)) + sizeclass.Round(cap(n.payload))
}

// Add adds a text, or gives it another score; with by, adds to its score. An empty payload leaves
// the one that is there. Nothing happens if the score is 0, or the text is empty or too long.
// O(length of the text * children of a node).
func (d *Dictionary) Add(text []byte, score float64, by bool, payload []byte) {
	runes := d.runes(text)
	if s := float32(score); s != 0 && len(runes) > 0 {
		d.add(d.root, runes, entry{s, by, payload})
	}
}

// runes returns the runes of a text, nil if it cannot be in a dictionary.
func (d *Dictionary) runes(text []byte) []uint16 {
	if len(text) > maxBytes {
		return nil
	}
	if runes := Runes(text); len(runes) <= MaxRunes {
		return runes
	}
	return nil
}

// entry is what is added.
type entry struct {
	score   float32
	by      bool
	payload []byte
}

// add adds an entry below a node, whose runes the first ones may be.
func (d *Dictionary) add(n *node, runes []uint16, e entry) {
	same := common(runes, n.runes)
	switch {
	case same < len(n.runes):
		d.split(n, same)
		if same == len(runes) {
			d.put(n, e)
			return
		}
		at := 0
		if runes[same] > n.kids[0].runes[0] {
			at = 1
		}
		d.insert(n, at, runes[same:], e)
		n.best = max(n.best, e.score)
	case same == len(runes):
		n.best = max(n.best, e.score)
		d.put(n, e)
	default:
		n.best = max(n.best, e.score)
		d.addBelow(n, runes[same:], e)
	}
}

// common returns how many runes are the same at the begin.
func common(a, b []uint16) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// split makes a child of what a node has behind its first runes.
func (d *Dictionary) split(n *node, first int) {
	d.bytes -= n.bytes()
	kid := *n
	kid.runes = slices.Clone(n.runes[first:])
	*n = node{runes: slices.Clone(n.runes[:first]), kids: []*node{&kid}, best: max(n.best, n.score)}
	d.bytes += n.bytes() + kid.bytes()
}

// put makes a node the end of a text.
func (d *Dictionary) put(n *node, e entry) {
	if e.by {
		e.score += n.score
	}
	if e.score != e.score { // infinite scores of both signs
		e.score = 0
	}
	n.score = e.score
	if !n.end {
		d.count++
	}
	n.end, n.deleted = true, false
	if len(e.payload) > 0 {
		d.bytes -= n.bytes()
		n.payload = slices.Clone(e.payload)
		d.bytes += n.bytes()
	}
}

// addBelow adds to a child, or makes one: before the first that is worse.
func (d *Dictionary) addBelow(n *node, runes []uint16, e entry) {
	if i := n.child(runes[0]); i >= 0 {
		d.add(n.kids[i], runes, e)
		if n.misplaced(i) {
			n.sort()
		}
		return
	}
	at := slices.IndexFunc(n.kids, func(k *node) bool { return k.best < e.score })
	if at < 0 {
		at = len(n.kids)
	}
	d.insert(n, at, runes, e)
}

// insert adds a child.
func (d *Dictionary) insert(n *node, at int, runes []uint16, e entry) {
	d.bytes -= n.bytes()
	kid := &node{runes: slices.Clone(runes), score: e.score, best: e.score, end: true}
	if len(e.payload) > 0 {
		kid.payload = slices.Clone(e.payload)
	}
	n.kids = slices.Insert(n.kids, at, kid)
	d.bytes += n.bytes() + kid.bytes()
	d.count++
}

// child returns which child begins with a rune, -1 if none does.
func (n *node) child(first uint16) int {
	return slices.IndexFunc(n.kids, func(k *node) bool { return k.runes[0] == first })
}

// misplaced reports whether a child is better than the one before it, or worse than the one behind
// it, of which RediSearch does not look at the last.
func (n *node) misplaced(i int) bool {
	best := n.kids[i].best
	return i > 0 && best > n.kids[i-1].best || i < len(n.kids)-2 && best < n.kids[i+1].best
}

// sort orders the children by their best, and those that are equal by their runes.
func (n *node) sort() {
	slices.SortFunc(n.kids, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.best, a.best), slices.Compare(a.runes, b.runes))
	})
}

// Delete removes a text, and reports whether it was there. Also if it was not, the nodes above it
// are sorted. O(length of the text * children of a node).
func (d *Dictionary) Delete(text []byte) (found bool) {
	n, path := d.root, []*node{}
	for rest := d.runes(text); len(rest) > 0; {
		path = append(path, n)
		same := common(rest, n.runes)
		rest = rest[same:]
		if len(rest) == 0 && same == len(n.runes) && n.end {
			n.end, n.deleted, n.score = false, true, 0
			d.count--
			found = true
		}
		if len(rest) == 0 || same < len(n.runes) {
			break
		}
		i := n.child(rest[0])
		if i < 0 {
			break
		}
		n = n.kids[i]
	}
	for _, n := range slices.Backward(path) {
		d.tidy(n)
	}
	return found
}

// tidy removes the first child that is empty, merges those before it that are not ends with an only
// child, and sorts them.
func (d *Dictionary) tidy(n *node) {
	for i, k := range n.kids {
		if k.deleted && len(k.kids) == 0 {
			d.bytes -= n.bytes() + k.bytes()
			n.kids = slices.Delete(n.kids, i, i+1)
			d.bytes += n.bytes()
			break
		}
		if len(k.kids) == 1 && !k.end {
			d.merge(k)
		}
	}
	n.best = n.score
	for _, k := range n.kids {
		n.best = max(n.best, k.best)
	}
	n.sort()
}

// merge makes one node of a node and its only child.
func (d *Dictionary) merge(n *node) {
	kid := n.kids[0]
	d.bytes -= n.bytes() + kid.bytes()
	runes := slices.Concat(n.runes, kid.runes)
	*n = *kid
	n.runes = runes
	d.bytes += n.bytes()
}
