package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Texts and queries of a search. They have few words, so that queries find something.

var (
	searchWords = []string{"red", "green", "blue", "cat", "cats", "dog", "dogs", "house", "running", "runs", "run",
		"big", "small", "old", "new", "tree", "été"}
	searchTags    = []string{"a", "b", "c", "Red Wine", "x-y"}
	searchNumbers = []string{"0", "1", "2", "3", "5", "8", "13", "-1", "2.5", "inf", "-inf", "(3", "(0"}
)

// searchText returns some words, rarely with others that are not indexed.
func searchText(r *rand.Rand) string {
	var words []string
	for range 1 + r.IntN(8) {
		words = append(words, oneOf(r, searchWords))
	}
	return strings.Join(words, oneOf(r, []string{" ", " ", " ", ", ", " the ", "-"}))
}

// searchTerm returns what finds words. If it is scored, it is a word or a phrase.
func searchTerm(r *rand.Rand, scored bool) string {
	word := oneOf(r, searchWords)
	if word == "été" {
		return word
	}
	kind := r.IntN(12)
	if scored {
		kind = 4 + r.IntN(12)
	}
	switch kind {
	case 0:
		return word[:2] + "*"
	case 1:
		return "*" + word[len(word)-2:]
	case 2:
		return "*" + word[1:len(word)-1] + "*"
	case 3:
		return "%" + word[1:] + "%"
	case 4:
		return `"` + word + " " + oneOf(r, searchWords) + `"`
	}
	return word
}

// searchWordsQuery returns a query for words, of so many levels at most. If it is scored, it has no
// negations and no optional parts.
func searchWordsQuery(r *rand.Rand, levels int, scored bool) string {
	if levels == 0 {
		return searchTerm(r, scored)
	}
	one, other := searchWordsQuery(r, levels-1, scored), searchWordsQuery(r, levels-1, scored)
	kind := r.IntN(6)
	if scored {
		kind = 2 + r.IntN(4)
	}
	switch kind {
	case 0:
		return "(" + one + ") -" + other
	case 1:
		return "(" + one + ") ~" + other
	case 2:
		return alternative(one) + "|" + alternative(other)
	case 3:
		return "(" + alternative(one) + "|" + alternative(other) + ")"
	}
	return one + " " + other
}

// alternative returns a query as a part of a union. There RediSearch may pass over documents if it
// has a negation.
func alternative(q string) string { return strings.ReplaceAll(q, ") -", ") ") }

// searchCondition returns a query for a field, of words or tags if it is scored.
func searchCondition(r *rand.Rand, scored bool) string {
	kind := r.IntN(7)
	if scored {
		kind = r.IntN(4)
	}
	switch kind {
	case 0:
		return "@g:{" + searchTag(r) + "}"
	case 1:
		return "@g:{" + searchTag(r) + " | " + searchTag(r) + "}"
	case 2:
		return "@t:(" + searchWordsQuery(r, 1, true) + ")" // a negation here may exclude words of other fields
	case 3:
		return "@t|u:" + searchTerm(r, scored)
	case 4:
		radius := oneOf(r, []string{"100", "500", "900"})
		return "@p:[" + random(r, -10, 10) + " " + random(r, -10, 10) + " " + radius + " km]"
	}
	return "@n:[" + oneOf(r, searchNumbers) + " " + oneOf(r, searchNumbers) + "]"
}

func searchTag(r *rand.Rand) string {
	return strings.NewReplacer(" ", `\ `, "-", `\-`).Replace(oneOf(r, searchTags))
}

// searchQuery returns a query. One in thirty is wrong. Scores depend on how RediSearch keeps
// numbers and places, and on the way by which it comes to a document. So a query whose scores count
// has none of what shows it: no bracket makes unknown words of a phrase, either.
func searchQuery(r *rand.Rand, scored bool) string {
	q := searchWordsQuery(r, r.IntN(3), scored)
	kind := r.IntN(8)
	if scored {
		kind = r.IntN(5)
	}
	switch kind {
	case 0:
		q = searchCondition(r, scored)
	case 1, 2:
		q = searchCondition(r, scored) + " " + searchCondition(r, scored)
	case 3:
		q = "(" + q + ") " + searchCondition(r, scored)
	case 4:
		q = searchCondition(r, scored) + "|" + searchCondition(r, scored)
	case 5:
		q = "-" + searchCondition(r, scored)
	}
	if r.IntN(30) == 0 && !(scored && strings.Contains(q, `"`)) {
		at := r.IntN(len(q))
		q = q[:at] + oneOf(r, []string{"(", ")", "|", "{", "}", "[", "]", ":", `"`}) + q[at:]
	}
	return q
}

// nearQuery returns a query for documents whose vector v is near to that of the parameter b. By
// which of its ways a filter is gone through is up to RediSearch, and so are the scores, unless the
// query says it.
func nearQuery(r *rand.Rand) string {
	within := fmt.Sprintf("@v:[VECTOR_RANGE %d $b]=>{$yield_distance_as:d}", 1<<r.IntN(6))
	switch r.IntN(5) {
	case 0:
		return within
	case 1:
		return within + " " + searchCondition(r, true)
	case 2:
		return fmt.Sprintf("*=>[KNN %d @v $b AS d]", 1+r.IntN(8))
	}
	return fmt.Sprintf("(%s)=>[KNN %d @v $b HYBRID_POLICY ADHOC_BF AS d]", searchQuery(r, true), 1+r.IntN(8))
}

// nearVector returns a number of FLOAT32 from 8 to 14. No two are equal but by chance, as servers
// choose freely among documents that are equally near.
func nearVector(r *rand.Rand) string {
	return string([]byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(96)), 'A'})
}
