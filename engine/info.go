package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Section is one section of INFO, or a part of it: sections of one name are shown under one heading,
// in the order in which they were added.
type Section struct {
	Name   string // as its heading shows it, "Memory"
	Since  string // the first release with it; "" for all
	Hidden bool   // only shown when asked for by name, or by all and everything
	Fill   func(w *World, b *bytes.Buffer)
	Reset  func(w *World) // CONFIG RESETSTAT; nil if nothing is counted
}

// Figure returns a number of a world for INFO.
type Figure func(w *World) int

// figure returns the figure that a part brings by a name; 0 if none does.
func (w *World) figure(name string) int {
	for _, p := range w.engine.Parts.List {
		if of := p.Figures[name]; of != nil {
			return of(w)
		}
	}
	return 0
}

// sectionOrder is the order of INFO's sections; others follow.
var sectionOrder = []string{"Server", "Clients", "Memory", "Persistence", "Threads", "Stats", "Replication", "CPU", "Modules",
	"Commandstats", "Errorstats", "Latencystats", "Cluster", "Cluster Info", "Keyspace", "Keysizes"}

// addSections adds sections to INFO.
func (e *Engine) addSections(s []Section) {
	rank := func(s Section) int {
		if i := slices.Index(sectionOrder, s.Name); i >= 0 {
			return i
		}
		return len(sectionOrder)
	}
	for _, section := range s {
		if e.Release.Offers(release.From(section.Since)) {
			e.Parts.Sections = append(e.Parts.Sections, section)
		}
	}
	slices.SortStableFunc(e.Parts.Sections, func(a, b Section) int { return cmp.Compare(rank(a), rank(b)) })
}

// Fields writes lines of a section: name, value, name, value.
func Fields(b *bytes.Buffer, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(b, "%v:%v\r\n", pairs[i], pairs[i+1])
	}
}

// Percent returns part as a percentage of whole, as INFO shows it.
func Percent(part, whole int) string {
	if whole == 0 {
		return "0.00%"
	}
	return fmt.Sprintf("%.2f%%", float64(part)*100/float64(whole))
}

// Human returns bytes as INFO shows them to people: 1.50K.
func Human(n int) string {
	units := "BKMGTP"
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%dB", n)
	}
	return fmt.Sprintf("%.2f%c", f, units[i])
}
