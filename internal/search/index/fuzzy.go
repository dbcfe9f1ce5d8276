package index

import "unicode/utf8"

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
// target: rows[i][j] is that of i characters of the word and j of the target.
type similarity struct {
	target []rune
	most   int
	word   []rune
	rows   [][]int
}

func newSimilarity(text string, distance int) *similarity {
	s := &similarity{target: []rune(text), most: distance}
	s.rows = [][]int{make([]int, len(s.target)+1)}
	for i := range s.rows[0] {
		s.rows[0][i] = i
	}
	return s
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
	last := s.rows[len(s.rows)-1]
	row := make([]int, len(last))
	row[0] = len(s.rows)
	for j, t := range s.target {
		cost := 1
		if t == r {
			cost = 0
		}
		row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
	}
	s.rows = append(s.rows, row)
}

// least returns the least distance of a row.
func (s *similarity) least(row int) int {
	least := len(s.target) + row
	for _, n := range s.rows[row] {
		least = min(least, n)
	}
	return least
}

// near tells whether the word is near enough to the target. As in RediSearch, a word is, too, that
// is it without its last character: world is to wordl.
func (s *similarity) near() bool {
	for _, row := range s.rows[max(0, len(s.rows)-2):] {
		if row[len(row)-1] <= s.most {
			return true
		}
	}
	return false
}
