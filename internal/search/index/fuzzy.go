package index

import (
	"slices"
	"unicode/utf8"
)

// similar calls yield for the words that at most distance insertions, deletions and substitutions
// of characters make of a text. It walks over the words in order and keeps a row of the table of
// distances for each character that a word has in common with the one before. Where no word with
// these first characters can be near enough it goes on behind them. It ends when its pace is over.
func (d *dictionary) similar(text string, distance int, p *pace, yield func(*word) bool) {
	s := newSimilarity(text, distance)
	from, more := "", true
	for more {
		more = false
		d.from(from, func(w *word) bool {
			if p.isOver(1) {
				return false
			}
			if next, hopeless := s.advance(w.text); hopeless {
				from, more = next, next != ""
				return false
			}
			return !s.near() || yield(w)
		})
	}
}

// after returns the least text above all that begin with a prefix; empty if there is none.
func after(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 {
		if b[len(b)-1]++; b[len(b)-1] != 0 {
			return string(b)
		}
		b = b[:len(b)-1]
	}
	return ""
}

// similarity is the table of the distances between the first characters of a word and those of the
// target: rows[i][k] is that of i characters of the word and i+k-most of the target. The others are
// farther from each other than most, as they differ by that many characters; so may these be, of
// which only this is known.
type similarity struct {
	target []rune
	most   int
	word   []rune
	rows   [][]int
}

func newSimilarity(text string, distance int) *similarity {
	s := &similarity{target: []rune(text), most: distance}
	first := s.row()
	for k := range first[distance:] {
		first[distance+k] = k
	}
	s.rows = [][]int{first}
	return s
}

// row returns a row of distances that are too large.
func (s *similarity) row() []int {
	row := make([]int, 2*s.most+1)
	for k := range row {
		row[k] = s.most + 1
	}
	return row
}

// IsSimilar reports whether a word is as near to a text as those that Similar finds.
func IsSimilar(text, other string, distance int) bool {
	s := newSimilarity(text, distance)
	_, hopeless := s.advance(other)
	return !hopeless && s.near()
}

// advance computes the rows of a word. If the word is not near enough, and none is that begins as
// it does, hopeless is true, and next the least text behind all of them; empty if there is none.
func (s *similarity) advance(word string) (next string, hopeless bool) {
	i, same := 0, true
	for at, r := range word {
		if same = same && i < len(s.word) && s.word[i] == r; !same {
			s.word = append(s.word[:i], r)
			s.rows = s.rows[:i+1]
		}
		if i++; i == len(s.rows) {
			s.add(r)
		}
		if s.least(i) > s.most {
			s.word = s.word[:i]
			s.rows = s.rows[:i+1]
			if _, size := utf8.DecodeRuneInString(word[at:]); r != utf8.RuneError {
				return after(word[:at+size]), true
			}
			return word + "\x00", true // what follows may make another character of its last bytes
		}
	}
	s.word, s.rows = s.word[:i], s.rows[:i+1]
	return "", false
}

// add adds the row of a further character.
func (s *similarity) add(r rune) {
	i, last, row := len(s.rows), s.rows[len(s.rows)-1], s.row()
	for k := max(0, s.most-i); k < len(row) && i+k-s.most <= len(s.target); k++ {
		j := i + k - s.most
		if k > 0 && j > 0 {
			row[k] = row[k-1] + 1
		}
		if k+1 < len(row) {
			row[k] = min(row[k], last[k+1]+1)
		}
		if j > 0 && s.target[j-1] == r {
			row[k] = min(row[k], last[k])
		} else if j > 0 {
			row[k] = min(row[k], last[k]+1)
		}
	}
	s.rows = append(s.rows, row)
}

// least returns the least distance of a row.
func (s *similarity) least(row int) int { return slices.Min(s.rows[row]) }

// near tells whether the word is near enough to the target. As in RediSearch, a word is, too, that
// is it without its last character: world is to wordl.
func (s *similarity) near() bool {
	for i := max(0, len(s.rows)-2); i < len(s.rows); i++ {
		if k := len(s.target) - i + s.most; k >= 0 && k <= 2*s.most && s.rows[i][k] <= s.most {
			return true
		}
	}
	return false
}
