package text

import (
	"strings"

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
	if l == Russian {
		word = strings.ReplaceAll(word, "ё", "е") // as Snowball has it since 2.0
	}
	env := snowballstem.NewEnv(word)
	stemmers[l](env)
	return env.Current(), true
}
