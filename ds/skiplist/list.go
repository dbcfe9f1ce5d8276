// Package skiplist is the ordered half of a large sorted set: elements ordered by score, those of
// equal score by the bytes of their member, with O(log n) search by score, by member and by rank.
//
//	head ------------------ 3 ------------------> [ ] ------- 2 ------> nil     level 2: next and span
//	head ------- 2 -------> [ ] ------- 1 ------> [ ] ------- 2 ------> nil     level 1
//	head --> [ ] ---------> [ ] ----------------> [ ] -----> [ ] -----> nil     level 0: span always 1, not stored
//	         1 a            2 b                   2 c        7 d
//	     nil <-- back <----- back <--------------- back <---- back     tail
//
// A node is one allocation: score, links and the member's bytes behind them. For a member of 13 bytes
// that is 53 bytes on average. The hash table that finds nodes by member takes 16 bytes more, since it
// points to the nodes and stores no members.
//
// Invariants:
//  1. Level 0 links all nodes in ascending order of (score, member); no two are equal.
//  2. Level i links, in the same order, exactly the nodes higher than i; a node is higher than i
//     with probability 1/4^i.
//  3. The span of a link above level 0 is the number of level 0 links that it bridges; the span of a link
//     to nil is the number of nodes after its node.
//  4. back is the node before on level 0, nil for the first; tail is the last node.
//  5. level is the height of the highest node, at least 1 once there is a head.
//  6. bytes is what the allocator gave for all nodes and the head.
//
// Unlike in Redis the member is copied into the node instead of pointing to a string of its own,
// level 0 stores no span, and the head starts with 8 levels instead of 32.
//
// Non-goals: finding by member alone (the hash table's part), NaN scores, concurrent use.
package skiplist

import "math/bits"

// MaxLevel is the number of levels a list can have; enough for 4^32 elements.
const MaxLevel = 32

// List is an ordered list of nodes. The zero value is an empty list. A List must not be copied once
// in use.
type List struct {
	head  *Node // holds links only; nil before the first insertion
	tail  *Node
	n     int
	level int
	bytes int
}

// path is the way down to a place between two nodes: at each level the last node before the place, and how many nodes
// there are up to and including that one.
type path struct {
	at   [MaxLevel]*Node
	rank [MaxLevel]int

	fetched uint32 // a sum without meaning: it only keeps the compiler from dropping the loads of find
}

// Len returns the number of nodes. O(1).
func (l *List) Len() int { return l.n }

// Bytes returns the bytes that the nodes occupy in the heap, including members, the head and the
// allocator's rounding. O(1).
func (l *List) Bytes() int { return l.bytes }

// First returns the first node; nil if the list is empty. O(1).
func (l *List) First() *Node {
	if l.head == nil {
		return nil
	}
	return l.head.next
}

// Last returns the last node; nil if the list is empty. O(1).
func (l *List) Last() *Node { return l.tail }

// Insert adds a node with a copy of member and returns it. The pair must be absent and score not
// NaN. roll is a random number of 62 bits or more; it decides the node's height. O(log n), one
// allocation.
func (l *List) Insert(score float64, member []byte, roll uint64) *Node {
	if l.head == nil {
		l.setHead(newHead(lowHeadHeight))
	}
	n := newNode(heightOf(roll), member)
	n.score = score
	l.bytes += n.bytes()
	l.link(n)
	return n
}

// Delete removes a node of this list. O(log n).
func (l *List) Delete(n *Node) {
	var p path
	l.find(n.score, n.Key(), &p)
	l.unlink(n, &p)
	l.bytes -= n.bytes()
}

// DeleteRun removes up to n nodes from first on, which may be nil, and returns how many. It calls fn with each removed
// node, unless fn is nil; fn must not change the list. O(log size + n).
func (l *List) DeleteRun(first *Node, n int, fn func(*Node)) int {
	if first == nil {
		return 0
	}
	var p path
	l.find(first.score, first.Key(), &p)
	done := 0
	for node := first; node != nil && done < n; done++ {
		next := node.next
		l.unlink(node, &p)
		l.bytes -= node.bytes()
		if fn != nil {
			fn(node)
		}
		node = next
	}
	return done
}

// UpdateScore gives a node of this list another score, not NaN, and moves the node to its new place. It allocates
// nothing. O(1) if the place stays the same, else O(log n).
func (l *List) UpdateScore(n *Node, score float64) {
	key := n.Key()
	if (n.back == nil || n.back.before(score, key)) && (n.next == nil || !n.next.before(score, key)) {
		n.score = score
		return
	}
	var p path
	l.find(n.score, key, &p)
	l.unlink(n, &p)
	n.score = score
	l.link(n)
}

// Rank returns the number of nodes before n, a node of this list. O(log n).
func (l *List) Rank(n *Node) int {
	score, key := n.score, n.Key()
	_, rank := l.seek(func(x *Node) bool { return x.before(score, key) })
	return rank
}

// ByRank returns the node with i nodes before it; nil if there is none. O(log n).
func (l *List) ByRank(i int) *Node {
	if i < 0 || i >= l.n {
		return nil
	}
	n, left := l.head, i+1
	for lv := l.level - 1; lv > 0; lv-- {
		for n.level(lv).span <= left && n.level(lv).next != nil {
			left -= n.level(lv).span
			n = n.level(lv).next
		}
	}
	for ; left > 0; left-- {
		n = n.next
	}
	return n
}

