package syntax

import (
	"sort"
	"unicode/utf8"
)

// Places tells lines and columns of the offsets in a source.
type Places struct {
	source string
	starts []int // of the lines
}

// PlacesIn returns the places of a source. Lines end as they do for the lexer: with \n, \r, \n\r or
// \r\n.
func PlacesIn(source string) *Places {
	p := &Places{source, []int{0}}
	x := lexer{source: source}
	for x.pos < len(source) {
		if isNewline(x.peek()) {
			x.newline()
			p.starts = append(p.starts, x.pos)
		} else {
			x.pos++
		}
	}
	return p
}

// At returns the line and the column of an offset, both from 1. The column counts characters. An
// offset behind the end is the end.
func (p *Places) At(at int32) (line, column int) {
	end := min(int(at), len(p.source))
	line = sort.Search(len(p.starts), func(i int) bool { return p.starts[i] > end })
	return line, utf8.RuneCountInString(p.source[p.starts[line-1]:end]) + 1
}

// Line returns the offset where a line begins, from 1. A line behind the last one is the last one.
func (p *Places) Line(line int) int { return p.starts[min(max(line, 1), len(p.starts))-1] }
