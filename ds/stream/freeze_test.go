package stream

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines gives all of a stream that a snapshot holds, in the order in which it is read.
func lines(s *Stream) iter.Seq[string] {
	return func(yield func(string) bool) {
		put := func(values ...any) bool { return yield(fmt.Sprintln(values...)) }
		put(s.Len(), s.First(), s.Last(), s.MaxDeleted(), s.Added())
		for id, pack := range s.Packs() {
			put(id, string(pack))
		}
		for _, g := range s.Groups() {
			put(g.Name(), g.Last, g.Read, g.Pending())
			g.Each(ID{},
				func(p *Pending) bool { return put(g.Name(), p.ID, p.Delivered, p.Count, p.Consumer().Name()) })
			for _, c := range g.Consumers() {
				put(c.Name(), c.Seen, c.Active, c.Pending())
				g.EachOf(c, func(p *Pending) bool { return put(c.Name(), p.ID) })
			}
			i := 0
			g.EachReturned(func(p *Pending) { put(g.Name(), "returned", i, p.ID); i++ })
		}
		for _, p := range s.Producers().All() {
			put(p.Name(), p.Sent())
		}
	}
}

// dump returns the lines of a stream, sorted.
func dump(s *Stream) []string { return slices.Sorted(lines(s)) }

// TestFrozenStreamStaysAsItIs changes a stream at random while it is frozen and read, line by line.
func TestFrozenStreamStaysAsItIs(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		p := newPair(t, []Limits{{Entries: 5}, {Bytes: 100}, {Bytes: 4096, Entries: 200}, {}}[seed%4])
		for range 20 {
			want := dump(p.s)
			next, stop := iter.Pull(lines(p.s.freeze()))
			var got []string
			for line, more := next(); more; line, more = next() {
				if got = append(got, line); r.IntN(5) == 0 {
					p.step(r.IntN(13), r.IntN(1000), r.IntN(1000))
					require.NoError(t, p.s.Check())
				}
			}
			stop()
			slices.Sort(got)
			require.Equal(t, want, got)
			if p.s.thaw(); len(want) < 200 {
				for range 200 {
					p.step(r.IntN(12)&^2, r.IntN(1000), r.IntN(1000))
				}
			}
		}
		p.compare(p.s)
	}
}

// TestFrozenLongStreamStaysAsItIs does the same where nodes lie in chunks.
func TestFrozenLongStreamStaysAsItIs(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	l := newLong(t)
	for range 60 {
		if len(l.ids) < 5000 {
			l.add(30_000, 16, Defaults)
		}
		want, f := dump(l.s), l.s.freeze()
		for range 1 + draw.IntN(4) {
			n := len(l.ids)
			switch i := draw.IntN(n + 1); draw.IntN(6) {
			case 3: // nodes of one entry
				l.add(draw.IntN(20), draw.IntN(maxShare), Limits{Entries: 1})
			case 0:
				l.delete(i, min(i+draw.IntN(300), n))
			case 1:
				l.delete(max(n-draw.IntN(250), 0), n)
			case 2:
				keep := max(n-draw.IntN(500), 0) * min(draw.IntN(8), 1)
				l.s.Trim(Trim{Keep: keep})
				l.ids = l.ids[n-keep:]
			default:
				l.add(draw.IntN(400), draw.IntN(40), Defaults)
			}
			require.NoError(t, l.s.Check())
		}
		require.Equal(t, want, dump(f))
		l.s.thaw()
	}
	l.check()
}
