package stream

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Check walks the stream and returns the first violated invariant; nil if all hold. O(n).
func (s *Stream) Check() error {
	length, held := 0, 0
	var before ID
	for i, n := range s.nodes {
		last, live, err := n.check()
		switch {
		case err != nil:
			return fmt.Errorf("node %v: %w", n.id, err)
		case i > 0 && !before.Before(n.id) || s.last.Before(last):
			return fmt.Errorf("node %v to %v is not between %v and %v", n.id, last, before, s.last)
		}
		before = last
		length += live
		if n.chunk == nil {
			held += sizeclass.Round(cap(n.pack))
		}
	}
	chunks, err := s.checkChunks()
	if err != nil {
		return err
	}
	held += chunks * chunkSize
	for _, g := range s.groups {
		if err := g.check(s); err != nil {
			return fmt.Errorf("group %q: %w", g.name, err)
		}
		held += g.bytes()
	}
	if err := s.producers.check(); err != nil {
		return err
	}
	held += s.producers.bytes()
	first := *s
	first.findFirst()
	switch {
	case length != s.length:
		return fmt.Errorf("stream counts %d entries and has %d", s.length, length)
	case first.first != s.first:
		return fmt.Errorf("stream takes %v for its first entry, which is %v", s.first, first.first)
	case held != s.held:
		return fmt.Errorf("stream accounts %d bytes and holds %d", s.held, held)
	}
	return nil
}

// checkChunks checks what the chunks count, and returns how many there are.
func (s *Stream) checkChunks() (n int, err error) {
	seen := map[*chunk]int{}
	if s.open != nil {
		seen[s.open] = 0
	}
	var before *chunk
	for _, n := range s.nodes {
		if n.chunk == nil {
			continue
		}
		if seen[n.chunk] > 0 && n.chunk != before {
			return 0, fmt.Errorf("node %v is not beside the others of its chunk", n.id)
		}
		seen[n.chunk]++
		before = n.chunk
	}
	for c, nodes := range seen {
		if c.nodes != nodes {
			return 0, fmt.Errorf("a chunk counts %d nodes and has %d", c.nodes, nodes)
		}
	}
	return len(seen), nil
}

// check returns the ID of the node's last live entry, or its own, and the number of live ones, or
// what is wrong.
func (n *node) check() (last ID, count int, err error) {
	if err := n.pack.Check(); err != nil {
		return last, 0, err
	}
	r := reader{pack: n.pack, pos: listpack.First}
	live, dead, fields := r.count(), r.count(), r.count()
	r.skip(fields)
	if r.int() != 0 {
		r.bad = true
	}
	last = n.id
	seen := false
	for r.pos < n.pack.End() && !r.bad {
		id, deleted := r.entry(n.id, fields)
		if deleted {
			dead--
			continue
		}
		if r.bad = r.bad || seen && !last.Before(id); id.Before(n.id) {
			r.bad = true
		}
		last, seen = id, true
		live--
	}
	if r.bad || live != 0 || dead != 0 || r.entries == 0 {
		return last, 0, fmt.Errorf("damaged entries, or %d and %d too many counted", live, dead)
	}
	return last, r.entries - r.dead, nil
}

// reader reads elements that may be anything.
type reader struct {
	pack          listpack.List
	pos           int
	bad           bool
	entries, dead int
}

// int returns the next element, which must be an integer.
func (r *reader) int() int64 {
	if r.bad || r.pos >= r.pack.End() {
		r.bad = true
		return 0
	}
	e, next := r.pack.Get(r.pos)
	r.pos, r.bad = next, !e.IsInt()
	return e.Int
}

// count returns the next element, which must be a number of elements.
func (r *reader) count() int {
	n := r.int()
	if n < 0 || n > int64(len(r.pack)) {
		r.bad = true
		return 0
	}
	return int(n)
}

// skip moves past n elements.
func (r *reader) skip(n int) {
	for ; n > 0 && !r.bad; n-- {
		if r.pos >= r.pack.End() {
			r.bad = true
			return
		}
		r.pos = r.pack.Next(r.pos)
	}
}

// entry moves past an entry.
func (r *reader) entry(base ID, fields int) (id ID, deleted bool) {
	flags := r.int()
	id = base.plus(r.int(), r.int())
	n, count := fields, fields+3
	if flags&flagSameFields == 0 {
		n = r.count() * 2
		count = n + 4
	}
	r.skip(n)
	if r.int() != int64(count) || flags&^(flagDeleted|flagSameFields) != 0 {
		r.bad = true
	}
	r.entries++
	if flags&flagDeleted != 0 {
		r.dead++
	}
	return id, flags&flagDeleted != 0
}

func (ps *Producers) check() error {
	for i, p := range ps.All() {
		switch {
		case i > 0 && ps.all[i-1].name >= p.name:
			return fmt.Errorf("producer %q after %q", p.name, ps.all[i-1].name)
		case len(p.sent) == 0 || len(p.sent) > ps.limits.Most || len(p.sent) != len(p.ids):
			return fmt.Errorf("producer %q has %d idempotent IDs, and %d by name", p.name, len(p.sent), len(p.ids))
		}
		for _, sent := range p.sent {
			if id, ok := p.ids[sent.IID]; !ok || id != sent.ID || p.sent[0].ID.Ms < ps.oldest {
				return fmt.Errorf("producer %q remembers entry %v, and %v by name", p.name, sent.ID, id)
			}
		}
	}
	return nil
}

func (g *Group) check(s *Stream) error {
	if g.stream != s {
		return fmt.Errorf("belongs to another stream")
	}
	n := 0
	for _, c := range g.consumers {
		if err := c.pending.check(); err != nil {
			return fmt.Errorf("consumer %q: %w", c.name, err)
		}
		foreign := false
		c.Each(ID{}, func(p *Pending) bool {
			foreign = p.consumer != c || g.Message(p.ID) != p
			return !foreign
		})
		if foreign {
			return fmt.Errorf("consumer %q has a message of somebody else", c.name)
		}
		n += c.pending.n
	}
	returned := 0
	g.EachReturned(func(p *Pending) {
		if returned++; p.returned < 1 || p.returned > g.returns || p.Delivered != 0 {
			returned = -1 << 30
		}
	})
	if n+returned != g.pending.n || returned != g.returned {
		return fmt.Errorf("%d messages, of which consumers have %d and %d of %d were returned", g.pending.n, n,
			returned, g.returned)
	}
	return g.pending.check()
}

func (q *queue) check() error {
	n, held := 0, blockBytes(q.free)
	var before *Pending
	for _, b := range q.blocks {
		if len(b) == 0 || len(b) > blockMost {
			return fmt.Errorf("block of %d messages", len(b))
		}
		for _, p := range b {
			if before != nil && !before.ID.Before(p.ID) {
				return fmt.Errorf("message %v after %v", p.ID, before.ID)
			}
			before = p
		}
		n += len(b)
		held += blockBytes(b)
	}
	if n != q.n || held != q.held {
		return fmt.Errorf("counts %d messages in %d bytes and has %d in %d", q.n, q.held, n, held)
	}
	return nil
}
