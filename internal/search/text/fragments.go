package text

import (
	"cmp"
	"slices"
	"strings"
)

// Term is a term of a query that a document has, as the index keeps it: with a mark before stems,
// sounds and synonyms.
type Term struct {
	Text  string
	Score float32 // how rare it is
}

// Fragments are the parts of a text in which words match. Between two words of a part lie at most
// eight that do not.
type Fragments struct {
	text string
	list []fragment
}

// fragment is a part of a text from its first match to its last one.
type fragment struct {
	matches []match
	last    int // the position of the last match
	words   int // all of them, from the first match on
	score   float32
	place   int // among the fragments
	start   int
	end     int
}

// match is a word in a fragment, in bytes of the text.
type match struct{ term, start, end int }

const maxDistance = 8

// Find returns the fragments of a text. Synonyms returns what the index keeps for a word beside it.
func Find(text string, t *Tokenizer, terms []Term, synonyms func(word string) []string) *Fragments {
	f := &Fragments{text: text}
	number := make(map[string]int, len(terms))
	for i := len(terms) - 1; i >= 0; i-- {
		number[terms[i].Text] = i
	}
	skipped, end := 0, 0
	t.Tokens(text, func(k Token) bool {
		term := matching(number, append(synonyms(k.Text), k.Text, k.Stem, k.Sound))
		if term < 0 || k.Offset < end {
			skipped++
			return true
		}
		end = k.Offset + unescapedLength(text[k.Offset:])
		f.add(match{term, k.Offset, end}, k.Position, skipped, terms[term].Score)
		skipped = 0
		return true
	})
	return f
}

// matching returns the first term that one of the texts is, or -1.
func matching(number map[string]int, texts []string) int {
	first := -1
	for _, text := range texts {
		if n, found := number[text]; found && (first < 0 || n < first) {
			first = n
		}
	}
	return first
}

// unescapedLength returns the bytes of a word up to any separator: escapes do not count.
func unescapedLength(text string) int {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x80 && IsSeparator(byte(r)) }); i >= 0 {
		return i
	}
	return len(text)
}

// add adds a match to the last fragment, or to a new one if that is too far away.
func (f *Fragments) add(m match, position, skipped int, score float32) {
	if n := len(f.list); n == 0 || position-f.list[n-1].last > maxDistance {
		f.list = append(f.list, fragment{place: n, start: m.start})
		skipped = 0
	}
	g := &f.list[len(f.list)-1]
	if !slices.ContainsFunc(g.matches, func(other match) bool { return other.term == m.term }) {
		g.score += score
	}
	g.matches = append(g.matches, m)
	g.end, g.last = m.end, position
	g.words += skipped + 1
}

// Empty tells whether no word matches.
func (f *Fragments) Empty() bool { return len(f.list) == 0 }

// Highlight returns the text with marks around the words that match.
func (f *Fragments) Highlight(before, after string) string {
	var b strings.Builder
	at := 0
	for _, g := range f.list {
		at = f.mark(&b, g, at, before, after)
	}
	b.WriteString(f.text[at:])
	return b.String()
}

// mark writes the text from at to the end of a fragment, and returns the end.
func (f *Fragments) mark(b *strings.Builder, g fragment, at int, before, after string) int {
	for _, m := range g.matches {
		b.WriteString(f.text[at:m.start] + before + f.text[m.start:m.end] + after)
		at = m.end
	}
	return at
}

// Summary says what is shown of a text.
type Summary struct {
	Fragments     int    // at most
	Words         int    // about as many in each
	Separator     string // behind each
	Before, After string // marks around the words that match
}

// Summarize returns the fragments with the rarest words, in the order of the text, each with the
// words around it.
func (f *Fragments) Summarize(s Summary) string {
	best := slices.Clone(f.list)
	slices.SortStableFunc(best, func(a, b fragment) int { return cmp.Compare(b.score, a.score) })
	best = best[:min(s.Fragments, len(best))]
	slices.SortFunc(best, func(a, b fragment) int { return a.place - b.place })
	var all strings.Builder
	for i, g := range best {
		low, high := 0, len(f.text)-1
		if i > 0 {
			low = best[i-1].end
		}
		if i+1 < len(best) {
			high = best[i+1].start
		}
		from, to := f.around(g, s.Words, low, high)
		var b strings.Builder
		b.WriteString(f.text[from:g.start])
		f.mark(&b, g, g.start, s.Before, s.After)
		b.WriteString(f.text[g.end:to])
		all.WriteString(singleSpaced(b.String()) + s.Separator)
	}
	return all.String()
}

// wordLength is the bytes that a word is taken to have.
const wordLength = 6

// around returns where the words around a fragment begin and end, between low and the byte at high.
func (f *Fragments) around(g fragment, words, low, high int) (from, to int) {
	words -= g.words - len(g.matches)
	if words <= 0 {
		return g.start, g.end
	}
	reach := words / 2 * wordLength
	from, to = max(g.start-reach, low), min(g.end+reach, high)
	for from < g.start && !IsSeparator(f.text[from]) {
		from++
	}
	for from < g.start && IsSeparator(f.text[from]) {
		from++
	}
	for to > g.end && !IsSeparator(f.text[to]) {
		to--
	}
	for to > g.end && IsSeparator(f.text[to]) {
		to--
	}
	return from, to + 1
}

// Head returns the beginning of a text in which no word matches, without the word at its end.
func Head(text string, s Summary) string {
	length := wordLength * (s.Words*s.Fragments + 1)
	b := singleSpaced(text[:max(0, min(length, len(text)))])
	for len(b) > 1 && !IsSeparator(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return strings.TrimRight(b, spaces)
}

const spaces = " \t\n\v\f\r"

// singleSpaced returns a text with one space for several.
func singleSpaced(text string) string {
	b := make([]byte, 0, len(text))
	space := false
	for i := range len(text) {
		isSpace := strings.IndexByte(spaces, text[i]) >= 0
		switch {
		case !isSpace:
			b = append(b, text[i])
		case !space:
			b = append(b, ' ')
		}
		space = isSpace
	}
	return string(b)
}
