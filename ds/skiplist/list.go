// Package skiplist is the ordered half of a large sorted set: elements ordered by score, those of
// equal score by the bytes of their member, with O(log n) search by score, by member and by rank.
//
//	head ------------------ 3 ------------------> [ ] ------- 2 ------> 0   level 2: next and span
//	head ------- 2 -------> [ ] ------- 1 ------> [ ] ------- 2 ------> 0   level 1
//	head --> [ ] ---------> [ ] ----------------> [ ] -----> [ ] -----> 0   level 0: next; span 1
//	         1 a            2 b                   2 c        7 d
//	head <-- back <-------- back <--------------- back <---- back     tail
//
// A node is one cell of the list's arena: links, score, and the member's bytes. A link is a
// reference of four bytes, and so is a span. For a member of 13 bytes that is 35 bytes on average.
// The hash table that finds nodes by member takes 8 more, since it refers to the nodes and stores
// no members.
//
// Invariants:
//  1. Level 0 links all nodes in ascending order of (score, member); no two are equal.
//  2. Level i links, in the same order, exactly the nodes higher than i; a node is higher than i
//     with probability 1/4^i.
//  3. The span of a link above level 0 is the number of level 0 links that it bridges; the span of
//     a link to 0 is the number of nodes after its node.
//  4. back is the node before on level 0, the head for the first; tail is the last node, the head
//     if there is none.
//  5. level is the height of the highest node, at least 1 once there is a head.
//
// Unlike in Redis the member is copied into the node instead of pointing to a string of its own,
// level 0 stores no span, and there are 16 levels instead of 32: 2^32 nodes do not need more.
//
// Non-goals: finding by member alone (the hash table's part), NaN scores, concurrent use.
package skiplist

