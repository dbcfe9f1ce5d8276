package query

import "github.com/miniserver-go/miniserver/internal/search/text"

// Schema is what the meaning of a query depends on: the fields, words and synonyms of an index.
type Schema interface {
	// TextField returns the number of a text field. Numbers lie below 128.
	TextField(name string) (number int, found bool)
	// TextFields returns the text fields, by their numbers.
	TextFields() []TextField
	// EmptyTag tells whether a tag field of this name indexes empty strings.
	EmptyTag(name string) bool
	// NonEmpty tells whether a text or tag field does not index empty strings.
	NonEmpty() bool
	// StopWords returns the words that are not indexed.
	StopWords() *text.StopWords
	// Synonyms returns the groups of a word, as terms are indexed: with a tilde before the name.
	Synonyms(word string) []string
}

// TextField is what a query needs to know of a text field.
type TextField struct {
	Name       string
	Phonetic   bool // it is indexed by sound, too
	IndexEmpty bool // an empty string is found
	Unordered  bool // it has several values, whose words have no order
}

// Request is a query as a command gives it.
type Request struct {
	Text    string
	Dialect int               // 1 to 4
	Params  map[string]string // PARAMS
	Filters []Node            // conditions beside the text: FILTER, GEOFILTER, INKEYS, in this order

	Language    text.Language // by which words are expanded
	Verbatim    bool          // no word is expanded
	NoStopWords bool          // stop words are looked for like others
	Expander    string        // EXPANDER: empty for all expansions, or SBSTEM, SYNONYM, PHONETIC
	Slop        int           // SLOP of the whole; -1: none
	InOrder     bool          // INORDER of the whole
}
