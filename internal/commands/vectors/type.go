package vectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/vectors"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the vector sets.
var Type = engine.Type{Type: vectors.Type, Explain: explain, Undigested: lengths,
	Dump: func(v keyspace.Value, _ int64) (about string, lines []string) {
		s := v.(*vectors.Set)
		o := s.Options()
		s.Each(func(e vectors.Element) bool {
			lines = append(lines, line(s, e))
			return true
		})
		slices.Sort(lines)
		about = fmt.Sprintf("vectorset, %s, dim %d, M %d", kinds[o.Kind], o.Dim, o.M)
		if o.Input > 0 {
			about += fmt.Sprintf(", reduced from %d", o.Input)
		}
		return about, lines
	},
}

// line returns an element as text: its name, its vector as it is kept, and its attributes.
func line(s *vectors.Set, e vectors.Element) string {
	var b strings.Builder
	v := s.Vector(e)
	fmt.Fprintf(&b, "%s %x %v", elements.Quoted(s.Name(e)), v.Append(nil), v.Norm)
	if v.Scale != 0 {
		fmt.Fprintf(&b, " %v", v.Scale)
	}
	if text := s.Attributes(e); len(text) > 0 {
		b.WriteString(" " + string(elements.Quoted(text)))
	}
	return b.String()
}

// lengths returns the lengths that the vectors had, and the scales, by names.
func lengths(v keyspace.Value) (lines []string) {
	s := v.(*vectors.Set)
	s.Each(func(e vectors.Element) bool {
		x := s.Vector(e)
		lines = append(lines, fmt.Sprintf("%s %v %v", elements.Quoted(s.Name(e)), x.Norm, x.Scale))
		return true
	})
	return lines
}