// find fills p with the path to the place of (score, key), whether or not the list has it.
//
// Most of the time goes into waiting for the memory of the next node to compare with. The result of a comparison
// decides whether that is the next node on this level or on the level below. So find loads the latter already while the
// comparison waits.
func (l *List) find(score float64, key string, p *path) {
	n, rank := l.head, 0
	var stop *Node // the node on the level above that is behind the place: no need to compare with it again
	for lv := l.level - 1; lv >= 0; lv-- {
		next := n.after(lv)
		for next != stop && next != nil {
			if lv > 0 {
				p.fetched += n.after(lv - 1).size
			}
			if !next.before(score, key) {
				break
			}
			rank += n.span(lv)
			n, next = next, next.after(lv)
		}
		stop = next
		p.at[lv], p.rank[lv] = n, rank
	}
}

// seek returns the last node for which below holds, and how many there are. below must hold for a
// beginning of the list and for no other node. If it holds for none, the node is the head, or nil
// where there is no head either.
func (l *List) seek(below func(*Node) bool) (n *Node, rank int) {
	n = l.head
	var stop *Node
	for lv := l.level - 1; lv >= 0; lv-- {
		next := n.after(lv)
		for next != stop && next != nil && below(next) {
			rank += n.span(lv)
			n, next = next, next.after(lv)
		}
		stop = next
	}
	return n, rank
}

// link puts a node, whose score and height are set, in its place.
func (l *List) link(n *Node) {
	var p path
	l.find(n.score, n.Key(), &p)
	l.raise(int(n.height), &p)
	rank := p.rank[0]
	for lv := 1; lv < int(n.height); lv++ {
		from, to := p.at[lv].level(lv), n.level(lv)
		passed := rank - p.rank[lv]
		to.next, to.span = from.next, from.span-passed
		from.next, from.span = n, passed+1
	}
	for lv := int(n.height); lv < l.level; lv++ {
		p.at[lv].level(lv).span++
	}
	before := p.at[0]
	n.next, before.next = before.next, n
	n.back = l.backOf(before)
	if n.next == nil {
		l.tail = n
	} else {
		n.next.back = n
	}
	l.n++
}

// raise gives the list at least height levels, and fills p for the new ones.
func (l *List) raise(height int, p *path) {
	if height > lowHeadHeight && l.head.height == lowHeadHeight {
		l.heighten(p)
	}
	for ; l.level < height; l.level++ {
		p.at[l.level], p.rank[l.level] = l.head, 0
		if l.level > 0 {
			l.head.level(l.level).span = l.n
		}
	}
}

// heighten replaces the low head by one of full height, in the list and in p.
func (l *List) heighten(p *path) {
	low := l.head
	l.setHead(newHead(MaxLevel))
	l.head.next = low.next
	copy(l.head.levels(), low.levels())
	for lv := range p.at[:l.level] {
		if p.at[lv] == low {
			p.at[lv] = l.head
		}
	}
}

func (l *List) setHead(head *Node) {
	if l.head != nil {
		l.bytes -= headBytes(int(l.head.height))
	}
	l.head, l.level = head, max(l.level, 1)
	l.bytes += headBytes(int(head.height))
}

// backOf returns what a back link to n holds: nil for the head.
func (l *List) backOf(n *Node) *Node {
	if n == l.head {
		return nil
	}
	return n
}

// unlink removes n from all levels. p is the path to n, and afterwards to the node after it.
func (l *List) unlink(n *Node, p *path) {
	for lv := 1; lv < l.level; lv++ {
		from := p.at[lv].level(lv)
		if from.next == n {
			from.next = n.level(lv).next
			from.span += n.level(lv).span
		}
		from.span--
	}
	p.at[0].next = n.next
	if n.next == nil {
		l.tail = n.back
	} else {
		n.next.back = n.back
	}
	for l.level > 1 && l.head.level(l.level-1).next == nil {
		l.level--
	}
	l.n--
}

// heightOf returns a height from 1 to MaxLevel: 1, and one more for each pair of zero bits at the end of roll, which
// has probability 1/4.
func heightOf(roll uint64) int { return 1 + bits.TrailingZeros64(roll|1<<(2*(MaxLevel-1)))/2 }

// CloneInto makes c, an empty list, a copy of l with nodes of the same heights. It calls fn with each new node, in
// order, unless fn is nil. O(n).
func (l *List) CloneInto(c *List, fn func(*Node)) {
	if l.head == nil {
		return
	}
	c.setHead(newHead(int(l.head.height)))
	copySpans(c.head, l.head)
	c.level = l.level
	var last [MaxLevel]*Node
	for lv := range l.level {
		last[lv] = c.head
	}
	for n := l.First(); n != nil; n = n.next {
		twin := newNode(int(n.height), n.Member())
		twin.score, twin.back = n.score, c.tail
		copySpans(twin, n)
		for lv := range int(n.height) {
			last[lv].setAfter(lv, twin)
			last[lv] = twin
		}
		c.tail = twin
		c.n++
		c.bytes += twin.bytes()
		if fn != nil {
			fn(twin)
		}
	}
}

func copySpans(to, from *Node) {
	levels := to.levels()
	for i, lv := range from.levels() {
		levels[i].span = lv.span
	}
}
