package corpus_test

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/ds/stream"
)

// streamText returns all of a stream but the times at which consumers were seen, which a journal
// does not hold.
func streamText(s *stream.Stream) string {
	var b strings.Builder
	fmt.Fprintf(&b, "last %v deleted %v added %d", s.Last(), s.MaxDeleted(), s.Added())
	for w := s.Walk(stream.ID{}, stream.MaxID); w.Next(); {
		fmt.Fprintf(&b, " %v", w.ID)
		for range w.Len {
			field, value := w.Pair()
			fmt.Fprintf(&b, " %q:%q", field.Text(nil), value.Text(nil))
		}
	}
	for _, g := range s.Groups() {
		fmt.Fprintf(&b, " group %q at %v, %d", g.Name(), g.Last, g.Read)
		for _, c := range g.Consumers() {
			fmt.Fprintf(&b, " consumer %q", c.Name())
			c.Each(stream.ID{}, func(p *stream.Pending) bool {
				fmt.Fprintf(&b, " %v:%d,%d", p.ID, p.Delivered, p.Count)
				return true
			})
		}
		g.EachReturned(func(p *stream.Pending) { fmt.Fprintf(&b, " returned %v:%d", p.ID, p.Count) })
	}
	producersText(&b, s)
	return b.String()
}

// producersText appends what a stream knows of its producers, but for what it may forget: a journal
// does not say when it did.
func producersText(b *strings.Builder, s *stream.Stream) {
	added, again := s.Producers().Counts()
	fmt.Fprintf(b, " limits %v idempotent %d again %d", s.IDLimits(), added, again)
	for _, p := range s.Producers().All() {
		for _, sent := range p.Sent() {
			if sent.ID.Ms+uint64(s.IDLimits().Seconds)*1000 > s.Last().Ms {
				fmt.Fprintf(b, " %q/%q:%v", p.Name(), sent.IID, sent.ID)
			}
		}
	}
}
