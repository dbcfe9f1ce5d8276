package index

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// Definition is what an index is about.
type Definition struct {
	Name          string
	JSON          bool     // the documents are JSON, and not hashes
	Prefixes      []string // of their keys
	FilterText    string   // what FILTER says; empty for nothing
	Filter        Filter   // nil for none
	Language      text.Language
	HasLanguage   bool   // LANGUAGE was said
	LanguageField string // the field with the language of a document; empty for none
	Score         float64
	ScoreField    string
	PayloadField  string
	NoOffsets     bool // no positions are kept
	NoHighlight   bool // no places in texts are kept
	NoFields      bool // it is not kept in which fields words are
	NoFrequencies bool
	ManyTexts     bool  // MAXTEXTFIELDS
	Temporary     int64 // how long the index lives unused, in milliseconds; 0 for ever
	NoScan        bool  // what exists is not indexed
	Stops         *text.StopWords
	HasStops      bool // STOPWORDS was said
	Fields        []*Field

	texts, sortables int
}

// Filter selects documents by their fields.
type Filter interface {
	Selects(field func(name string) (value string, ok bool)) bool
}

// Kind is what a field is.
type Kind byte

// The kinds of fields.
const (
	Text Kind = iota
	Numeric
	Tag
	Geo
	Shape
	Vector
)

func (k Kind) String() string {
	return [...]string{"TEXT", "NUMERIC", "TAG", "GEO", "GEOSHAPE", "VECTOR"}[k]
}

// Field is a field of an index.
type Field struct {
	Path, Name   string // in documents, and in queries
	Kind         Kind
	Sortable     bool
	Unnormalized bool // UNF: it is sorted as it is, and not in lower case
	Unindexed    bool
	IndexEmpty   bool
	IndexMissing bool
	Suffixes     bool // WITHSUFFIXTRIE

	Weight   float64 // of a text
	NoStem   bool
	Phonetic string // such as dm:en; empty for none

	Separator     byte // of tags; 0 for none
	CaseSensitive bool

	Spherical bool // of a shape
	Space     Space

	Errors Errors

	json   *path.Path
	number int // of a text field
	sorted int // of a sortable field
	lists  lists
}

// NewField returns a field with what a definition does not say. of is the index's.
func NewField(of *Definition, path, name string, kind Kind) *Field {
	f := &Field{Path: path, Name: name, Kind: kind, Weight: 1}
	if kind == Tag && !of.JSON {
		f.Separator = ','
	}
	return f
}

// ParsePath reads the path of a field of JSON documents.
func (f *Field) ParsePath() (err error) {
	f.json, err = path.Parse([]byte(f.Path))
	return err
}

// MaxLifetime is the longest time for which an index can live unused, in milliseconds.
const MaxLifetime = math.MaxInt64 / 4

// MostTexts is the most text fields that an index can have.
const MostTexts = 128

// Field returns the field of a name; nil if there is none.
func (d *Definition) Field(name string) *Field {
	for _, f := range d.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// field returns the field of a name that is of a kind; nil if there is none.
func (d *Definition) field(name string, kind Kind) *Field {
	if f := d.Field(name); f != nil && f.Kind == kind {
		return f
	}
	return nil
}

// TextField returns the text field of a name as a set; an empty one if there is none.
func (d *Definition) TextField(name string) query.Fields {
	if f := d.field(name, Text); f != nil {
		return query.Only(f.number)
	}
	return query.Fields{}
}

// Schema returns what the meaning of a query depends on.
func (x *Index) Schema() query.Schema { return schema{x} }

// schema implements query.Schema.
type schema struct{ *Index }

func (s schema) Field(name string) *query.Field {
	if f := s.Index.Field(name); f != nil {
		return s.field(f)
	}
	return nil
}

func (s schema) field(f *Field) *query.Field {
	return &query.Field{Name: f.Name, Text: f.Kind == Text, Tag: f.Kind == Tag, Vector: f.Kind == Vector,
		Number: f.number, Phonetic: f.Phonetic != "", Unordered: s.JSON && f.json != nil && !f.json.Static(),
		IndexEmpty: f.IndexEmpty, IndexMissing: f.IndexMissing, Suffixes: f.Suffixes,
		CaseSensitive: f.CaseSensitive, Unused: f.Kind == Tag && f.lists.tags.len() == 0}
}

func (s schema) Fields() (list []*query.Field) {
	for _, f := range s.Index.Fields {
		list = append(list, s.field(f))
	}
	return list
}

func (s schema) StopWords() *text.StopWords { return s.Stops }

func (s schema) Synonyms(word string) []string { return s.synonyms[word] }

// AddSynonyms says that words mean the same: those of a group.
func (x *Index) AddSynonyms(group string, words []string) {
	if x.synonyms == nil {
		x.synonyms = make(map[string][]string)
	}
	name := string(text.SynonymMark) + group
	for _, w := range words {
		w = strings.ToLower(w)
		if !contains(x.synonyms[w], name) {
			x.synonyms[w] = append(x.synonyms[w], name)
			x.defined += definedBytes + len(w) + len(name)
		}
	}
}

// setSynonyms gives an index its synonyms, if it has none: the groups of words.
func (x *Index) setSynonyms(of map[string][]string) {
	x.synonyms = of
	for w, groups := range of {
		for _, g := range groups {
			x.defined += definedBytes + len(w) + len(g)
		}
	}
}

// SynonymGroups calls yield for each word that has synonyms, with its groups.
func (x *Index) SynonymGroups(yield func(word string, groups []string) bool) {
	for w, groups := range x.synonyms {
		names := make([]string, len(groups))
		for i, g := range groups {
			names[i] = g[1:]
		}
		if !yield(w, names) {
			return
		}
	}
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if s == t {
			return true
		}
	}
	return false
}

// Hides reports whether a field of documents is not shown with the others: it says something about
// the document.
func (d *Definition) Hides(name string) bool {
	return name != "" && (name == d.ScoreField || name == d.PayloadField || name == d.LanguageField)
}
