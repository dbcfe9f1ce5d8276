package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Times is where the time of runs went.
type Times struct {
	Scripts []Script
	Omitted int // runs of scripts for which there was no room; their time does not count
	Tree    *lua.CallTree
}

// place is a line of a script, a Lua function, or a host function.
type place struct {
	script   *Script // nil for a host function
	function int     // its number, 0 for a line
	line     int     // 0 for a whole function
	host     string  // the name
}

// figure is what a place took: own is without the Lua functions that it called.
type figure struct {
	place
	own, all int64 // nanoseconds
	calls    int

	hostCalls int // of a line: calls of host functions from there
	hostTime  int64
}

// scripts returns the scripts by their profiles.
func (t *Times) scripts() map[*lua.Profile]*Script {
	scripts := make(map[*lua.Profile]*Script)
	for i := range t.Scripts {
		scripts[t.Scripts[i].Profile] = &t.Scripts[i]
	}
	return scripts
}

// spans returns for each node the time of the node and of those below it.
func spans(nodes []lua.CallNode) []int64 {
	all := make([]int64, len(nodes))
	for n := len(nodes) - 1; n > 0; n-- {
		all[n] += nodes[n].Time()
		all[nodes[n].Parent] += all[n]
	}
	return all
}

// recursive reports whether a function of a node runs in the chain above it, too: at a line, if
// that is not 0.
func recursive(nodes []lua.CallNode, n, line int) bool {
	node := &nodes[n]
	for p := n; p > 0; {
		at := nodes[p].Place
		if p = nodes[p].Parent; nodes[p].Chunk != node.Chunk || nodes[p].Function != node.Function ||
			nodes[p].Host != node.Host {
			continue
		}
		if line == 0 || nodes[p].Line(at) == line {
			return true
		}
	}
	return false
}

// figures sums the tree up by lines, Lua functions, and host functions.
type figures map[place]*figure

func (f figures) at(p place) *figure {
	if f[p] == nil {
		f[p] = &figure{place: p}
	}
	return f[p]
}

// sorted returns the figures with the most time first.
func (f figures) sorted() (list []*figure) {
	for _, x := range f {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *figure) int {
		return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(b.all, a.all), cmp.Compare(a.name(), b.name()),
			cmp.Compare(a.line, b.line), cmp.Compare(a.function, b.function))
	})
	return list
}

// summary sums a tree up. The own time of a line or a Lua function has the host functions that it
// calls in it.
type summary struct {
	lines, functions, hosts figures

	nodes   []lua.CallNode
	spans   []int64
	scripts map[*lua.Profile]*Script
}

func (t *Times) sum() *summary {
	s := &summary{lines: make(figures), functions: make(figures), hosts: make(figures), nodes: t.Tree.Nodes(),
		scripts: t.scripts()}
	s.spans = spans(s.nodes)
	for n := 1; n < len(s.nodes); n++ {
		s.addToCaller(n)
		if s.nodes[n].Chunk != nil {
			s.addFunction(n)
		} else if s.nodes[n].Calls > 0 {
			s.addHost(n)
		}
	}
	return s
}

// addToCaller adds a node's time to the line and the function that called it.
func (s *summary) addToCaller(n int) {
	node := &s.nodes[n]
	parent := &s.nodes[node.Parent]
	script, line := s.scripts[parent.Chunk], parent.Line(node.Place)
	if script == nil {
		return
	}
	host := int64(0)
	if node.Chunk == nil {
		host = node.Time()
		s.functions.at(place{script: script, function: parent.Function}).own += host
	}
	if line == 0 {
		return
	}
	x := s.lines.at(place{script: script, line: line})
	if !recursive(s.nodes, node.Parent, line) {
		x.all += s.spans[n]
	}
	if node.Chunk == nil {
		x.own += host
		x.hostTime += host
		x.hostCalls += node.Calls
	}
}

// addHost adds a node to its host function.
func (s *summary) addHost(n int) {
	node := &s.nodes[n]
	x := s.hosts.at(place{host: node.Host})
	x.own += node.Time()
	x.calls += node.Calls
	if !recursive(s.nodes, n, 0) {
		x.all += s.spans[n]
	}
}

