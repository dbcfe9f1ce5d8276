package index

import (
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// Terms returns, for each of some documents, the words of a text by which it matches a query. Each
// is looked for from the beginning, as what a union tells of a document depends on the way there.
func (x *Index) Terms(q *Query, docs []Document) ([][]text.Term, error) {
	terms := make([][]text.Term, len(docs))
	for i, d := range docs {
		it, _, err := x.iterate(q)
		if err != nil {
			return nil, err
		}
		if it.seek(d.id) && it.id() == d.id {
			terms[i] = it.match().terms(nil)
		}
	}
	return terms, nil
}

// terms appends the words of a match that have a place in a text.
func (m *match) terms(list []text.Term) []text.Term {
	if m.kind == isWord && m.word != nil && len(m.positions) > 0 {
		return append(list, text.Term{Text: m.word.text, Score: float32(m.word.idf)})
	}
	for _, part := range m.parts {
		list = part.terms(list)
	}
	return list
}

// Tokenizer returns what takes the texts of a document's field apart.
func (x *Index) Tokenizer(f *Field, s Stored) *text.Tokenizer {
	language := x.Language
	if x.LanguageField != "" {
		if l, ok := text.FindLanguage(s.Value(x.LanguageField, false).String()); ok {
			language = l
		}
	}
	return &text.Tokenizer{Language: language, StopWords: x.Stops, Stems: !f.NoStem, Sounds: f.Phonetic != ""}
}

// Count returns how many documents have a word; known is false if they have it in other fields
// only, and the index tells fields apart.
func (x *Index) Count(word string, fields query.Fields) (docs int, known bool) {
	w := x.words.find(word)
	if w == nil {
		return 0, true
	}
	return int(w.count), x.NoFields || w.fields.And(fields) != query.Fields{}
}

// Similar calls yield for the words that at most distance insertions, deletions and substitutions
// make of a word, in order, until late reports true.
func (x *Index) Similar(to string, distance int, late func() bool, yield func(word string)) {
	x.words.similar(to, distance, &pace{late: late}, func(w *word) bool {
		yield(w.text)
		return true
	})
}