import (
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// MaxLevel is the number of levels a list can have; enough for 4^16 elements.
const MaxLevel = 16

// List is an ordered list of nodes. The zero value is an empty list. A List must not be copied once
// in use.
type List struct {
	nodes arena.Arena
	head  Ref // holds links only; 0 before the first insertion
	tail  Ref
	n     uint32
	level int32
}

// path is the way down to a place between two nodes: at each level lv the last node before the
// place is at[lv&wrap], and there are rank[lv&wrap] nodes up to and including that one.
type path struct {
	at     [MaxLevel]*Node
	rank   [MaxLevel]uint32
	before Ref // that on level 0
}

// top returns the list's highest level.
func (l *List) top() int { return -int(l.level) }

// Len returns the number of nodes. O(1).
func (l *List) Len() int { return int(l.n) }

// Bytes returns the bytes that the list holds in the heap beside the struct itself. O(1).
func (l *List) Bytes() int { return l.nodes.Bytes() }

// First returns the first node; 0 if the list is empty. O(1).
func (l *List) First() Ref {
	if l.head == 0 {
		return 0
	}
	return l.Next(l.head)
}

// Last returns the last node; 0 if the list is empty. O(1).
func (l *List) Last() Ref {
	if l.tail == l.head {
		return 0
	}
	return l.tail
}

// Insert adds a node with a copy of member and returns it. The pair must be absent and score not
// NaN. roll is a random number of 62 bits or more; it decides the node's height. O(log n).
func (l *List) Insert(score float64, member []byte, roll uint64) Ref {
	if l.head == 0 {
		l.setHead()
	}
	r := l.newNode(score, member, heightOf(roll))
	l.link(r, &path{})
	return r
}

// setHead makes the head.
func (l *List) setHead() {
	l.head = l.newNode(0, nil, MaxLevel)
	l.tail, l.level = l.head, 1
	head := l.at(l.head)
	for lv := -MaxLevel; lv <= bottom; lv++ {
		*head.link(lv) = link{}
	}
}

// Delete removes a node of this list. O(log n).
func (l *List) Delete(r Ref) {
	var p path
	n := l.at(r)
	l.find(n.score, n.key(), &p)
	l.unlink(n, &p)
	l.free(r)
}

// DeleteRun removes up to n nodes from first on, which may be 0, and returns how many. It calls fn
// with each removed node before it is freed, unless fn is nil; fn must not change the list. O(log
// size + n).
func (l *List) DeleteRun(first Ref, n int, fn func(Ref)) int {
	if first == 0 {
		return 0
	}
	var p path
	l.find(l.Score(first), l.Key(first), &p)
	done := 0
	for r := first; r != 0 && done < n; done++ {
		node := l.at(r)
		next := node.link(bottom).next
		l.unlink(node, &p)
		if fn != nil {
			fn(r)
		}
		l.free(r)
		r = next
	}
	return done
}

// UpdateScore gives a node of this list another score, not NaN, and moves the node to its new
// place. It allocates nothing. O(1) if the place stays the same, else O(log n).
func (l *List) UpdateScore(r Ref, score float64) {
	n := l.at(r)
	key, around := n.key(), *n.link(bottom)
	if (around.span == l.head || l.at(around.span).before(score, key)) &&
		(around.next == 0 || !l.at(around.next).before(score, key)) {
		n.score = score
		return
	}
	var p path
	l.find(n.score, key, &p)
	l.unlink(n, &p)
	n.score = score
	l.link(r, &p)
}

// Rank returns the number of nodes before r, a node of this list. O(log n).
func (l *List) Rank(r Ref) int {
	var p path
	n := l.at(r)
	l.find(n.score, n.key(), &p)
	return int(p.rank[bottom&wrap])
}

// ByRank returns the node with i nodes before it; 0 if there is none. O(log n).
func (l *List) ByRank(i int) Ref {
	if i < 0 || i >= l.Len() {
		return 0
	}
	cells, left := l.nodes.Cells(), uint32(i+1)
	n := NodeAt(cells, l.head)
	for lv := l.top(); lv < bottom; lv++ {
		at := n.link(lv)
		for ; at.span < left; at = n.link(lv) {
			left -= at.span
			n = NodeAt(cells, at.next)
		}
		if at.span == left && at.next != 0 {
			return at.next
		}
	}
	for ; left > 1; left-- {
		n = NodeAt(cells, n.link(bottom).next)
	}
	return n.link(bottom).next
}

// Before returns the last node before the place of (score, key), whether or not the list has it; 0
// if there is none. O(log n).
func (l *List) Before(score float64, key string) Ref {
	if l.head == 0 {
		return 0
	}
	var p path
	l.find(score, key, &p)
	if p.before == l.head {
		return 0
	}
	return p.before
}

// find fills p with the path to the place of (score, key), whether or not the list has it.
func (l *List) find(score float64, key string, p *path) {
	cells, r, rank := l.nodes.Cells(), l.head, uint32(0)
	n := NodeAt(cells, r)
	stop := Ref(0) // the node on the level above that is behind the place: no need to compare with it again
	for lv := l.top(); lv < bottom; lv++ {
		at := *n.link(lv)
		for at.next != stop {
			next := NodeAt(cells, at.next)
			if next.score >= score && (next.score > score || next.key() >= key) {
				break
			}
			rank += at.span
			r, n = at.next, next
			at = *n.link(lv)
		}
		stop = at.next
		p.at[lv&wrap], p.rank[lv&wrap] = n, rank
	}
	for at := n.link(bottom).next; at != stop; at = n.link(bottom).next {
		next := NodeAt(cells, at)
		if next.score >= score && (next.score > score || next.key() >= key) {
			break
		}
		rank++
		r, n = at, next
	}
	p.at[bottom&wrap], p.rank[bottom&wrap], p.before = n, rank, r
}

// seek returns the last node with a score below bound, the head if there is none, and how many
// nodes there are up to and including it. All scores are below NaN here.
func (l *List) seek(bound float64) (r Ref, rank int) {
	cells, passed := l.nodes.Cells(), uint32(0)
	r = l.head
	n := NodeAt(cells, r)
	stop := Ref(0)
	for lv := l.top(); lv < bottom; lv++ {
		at := *n.link(lv)
		for at.next != stop {
			next := NodeAt(cells, at.next)
			if next.score >= bound {
				break
			}
			passed += at.span
			r, n = at.next, next
			at = *n.link(lv)
		}
		stop = at.next
	}
	for at := n.link(bottom).next; at != stop; at = n.link(bottom).next {
		next := NodeAt(cells, at)
		if next.score >= bound {
			break
		}
		passed++
		r, n = at, next
	}
	return r, int(passed)
}

// link puts a node, whose score and height are set, in its place, and fills p with the path to it.
func (l *List) link(r Ref, p *path) {
	n := l.at(r)
	l.find(n.score, n.key(), p)
	height := int(n.height)
	l.raise(height, p)
	rank := p.rank[bottom&wrap]
	for lv := -height; lv < bottom; lv++ {
		from := p.at[lv&wrap].link(lv)
		passed := rank - p.rank[lv&wrap]
		*n.link(lv) = link{from.next, from.span - passed}
		*from = link{r, passed + 1}
	}
	for lv := l.top(); lv < -height; lv++ {
		p.at[lv&wrap].link(lv).span++
	}
	before := p.at[bottom&wrap].link(bottom)
	next := before.next
	*n.link(bottom) = link{next, p.before}
	before.next = r
	if next == 0 {
		l.tail = r
	} else {
		*l.at(next).back() = r
	}
	l.n++
}

// raise gives the list at least height levels, and fills p for the new ones.
func (l *List) raise(height int, p *path) {
	for int(l.level) < height {
		l.level++
		head, lv := l.at(l.head), l.top()
		p.at[lv&wrap], p.rank[lv&wrap] = head, 0
		*head.link(lv) = link{0, l.n}
	}
}

// unlink removes n from all levels. p is the path to n, and afterwards to the node after it.
func (l *List) unlink(n *Node, p *path) {
	height := int(n.height)
	for lv := -height; lv < bottom; lv++ {
		from, to := p.at[lv&wrap].link(lv), n.link(lv)
		from.next = to.next
		from.span += to.span - 1
	}
	for lv := l.top(); lv < -height; lv++ {
		p.at[lv&wrap].link(lv).span--
	}
	around := *n.link(bottom)
	p.at[bottom&wrap].link(bottom).next = around.next
	if around.next == 0 {
		l.tail = around.span
	} else {
		*l.at(around.next).back() = around.span
	}
	for l.level > 1 && l.at(l.head).link(l.top()).next == 0 {
		l.level--
	}
	l.n--
}

// heightOf returns a height from 1 to MaxLevel: 1, and one more for each pair of zero bits at the
// end of roll, which has probability 1/4.
func heightOf(roll uint64) int { return 1 + bits.TrailingZeros64(roll|1<<(2*(MaxLevel-1)))/2 }

// Clone returns a copy with the same references. O(bytes).
func (l *List) Clone() List {
	c := *l
	c.nodes = l.nodes.Clone()
	return c
}
