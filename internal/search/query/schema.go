package query

import "github.com/miniserver-go/miniserver/internal/search/text"

// Schema is what the meaning of a query depends on: the fields, words and synonyms of an index.
type Schema interface {
	// Field returns the field of a name, or nil.
	Field(name string) *Field
	// Fields returns all fields in their order. Those of text are at most 128.
	Fields() []*Field
	// StopWords returns the words that are not indexed.
	StopWords() *text.StopWords
	// Synonyms returns the groups of a word, as terms are indexed: with a tilde before the name.
	Synonyms(word string) []string
}

// remembering asks a schema for its fields once.
type remembering struct {
	Schema
	fields []*Field
	byName map[string]*Field
}

// Fields implements Schema.
func (r *remembering) Fields() []*Field {
	if r.fields == nil {
		r.fields = r.Schema.Fields()
	}
	return r.fields
}

// Field implements Schema.
func (r *remembering) Field(name string) *Field {
	if r.byName == nil {
		r.byName = make(map[string]*Field, len(r.Fields()))
		for _, f := range r.fields {
			r.byName[f.Name] = f
		}
	}
	return r.byName[name]
}

// Field is what a query needs to know of a field.
type Field struct {
	Name   string // by which queries name it
	Text   bool
	Tag    bool
	Vector bool
	Number int // of a text field: its bit in Fields

	Phonetic      bool // it is indexed by sound, too
	Unordered     bool // it has several values, whose words have no order
	IndexEmpty    bool // an empty string is found
	IndexMissing  bool // documents without it are found
	Suffixes      bool // it is indexed by the ends of words, too: WITHSUFFIXTRIE
	CaseSensitive bool // of a tag field
	Unused        bool // no document has a tag in it
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
	MinAffix    int           // the least bytes of a prefix or another part of a word that is looked for
	Slop        int           // SLOP of the whole; -1: none
	InOrder     bool          // INORDER of the whole

	// Late reports whether to read the query has taken too long, which is an error. It is asked now
	// and then; nil for never.
	Late func() bool
}
