package stream

import "slices"

// The messages of a group that is frozen are not copied at once, for there may be a million. They
// are read once, by a walk in the order of their IDs, and before the group changes or forgets one
// that the walk has not passed, it keeps a copy:
//
//	messages   1-1 2-1 3-1 | 4-1 . 6-1 ...   the walk has passed three; 5-1 was acknowledged since
//	kept                         5-1
//
// For the lists of the consumers, which are read after that of the group, the walk collects the
// IDs.

// messageWalk is the walk. It belongs to both groups.
type messageWalk struct {
	group    *Group               // which changes
	ids      map[*Consumer]*idRow // of its consumers
	twins    map[*Consumer]*idRow // the same, by the frozen consumers
	last     ID                   // what the walk passed last
	begun    bool
	touched  map[ID]struct{} // the walk leaves them out
	kept     [][]Pending     // in blocks, so that none has to be copied
	batch    []Pending
	returned []*Pending
}

// idRow is the IDs of a consumer's messages, in blocks.
type idRow struct{ blocks [][]ID }

const (
	walkStep = 64  // messages that are copied at once
	idBlock  = 256 // IDs
)

// freeze returns the group as it is now. O(consumers).
func (g *Group) freeze(s *Stream) *Group {
	w := &messageWalk{group: g, ids: map[*Consumer]*idRow{}, twins: map[*Consumer]*idRow{}, touched: map[ID]struct{}{}}
	f := &Group{Last: g.Last, Read: g.Read, stream: s, name: g.name, returned: g.returned, frozen: w}
	f.pending.n = g.pending.n
	for _, c := range g.consumers {
		twin := &Consumer{Seen: c.Seen, Active: c.Active, name: c.name}
		twin.pending.n = c.pending.n
		f.consumers = append(f.consumers, twin)
		row := &idRow{}
		w.ids[c], w.twins[twin] = row, row
	}
	g.frozen = w
	return f
}

// walk returns the walk through the messages of a frozen group, nil for any other.
func (g *Group) walk() *messageWalk {
	if g.frozen == nil || g.frozen.group == g {
		return nil
	}
	return g.frozen
}

// preserve is called before the message of an ID, nil if there is none, is changed, removed or
// added.
func (w *messageWalk) preserve(id ID, p *Pending) {
	if p == nil {
		w.touch(id)
	} else {
		w.keep(p)
	}
}

// keep is called before a message is changed, or removed.
func (w *messageWalk) keep(p *Pending) {
	if !w.touch(p.ID) {
		return
	}
	last := len(w.kept) - 1
	if last < 0 || len(w.kept[last]) == cap(w.kept[last]) {
		w.kept = append(w.kept, make([]Pending, 0, walkStep))
		last++
	}
	w.kept[last] = append(w.kept[last], *p)
}

// touch is called for a message that is changed, removed or added. It reports whether the walk has
// yet to give what was there before.
func (w *messageWalk) touch(id ID) (first bool) {
	if w.begun && !w.last.Before(id) {
		return false
	}
	_, again := w.touched[id]
	w.touched[id] = struct{}{}
	return !again
}

// each calls fn with all messages until it returns false. fn may return after changes of the group.
func (w *messageWalk) each(fn func(p *Pending) bool) {
	for {
		batch := w.next()
		if len(batch) == 0 {
			return
		}
		for i := range batch {
			if w.collect(&batch[i]); !fn(&batch[i]) {
				return
			}
		}
	}
}

// next returns copies of messages; none at the end.
func (w *messageWalk) next() (batch []Pending) {
	if len(w.kept) == 0 {
		w.advance()
		return w.batch
	}
	batch, w.kept = w.kept[0], w.kept[1:]
	return batch
}

// advance fills the batch with copies of the next messages that nothing has touched; none at the
// end.
func (w *messageWalk) advance() {
	w.batch = w.batch[:0]
	for len(w.batch) == 0 && w.group.frozen == w {
		seen := 0
		w.group.pending.each(w.last, func(p *Pending) bool {
			if w.begun && p.ID == w.last {
				return true
			}
			if _, touched := w.touched[p.ID]; !touched {
				w.batch = append(w.batch, *p)
			}
			w.begun, w.last = true, p.ID
			seen++
			return seen < walkStep
		})
		if seen < walkStep {
			w.thaw()
		}
	}
}

// thaw ends the walk.
func (w *messageWalk) thaw() {
	if w.group.frozen == w {
		w.group.frozen = nil
	}
}

// collect remembers a message for the list that it is in beside that of the group.
func (w *messageWalk) collect(p *Pending) {
	if p.consumer == nil {
		c := *p
		w.returned = append(w.returned, &c)
		return
	}
	row := w.ids[p.consumer]
	last := len(row.blocks) - 1
	if last < 0 || len(row.blocks[last]) == idBlock {
		row.blocks = append(row.blocks, nil)
		last++
	}
	row.blocks[last] = append(row.blocks[last], p.ID)
}

// EachOf calls fn with the messages of a consumer until fn returns false. Those of a frozen group
// have an ID only, and come after an Each of all its messages.
func (g *Group) EachOf(c *Consumer, fn func(p *Pending) bool) {
	w := g.walk()
	if w == nil {
		c.Each(ID{}, fn)
		return
	}
	for _, block := range w.twins[c].blocks {
		for _, id := range block {
			if !fn(&Pending{ID: id, consumer: c}) {
				return
			}
		}
	}
}

// eachReturned is EachReturned for a frozen group.
func (w *messageWalk) eachReturned(fn func(p *Pending)) {
	slices.SortFunc(w.returned, (*Pending).CompareDelivery)
	for _, p := range w.returned {
		fn(p)
	}
}