// addFunction adds a node to its Lua function, and to the lines of that. A line ran as often as the
// statement on it that ran most.
func (s *summary) addFunction(n int) {
	node := &s.nodes[n]
	script := s.scripts[node.Chunk]
	whole := s.functions.at(place{script: script, function: node.Function})
	whole.calls += node.Calls
	whole.own += node.Time()
	above := recursive(s.nodes, n, 0)
	if !above {
		whole.all += s.spans[n]
	}
	hits := make(map[int]int)
	for i, cost := range node.Costs {
		line := node.Line(i)
		if line == 0 || cost == (lua.Cost{}) {
			continue
		}
		x := s.lines.at(place{script: script, line: line})
		x.own += cost.Time
		if !above || !recursive(s.nodes, n, line) {
			x.all += cost.Time
		}
		if i > 0 {
			x.calls += max(0, cost.Hits-hits[line])
			hits[line] = max(hits[line], cost.Hits)
		}
	}
}

// name returns the name of a place.
func (p *place) name() string {
	switch {
	case p.script == nil:
		return p.host
	case p.line > 0:
		return fmt.Sprint(p.script.label(), ":", p.line)
	}
	fn := p.script.Profile.Functions()[p.function]
	if fn.Line == 0 {
		return p.script.label()
	}
	return fmt.Sprint(cmp.Or(fn.Name, "function"), " ", p.script.label(), ":", fn.Line)
}

// shownLines is how many lines Text shows.
const shownLines = 50

// Text returns the lines, the functions and the host functions that took most, in three tables. Own
// time is without the Lua functions that were called.
func (t *Times) Text() []byte {
	var b bytes.Buffer
	sums := t.sum()
	total := int64(0)
	for _, f := range sums.functions {
		total += f.own
	}
	fmt.Fprintf(&b, "%.3f ms in scripts\n", millis(total))
	if t.Omitted > 0 {
		fmt.Fprintf(&b, "%d runs of other scripts were not timed\n", t.Omitted)
	}
	sorted := sums.lines.sorted()
	writeTable(&b, total, "runs  line", sorted[:min(len(sorted), shownLines)])
	writeTable(&b, total, "calls  function", sums.functions.sorted())
	writeTable(&b, total, "calls  command or library function", sums.hosts.sorted())
	return b.Bytes()
}

// writeTable writes figures with their parts of the total time.
func writeTable(b *bytes.Buffer, total int64, title string, list []*figure) {
	unit, _, _ := strings.Cut(title, " ")
	fmt.Fprintf(b, "\n%10s %6s %10s %*s\n", "own ms", "%", "all ms", 8+len(title)-len(unit), title)
	for _, f := range list {
		percent := 100 * float64(f.own) / float64(max(total, 1))
		fmt.Fprintf(b, "%10.3f %6.1f %10.3f %8d  %s", millis(f.own), percent, millis(f.all), f.calls, f.name())
		if f.line > 0 {
			fmt.Fprintf(b, "  %s", f.script.line(f.line))
		}
		b.WriteByte('\n')
	}
}

// Listing returns the sources with what each line took: how often it ran, its own microseconds, its
// calls of the server and of libraries, and the microseconds in those. A line with 0 hits did not
// run.
//
//	hits         us    calls         us
//	   3       12.7        3       11.9 | redis.call('INCR', KEYS[1])
func (t *Times) Listing() []byte {
	var b bytes.Buffer
	figures := t.sum().lines
	fmt.Fprintf(&b, "%8s %10s %8s %10s\n", "hits", "us", "calls", "us")
	for i := range t.Scripts {
		s := &t.Scripts[i]
		executable := make(map[int]bool)
		for _, l := range s.lineCounts() {
			executable[l.line] = true
		}
		for i, text := range s.lines() {
			columns := strings.Repeat(" ", 39)
			if executable[i+1] {
				f := figures.at(place{script: s, line: i + 1})
				columns = fmt.Sprintf("%8d %10.1f %8d %10.1f", f.calls, micros(f.own), f.hostCalls, micros(f.hostTime))
			}
			b.WriteString(strings.TrimRight(columns+" | "+text, " ") + "\n")
		}
	}
	return b.Bytes()
}

func micros(nanos int64) float64 { return float64(nanos) / 1e3 }
func millis(nanos int64) float64 { return float64(nanos) / 1e6 }
