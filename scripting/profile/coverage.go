package profile

import (
	"bytes"
	"fmt"
	"strings"
)

// Coverage is which lines of scripts ran, and how often. Callers may change the names of the
// scripts before they write it.
type Coverage struct {
	Scripts []Script
	Omitted int // runs of scripts for which there was no room
}

// LCOV returns a tracefile of lcov: functions, branches and lines of each script.
func (c *Coverage) LCOV() []byte {
	var b bytes.Buffer
	for i := range c.Scripts {
		s := &c.Scripts[i]
		fmt.Fprintf(&b, "TN:\nSF:%s\n", s.Name)
		s.writeFunctions(&b)
		s.writeBranches(&b)
		s.writeLines(&b)
		b.WriteString("end_of_record\n")
	}
	return b.Bytes()
}

func (s *Script) writeFunctions(b *bytes.Buffer) {
	names, total := s.functionNames(), count{}
	for i, fn := range s.Profile.Functions() {
		fmt.Fprintf(b, "FN:%d,%s\n", max(fn.Line, 1), names[i])
	}
	for i, fn := range s.Profile.Functions() {
		fmt.Fprintf(b, "FNDA:%d,%s\n", fn.Hits[0], names[i])
		total.add(fn.Hits[0])
	}
	fmt.Fprintf(b, "FNF:%d\nFNH:%d\n", total.all, total.ran)
}

// writeBranches writes two branches for each condition, which is a block of its line: - if it was
// never asked.
func (s *Script) writeBranches(b *bytes.Buffer) {
	total, block, last := count{}, 0, 0
	for _, c := range s.conditions() {
		if block++; c.Line != last {
			block, last = 0, c.Line
		}
		for branch, hits := range []int{c.Yes, c.No} {
			taken := fmt.Sprint(hits)
			if c.Yes+c.No == 0 {
				taken = "-"
			}
			fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", c.Line, block, branch, taken)
			total.add(hits)
		}
	}
	fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", total.all, total.ran)
}

func (s *Script) writeLines(b *bytes.Buffer) {
	total := count{}
	for _, l := range s.lineCounts() {
		fmt.Fprintf(b, "DA:%d,%d\n", l.line, l.hits)
		total.add(l.hits)
	}
	fmt.Fprintf(b, "LF:%d\nLH:%d\n", total.all, total.ran)
}

// Text returns the sources with the number of runs before each line that can run, and how much of
// each script ran:
//
//	token-bucket.lua: 3 of 4 lines (75.0 %), 1 of 2 branches
//
//	     2 | local n = redis.call('INCR', KEYS[1])
//	     2 | if n > 1 then
//	     0 |   return 0
func (c *Coverage) Text() []byte {
	var b bytes.Buffer
	lines, branches := count{}, count{}
	for i := range c.Scripts {
		l, br := c.Scripts[i].writeText(&b)
		lines.plus(l)
		branches.plus(br)
	}
	fmt.Fprintf(&b, "%s of %d scripts\n", covered(lines, branches), len(c.Scripts))
	if c.Omitted > 0 {
		fmt.Fprintf(&b, "%d runs of other scripts were not counted\n", c.Omitted)
	}
	return b.Bytes()
}

// writeText writes one script.
func (s *Script) writeText(b *bytes.Buffer) (lines, branches count) {
	hits := make(map[int]int)
	for _, l := range s.lineCounts() {
		hits[l.line] = l.hits
		lines.add(l.hits)
	}
	for _, c := range s.conditions() {
		branches.add(c.Yes)
		branches.add(c.No)
	}
	fmt.Fprintf(b, "%s: %s\n\n", s.label(), covered(lines, branches))
	for i, text := range s.lines() {
		figure := "       "
		if n, ok := hits[i+1]; ok {
			figure = fmt.Sprintf("%7d", n)
		}
		b.WriteString(strings.TrimRight(figure+" | "+text, " ") + "\n")
	}
	b.WriteByte('\n')
	return lines, branches
}

func covered(lines, branches count) string {
	text := fmt.Sprintf("%d of %d lines (%.1f %%)", lines.ran, lines.all, lines.percent())
	if branches.all > 0 {
		text += fmt.Sprintf(", %d of %d branches (%.1f %%)", branches.ran, branches.all, branches.percent())
	}
	return text
}
