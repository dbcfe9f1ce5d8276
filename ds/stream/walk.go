package stream

import (
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Walk goes from entry to entry:
//
//	for w := s.Walk(from, to); w.Next(); {
//		show(w.ID, w.Len)
//		for range w.Len {
//			field, value := w.Pair()
//		}
//	}
//
// It ends with the next change of the stream's entries; what groups do is no such change.
type Walk struct {
	ID  ID  // of the entry
	Len int // its pairs

	s        *Stream
	from, to ID
	back     bool
	index    int  // of the node
	node     node // without a pack before the first
	head     head
	begin    int // position of the first entry; 0 for that of the next node
	at       int // position of the entry
	pos      int // of what is read next
	left     int // pairs not yet read
	field    int // position of the next field; 0 if it is at pos
}

// Walk returns a walk over the entries whose IDs are between from and to, both included, ascending.
// O(log n + entries of the node before or behind from, whichever are probably less).
func (s *Stream) Walk(from, to ID) Walk {
	w := Walk{s: s, from: from, to: to, index: s.seek(from)}
	switch {
	case w.index < 0:
	case s.nodes[w.index].nearBegin(from):
		w.index--
	default:
		w.seekBack(s.nodes[w.index], from)
	}
	return w
}

// nearBegin reports whether an ID, not before the node's, is nearer to it than to that of the last
// entry.
func (n *node) nearBegin(id ID) bool {
	if id == n.id {
		return true
	}
	at := n.lastEntry(n.pack.End())
	if at == 0 {
		return true
	}
	last, _ := n.entryAt(at)
	if last.Ms == n.id.Ms {
		return id.Ms == last.Ms && id.Seq < last.Seq && id.Seq-n.id.Seq < last.Seq-id.Seq
	}
	return id.Ms < last.Ms && id.Ms-n.id.Ms < last.Ms-id.Ms
}

// seekBack begins the walk within a node, at the first entry that is not before from, unless it has
// none.
func (w *Walk) seekBack(n node, from ID) {
	begin := n.pack.End()
	for at := n.lastEntry(begin); at != 0; at = n.lastEntry(at) {
		if id, deleted := n.entryAt(at); !deleted && id.Before(from) {
			break
		}
		begin = at
	}
	if begin < n.pack.End() {
		w.node, w.head, w.begin = n, n.head(), begin
	}
}

// WalkBack is Walk with descending IDs.
func (s *Stream) WalkBack(from, to ID) Walk {
	return Walk{s: s, from: from, to: to, back: true, index: s.seek(to) + 1}
}

// Next moves to the next entry and reports whether there is one.
func (w *Walk) Next() bool {
	for w.advance() {
		switch flags := w.readEntry(); {
		case flags&flagDeleted != 0:
		case w.ID.Before(w.from):
			if w.back {
				return false
			}
		case w.to.Before(w.ID):
			if !w.back {
				return false
			}
		default:
			return true
		}
	}
	return false
}

// advance moves to the position of the next entry, deleted or not.
func (w *Walk) advance() bool {
	if w.begin != 0 {
		w.at, w.begin = w.begin, 0
		return true
	}
	if w.node.pack != nil {
		if w.back {
			w.at = w.node.lastEntry(w.at)
		} else if w.at = w.entryEnd(); w.at == w.node.pack.End() {
			w.at = 0
		}
	}
	for w.at == 0 {
		if !w.nextNode() {
			return false
		}
	}
	return true
}

// entryEnd returns the position behind the entry.
func (w *Walk) entryEnd() int {
	n := w.left
	if w.field == 0 {
		n *= 2
	}
	return w.node.pack.Skip(w.pos, n+1)
}

// nextNode moves before the first entry of the next node.
func (w *Walk) nextNode() bool {
	if w.back {
		w.index--
	} else {
		w.index++
	}
	if w.index < 0 || w.index >= len(w.s.nodes) || !w.back && w.to.Before(w.s.nodes[w.index].id) {
		return false
	}
	w.node = w.s.nodes[w.index]
	w.head = w.node.head()
	if w.back {
		w.at = w.node.lastEntry(w.node.pack.End())
	} else {
		w.at = w.node.firstEntry(w.head)
	}
	return true
}

// readEntry reads the beginning of the entry and returns its flags.
func (w *Walk) readEntry() (flags int64) {
	p := w.node.pack
	flags, pos := p.Int(w.at)
	ms, pos := p.Int(pos)
	seq, pos := p.Int(pos)
	w.ID = w.node.id.plus(ms, seq)
	if flags&flagSameFields != 0 {
		w.Len, w.field = w.head.fields, w.head.field
	} else {
		n, next := p.Int(pos)
		w.Len, w.field, pos = int(n), 0, next
	}
	w.pos, w.left = pos, w.Len
	return flags
}

// Pair returns the next of the entry's fields with its value. It must not be called more than Len
// times.
func (w *Walk) Pair() (field, value ziplist.Entry) {
	p := w.node.pack
	w.left--
	if w.field != 0 {
		field, w.field = p.Get(w.field)
	} else {
		field, w.pos = p.Get(w.pos)
	}
	value, w.pos = p.Get(w.pos)
	return field, value
}

// LastEntry returns the ID of the last entry; ok is false if there is none. O(1), but for deleted
// entries.
func (s *Stream) LastEntry() (id ID, ok bool) {
	w := s.WalkBack(ID{}, MaxID)
	ok = w.Next()
	return w.ID, ok
}

// Has reports whether the stream has an entry of that ID.
func (s *Stream) Has(id ID) bool {
	w := s.Walk(id, id)
	return w.Next()
}

// Delete deletes the entry of that ID and reports whether there was one. O(log n + entries of a
// node).
func (s *Stream) Delete(id ID) bool {
	w := s.Walk(id, id)
	if !w.Next() {
		return false
	}
	n, h := &s.nodes[w.index], w.head
	if h.live == 1 {
		s.removeNode(w.index)
	} else {
		s.own(w.index)
		n.markDeleted(w.at)
		s.resize(n, n.recounted(h, h.live-1, h.dead+1))
	}
	s.length--
	if s.maxDeleted.Before(id) {
		s.maxDeleted = id
	}
	if id == s.first {
		s.findFirst()
	}
	return true
}

// markDeleted flags the entry at a position as deleted, which takes no room.
func (n *node) markDeleted(at int) {
	flags, _ := n.pack.Int(at)
	n.pack.ReplaceInt(at, flags|flagDeleted)
}

// findFirst sets First anew.
func (s *Stream) findFirst() {
	w := s.Walk(ID{}, MaxID)
	w.Next()
	s.first = w.ID
	if s.length == 0 {
		s.first = ID{}
	}
}
