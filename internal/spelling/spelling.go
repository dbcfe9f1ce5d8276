// Package spelling finds what a mistyped word was meant to be, for the messages of programs.
package spelling

import (
	"slices"
	"strings"
)

// Nearest returns the known word that is most like a mistyped one: with the fewest letters added,
// left out, exchanged or swapped, up to a third of them; else the first that begins or ends with
// it. It returns "" if there is none.
func Nearest(typed string, known []string) string {
	typed = strings.ToLower(typed)
	best, least := "", max(1, len(typed)/3)+1
	for _, word := range slices.Sorted(slices.Values(known)) {
		if d := distance(typed, strings.ToLower(word)); d < least {
			best, least = word, d
		}
	}
	if best != "" || len(typed) < 3 {
		return best
	}
	for _, holds := range []func(s, part string) bool{strings.HasPrefix, strings.HasSuffix} {
		if i := slices.IndexFunc(known, func(word string) bool { return holds(word, typed) }); i >= 0 {
			return known[i]
		}
	}
	return ""
}

// Hint returns "; did you mean 'word'?" for the word that Nearest finds, "" for none.
func Hint(typed string, known []string) string {
	if word := Nearest(typed, known); word != "" {
		return "; did you mean '" + word + "'?"
	}
	return ""
}

// distance returns how many letters must be added, left out, exchanged, or swapped with their
// neighbour, to make b of a.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1) // the rows of the table above the one that is made
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			exchange := last[j]
			if a[i] != b[j] {
				exchange++
			}
			row[j+1] = min(exchange, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
