package main

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/ds/stream"
)

// streamText returns all of a stream but the times at which consumers were seen, which a journal does
// not hold.
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
	}
	return b.String()
}
