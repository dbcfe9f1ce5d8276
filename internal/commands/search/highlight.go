package search

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// emphasis is what SUMMARIZE and HIGHLIGHT say: of all fields, or of those that they name.
type emphasis struct {
	wanted bool
	all    style
	fields []styled
}

// style is how the text of a field is shown.
type style struct {
	text.Summary
	summarized, highlighted bool
}

type styled struct {
	name string
	style
}

// over returns a style with what another one says beside it.
func (s style) over(other style) style {
	if !s.summarized && other.summarized {
		s.Fragments, s.Words, s.Separator = other.Fragments, other.Words, other.Separator
	}
	if !s.highlighted && other.highlighted {
		s.Before, s.After = other.Before, other.After
	}
	s.summarized = s.summarized || other.summarized
	s.highlighted = s.highlighted || other.highlighted
	return s
}

// readEmphasis reads what follows SUMMARIZE or HIGHLIGHT.
func (r *request) readEmphasis(option string) {
	r.emphasis.wanted = true
	var names [][]byte
	ok := true
	if r.Word("FIELDS") {
		names, ok = r.names()
	}
	s := style{summarized: option == "SUMMARIZE", highlighted: option == "HIGHLIGHT"}
	if s.summarized {
		s.Summary = text.Summary{Fragments: 3, Words: 20, Separator: "... "}
		ok = ok && r.readSummary(&s.Summary)
	} else {
		s.Before, s.After = "<b>", "</b>"
		ok = ok && r.readMarks(&s.Summary)
	}
	if !ok {
		r.Refusef(errEmphasis, option)
		return
	}
	for _, name := range names {
		r.emphasis.add(string(name), s)
	}
	if len(names) == 0 {
		r.emphasis.all = s.over(r.emphasis.all)
	}
}

func (e *emphasis) add(name string, s style) {
	for i := range e.fields {
		if e.fields[i].name == name {
			e.fields[i].style = s.over(e.fields[i].style)
			return
		}
	}
	e.fields = append(e.fields, styled{name, s})
}

// names reads a number and as many arguments.
func (r *request) names() (list [][]byte, ok bool) {
	n, ok := r.natural()
	if !ok || n > r.Left() {
		return nil, false
	}
	return r.Next(n), true
}

// natural reads a number of 32 bits.
func (r *request) natural() (n int, ok bool) {
	if r.Left() == 0 {
		return 0, false
	}
	i, ok := integer(r.Arg())
	return int(i), ok && i >= 0 && i <= math.MaxUint32
}

func (r *request) readSummary(s *text.Summary) (ok bool) {
	for ok = true; ok; {
		switch {
		case r.Word("LEN"):
			s.Words, ok = r.natural()
		case r.Word("FRAGS"):
			s.Fragments, ok = r.natural()
		case r.Word("SEPARATOR"):
			if ok = r.Left() > 0; ok {
				s.Separator = string(r.Arg())
			}
		default:
			return true
		}
	}
	return false
}

func (r *request) readMarks(s *text.Summary) bool {
	for r.Word("TAGS") {
		if r.Left() < 2 {
			return false
		}
		s.Before, s.After = string(r.Arg()), string(r.Arg())
	}
	return true
}

// checkEmphasis refuses to emphasize words in fields that are not indexed, or whose words are in no
// known place.
func (p *presentation) checkEmphasis() {
	switch {
	case !p.emphasis.wanted || p.Failed():
		return
	case p.entry.NoOffsets || p.entry.NoHighlight:
		p.Refuse(errNoPlaces)
		return
	case p.noContent, p.limit == 0:
		return
	}
	for _, col := range p.columns {
		if p.entry.Field(col.path) == nil {
			p.Refusef(errNotInSchema, col.name)
		}
	}
	for _, f := range p.emphasis.fields {
		returned := slices.ContainsFunc(p.columns, func(c column) bool { return c.name == f.name })
		switch {
		case p.chosen && p.entry.Field(f.name) != nil, !p.chosen && p.loads(f.name):
		case returned:
			p.Refusef(errNotInSchema, f.name)
		default:
			p.Refusef(errNoProperty, f.name)
		}
	}
}

// loads reports whether results without RETURN have a field by its name. Those of JSON have the
// document as a whole, and beside it what the index keeps, and by what they are sorted.
func (p *presentation) loads(name string) bool {
	f := p.entry.Field(name)
	return f != nil && (!p.entry.JSON || f.Sortable || name == string(p.sort))
}

// styleOf returns how a field is shown. If fields are named, only those and those of RETURN are
// emphasized.
func (p *presentation) styleOf(name string) style {
	for _, f := range p.emphasis.fields {
		if f.name == name {
			return f.over(p.emphasis.all)
		}
	}
	if len(p.emphasis.fields) > 0 && !p.chosen {
		return style{}
	}
	return p.emphasis.all
}

// emphasize shows the words of a row that match. The fields that SUMMARIZE and HIGHLIGHT name come
// first.
func (p *presentation) emphasize(row []cell, d *index.Document, s index.Stored) {
	if !p.emphasis.wanted {
		return
	}
	for i := range row {
		if row[i].value.Kind == index.IsText {
			row[i].value = index.TextValue(p.shown(row[i].name, row[i].value.Text, d, s))
		}
	}
	slices.SortStableFunc(row, func(a, b cell) int { return p.rank(a.name) - p.rank(b.name) })
}

func (p *presentation) rank(name string) int {
	for i, f := range p.emphasis.fields {
		if f.name == name {
			return i
		}
	}
	return len(p.emphasis.fields)
}

// shown returns the text of a field in its style.
func (p *presentation) shown(name, value string, d *index.Document, s index.Stored) string {
	how := p.styleOf(name)
	if !how.summarized && !how.highlighted {
		return value
	}
	f := p.entry.Field(name)
	found := &text.Fragments{}
	if f != nil && f.Kind == index.Text {
		found = text.Find(value, p.entry.Tokenizer(f, s), p.terms[d.Key()], p.entry.Schema().Synonyms)
	}
	switch {
	case found.Empty() && how.summarized && !how.highlighted:
		return text.Head(value, how.Summary)
	case found.Empty():
		return value
	case how.summarized:
		return found.Summarize(how.Summary)
	}
	return found.Highlight(how.Before, how.After)
}

// findTerms finds the words by which the results match.
func (p *presentation) findTerms(s *index.Search, found *index.Results) {
	if !p.emphasis.wanted || p.noContent {
		return
	}
	terms, err := p.entry.Terms(&s.Query, found.Documents)
	if err != nil {
		p.Refuse(command.Error(err.Error()))
		return
	}
	p.terms = make(map[string][]text.Term, len(terms))
	for i := range found.Documents {
		p.terms[found.Documents[i].Key()] = terms[i]
	}
}
