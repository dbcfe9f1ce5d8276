package skiplist

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Ref names a node of a list: an element, with its member and its score. 0 is none.
type Ref = arena.Ref

// Node is what a reference leads to. Its links lie before it, its member behind it:
//
//	[next 4, span 4] ... [next 4, back 4] [score 8][height 1] [length 1 or 5, member]
//	 -height              -1               ▲ node
//
// So links and member are found without the height, and the score is next to the links. Levels are
// counted as they lie: the lowest, which the essay calls level 0, is number -1, the one above it
// -2.
type Node struct {
	score  float64
	height uint8 // levels, 1 to MaxLevel
	text   byte  // the member begins here
}

// link is a node's link on one level.
type link struct {
	next Ref
	span uint32 // on the lowest level not a span, but the link back
}

const (
	bottom = -1           // the lowest level
	wrap   = MaxLevel - 1 // lv&wrap is different for each level, and not negative

	linkSize   = int(unsafe.Sizeof(link{}))
	fixedBytes = linkSize + int(MemberAt)
)

// link returns the node's link on level lv.
func (n *Node) link(lv int) *link {
	return (*link)(unsafe.Add(unsafe.Pointer(n), lv*linkSize))
}

// Score returns the node's score.
func (n *Node) Score() float64 { return n.score }

// Member returns the node's member, as List.Member does.
func (n *Node) Member() []byte { return arena.Text(unsafe.Pointer(&n.text)) }

// Next returns the node behind n; 0 if it is the last.
func (n *Node) Next() Ref { return n.link(bottom).next }

// Neighbour returns the node behind n, or if back what is before it: for the first node the head,
// which is no node.
func (n *Node) Neighbour(back bool) Ref {
	if back {
		return *n.back()
	}
	return n.Next()
}

func (n *Node) key() string { return arena.Key(unsafe.Pointer(&n.text)) }

// back returns the link back.
func (n *Node) back() *Ref { return &n.link(bottom).span }

// before reports whether the node comes before (score, key).
func (n *Node) before(score float64, key string) bool {
	return n.score < score || n.score == score && n.key() < key
}

// sizeOf returns the bytes of a node's cell.
func sizeOf(height, member int) int { return height*linkSize + int(MemberAt) + arena.TextSize(member) }

func (n *Node) size() int { return sizeOf(int(n.height), len(n.Member())) }

// MemberAt is how many bytes behind what a reference names the text of the member begins.
const MemberAt = unsafe.Offsetof(Node{}.text)

// Cells returns what finds the nodes until the next insertion.
func (l *List) Cells() arena.Cells { return l.nodes.Cells() }

// at returns the node that a reference names. It is valid until the next allocation.
func (l *List) at(r Ref) *Node { return NodeAt(l.nodes.Cells(), r) }

// NodeAt is what r names in the cells of a list. It is for loops, and valid until the next
// insertion.
func NodeAt(cells arena.Cells, r Ref) *Node { return (*Node)(cells.At(r)) }

// newNode makes an unlinked node of the given height with a copy of member.
func (l *List) newNode(score float64, member []byte, height int) Ref {
	r := l.nodes.Alloc(sizeOf(height, len(member))) + Ref(height*linkSize/arena.Step)
	n := l.at(r)
	n.score, n.height = score, uint8(height)
	arena.PutText(unsafe.Pointer(&n.text), member)
	return r
}

// free frees an unlinked node.
func (l *List) free(r Ref) {
	n := l.at(r)
	l.nodes.Free(r-Ref(n.height), n.size())
}

// Score returns the score of a node.
func (l *List) Score(r Ref) float64 { return l.at(r).score }

// Member returns the member of a node, to be read only. It shares the node's memory and is valid
// until the node is removed.
func (l *List) Member(r Ref) []byte { return l.at(r).Member() }

// Key is Member as a string.
func (l *List) Key(r Ref) string { return l.at(r).key() }

// Next returns the node after r; 0 if r is the last. O(1).
func (l *List) Next(r Ref) Ref { return l.at(r).link(bottom).next }
