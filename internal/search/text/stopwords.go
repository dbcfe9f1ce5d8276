package text

import (
	"maps"
	"slices"
)

// StopWords are words that are not indexed, as they are in nearly every text.
type StopWords struct{ words map[string]struct{} }

// DefaultStopWords are those of an index that names none.
var DefaultStopWords = NewStopWords([]string{"a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if",
	"in", "into", "is", "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there",
	"these", "they", "this", "to", "was", "will", "with"})

// NewStopWords returns a list of words; case does not matter.
func NewStopWords(words []string) *StopWords {
	s := &StopWords{make(map[string]struct{}, len(words))}
	for _, w := range words {
		s.words[lower(w)] = struct{}{}
	}
	return s
}

// Contains tells whether a word is in the list.
func (s *StopWords) Contains(word string) bool {
	_, found := s.words[lower(word)]
	return found
}

// Words returns the list in order.
func (s *StopWords) Words() []string { return slices.Sorted(maps.Keys(s.words)) }
