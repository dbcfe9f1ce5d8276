package text

import (
	"hash/maphash"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

var stemmers = [...]func(*snowballstem.Env) bool{
	English: english.Stem, Arabic: arabic.Stem, Danish: danish.Stem, Dutch: dutch.Stem,
	Finnish: finnish.Stem, French: french.Stem, German: german.Stem, Hungarian: hungarian.Stem,
	Irish: irish.Stem, Italian: italian.Stem, Norwegian: norwegian.Stem,
	Portuguese: portuguese.Stem, Romanian: romanian.Stem, Russian: russian.Stem,
	Spanish: spanish.Stem, Swedish: swedish.Stem, Tamil: tamil.Stem, Turkish: turkish.Stem,
	Yiddish: nil,
}

// Stem returns the stem of a word in lower case, or false if the language has no stemmer here. Of
// the languages of RediSearch those are Armenian, Basque, Catalan, Greek, Hindi, Indonesian,
// Lithuanian, Nepali, Serbian and Yiddish, which the library does not have, and Chinese, whose
// words a dictionary would have to separate.
func (l Language) Stem(word string) (string, bool) {
	if stemmers[l] == nil {
		return "", false
	}
	return l.markedStem(word)[1:], true
}

// markedStem returns the stem of a word behind StemMark. The language must have a stemmer.
func (l Language) markedStem(word string) string {
	if len(word) > maxRemembered {
		return l.stem(word)
	}
	m := memories.Get().(*memory)
	defer memories.Put(m)
	r := &m[maphash.String(seed, word)%rememberedWords]
	if r.stem == "" || r.language != l || r.word != word {
		*r = remembered{language: l, word: strings.Clone(word), stem: l.stem(word)}
	}
	return r.stem
}

func (l Language) stem(word string) string {
	if l == Russian {
		word = strings.ReplaceAll(word, "ё", "е") // as Snowball has it since 2.0
	}
	env := snowballstem.NewEnv(word)
	stemmers[l](env)
	return string(StemMark) + env.Current()
}

// To find a stem takes much longer than to look it up, and most of a text is a few words. So stems
// are remembered, until another word comes that has the same place.
const (
	rememberedWords = 2048
	maxRemembered   = 40 // bytes of a word
)

type memory [rememberedWords]remembered

type remembered struct {
	language   Language
	word, stem string // the stem is marked
}

var (
	memories = sync.Pool{New: func() any { return new(memory) }}
	seed     = maphash.MakeSeed()
)
