package streams

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// dump is engine.Type.Dump for streams: the IDs, then entries and groups.
func dump(v keyspace.Value, now int64) (about string, lines []string) {
	s := v.(*stream.Stream)
	for w := s.Walk(stream.ID{}, stream.MaxID); w.Next(); {
		var text strings.Builder
		for range w.Len {
			field, value := w.Pair()
			fmt.Fprintf(&text, " %s %s", elements.Quoted(field.Text(nil)), elements.Quoted(value.Text(nil)))
		}
		lines = append(lines, w.ID.String()+text.String())
	}
	groups := slices.Clone(s.Groups())
	slices.SortFunc(groups, func(a, b *stream.Group) int { return strings.Compare(a.Name(), b.Name()) })
	for _, g := range groups {
		lines = append(lines, dumpGroup(g, now)...)
	}
	return fmt.Sprintf("stream, last %v, added %d, deleted up to %v", s.Last(), s.Added(), s.MaxDeleted()), lines
}

// dumpGroup returns the lines of a group, with the entries that its consumers have not
// acknowledged.
func dumpGroup(g *stream.Group, now int64) (lines []string) {
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	read := fmt.Sprint(g.Read)
	if g.Read < 0 {
		read = "unknown"
	}
	line("group %s at %v, read %s", elements.Quoted([]byte(g.Name())), g.Last, read)
	consumers := slices.Clone(g.Consumers())
	slices.SortFunc(consumers, func(a, b *stream.Consumer) int { return strings.Compare(a.Name(), b.Name()) })
	for _, c := range consumers {
		line("  consumer %s", elements.Quoted([]byte(c.Name())))
		c.Each(stream.ID{}, func(p *stream.Pending) bool {
			line("    %v delivered %d, idle %d", p.ID, p.Count, now-p.Delivered)
			return true
		})
	}
	g.EachReturned(func(p *stream.Pending) { line("  returned %v delivered %d", p.ID, p.Count) })
	return lines
}
