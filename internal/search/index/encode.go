package index

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// Definitions are saved as RediSearch 2.10 does it: what a field, the documents and an index are,
// each as a sequence of numbers and texts. Names end with a zero byte.

// Type and Version are the module type of definitions in snapshots.
const (
	Type    = "ft_index0"
	Version = 23
	oldest  = 21 // that is read
)

// The flags of an index.
const (
	storesPositions = 1 << iota
	storesFields
	_
	hasStops
	storesFrequencies
	_
	storesPlaces
	wideSchema
	hasSynonyms
	isTemporary
	hasSounds
	_
	skipsScan
	_
	hasNames
	hasVectors
	hasSuffixes
	hasUnordered
	hasShapes
	hasNonEmpty
)

// The flags of a field.
const (
	fieldSortable = 1 << iota
	fieldNoStem
	fieldUnindexed
	fieldPhonetic
	_
	fieldUnnormalized
	fieldSuffixes
	fieldUnordered
	fieldEmpty
	fieldMissing
)

// kindBits is the kinds of fields, in the order of Kind.
var kindBits = [...]uint64{Text: 1, Numeric: 2, Geo: 4, Tag: 8, Vector: 16, Shape: 32}

// flag returns a flag if it is set.
func flag(on bool, bit uint64) uint64 {
	if on {
		return bit
	}
	return 0
}

// encoder writes parts.
type encoder struct{ value.Parts }

// name writes a text with a zero byte behind it.
func (e *encoder) name(s string) { e.String(append([]byte(s), 0)) }

// optional writes a name, or that there is none.
func (e *encoder) optional(s string) {
	if s == "" {
		e.Uint(0)
		return
	}
	e.Uint(1)
	e.name(s)
}

// Encode appends the definition of an index with its synonyms and aliases.
func (x *Index) Encode(to value.Parts, aliases []string) value.Parts {
	e := &encoder{to}
	e.name(x.Name)
	e.Uint(x.flags())
	e.Uint(uint64(len(x.Fields)))
	for _, f := range x.Fields {
		e.field(f)
	}
	e.rule(&x.Definition)
	if x.HasStops {
		words := x.Stops.Words()
		e.Uint(uint64(len(words)))
		for _, w := range words {
			e.String([]byte(w))
		}
	}
	if len(x.synonyms) > 0 {
		e.synonyms(x)
	}
	e.Uint(uint64(x.timeout()))
	e.Uint(uint64(len(aliases)))
	for _, a := range aliases {
		e.name(a)
	}
	return e.Parts
}

// timeout returns how long the index lives unused, in milliseconds; -1000 for ever.
func (d *Definition) timeout() int64 {
	if d.Temporary > 0 {
		return d.Temporary
	}
	return -1000
}

func (x *Index) flags() uint64 {
	flags := uint64(0)
	for _, f := range x.Fields {
		flags |= flag(f.Phonetic != "", hasSounds) | flag(f.Path != f.Name, hasNames) |
			flag(f.Kind == Vector, hasVectors) | flag(f.Suffixes && f.Kind == Text, hasSuffixes) |
			flag(x.unordered(f), hasUnordered) | flag(f.Kind == Shape, hasShapes) |
			flag((f.Kind == Text || f.Kind == Tag) && !f.IndexEmpty, hasNonEmpty)
	}
	return flags | flag(!x.NoOffsets, storesPositions) | flag(!x.NoFields, storesFields) |
		flag(!x.NoFrequencies, storesFrequencies) | flag(!x.NoHighlight, storesPlaces) |
		flag(x.ManyTexts, wideSchema) | flag(x.HasStops, hasStops) | flag(len(x.synonyms) > 0, hasSynonyms) |
		flag(x.Temporary > 0, isTemporary) | flag(x.NoScan, skipsScan)
}

func (x *Index) unordered(f *Field) bool { return x.JSON && f.json != nil && !f.json.Static() }

// field writes a field.
func (e *encoder) field(f *Field) {
	e.name(f.Name)
	if f.Path == f.Name {
		e.Uint(0)
	} else {
		e.optional(f.Path)
	}
	e.Uint(kindBits[f.Kind])
	e.Uint(flag(f.Sortable, fieldSortable) | flag(f.NoStem, fieldNoStem) | flag(f.Unindexed, fieldUnindexed) |
		flag(f.Phonetic != "", fieldPhonetic) | flag(f.Unnormalized, fieldUnnormalized) |
		flag(f.Suffixes, fieldSuffixes) | flag(f.json != nil && !f.json.Static(), fieldUnordered) |
		flag(f.IndexEmpty, fieldEmpty) | flag(f.IndexMissing, fieldMissing))
	if f.Sortable {
		e.Uint(uint64(f.sorted))
	} else {
		e.Uint(^uint64(0))
	}
	switch f.Kind {
	case Text:
		e.Uint(uint64(f.number))
		e.Float(f.Weight)
	case Tag:
		e.Uint(tagDefaults | flag(f.CaseSensitive, 1))
		e.String([]byte{f.Separator})
	case Vector:
		e.space(&f.Space)
	case Shape:
		e.Uint(flag(f.Spherical, 1))
	}
}

// tagDefaults is the flags that RediSearch has for all tag fields, without an effect.
const tagDefaults = 6

// The algorithms as they are written: HNSW lies within one that indexes in the background.
const (
	flatAlgorithm = iota
	hnswAlgorithm
	tieredAlgorithm
)

// The order of numbers and metrics as they are written.
var (
	elements = []Element{Float32, Float64, BFloat16, Float16}
	metrics  = []Metric{L2, InnerProduct, Cosine}
)

// space writes how vectors are indexed.
func (e *encoder) space(s *Space) {
	e.Uint(uint64(s.Bytes()))
	if s.Algorithm == Flat {
		e.Uint(flatAlgorithm)
	} else {
		e.Uint(tieredAlgorithm)
		e.Uint(hnswAlgorithm)
		e.Uint(0)
	}
	e.Uint(uint64(slices.Index(elements, s.Element)))
	e.Uint(uint64(s.Dimensions))
	e.Uint(uint64(slices.Index(metrics, s.Metric)))
	e.Uint(flag(s.Multi, 1))
	e.Uint(uint64(s.Capacity))
	if s.Algorithm == Flat {
		e.Uint(uint64(s.BlockSize))
		return
	}
	e.Uint(uint64(s.M))
	e.Uint(uint64(s.Construction))
	e.Uint(uint64(s.Runtime))
}

// rule writes which documents belong to an index.
func (e *encoder) rule(d *Definition) {
	if d.JSON {
		e.name("JSON")
	} else {
		e.name("HASH")
	}
	e.Uint(uint64(len(d.Prefixes)))
	for _, p := range d.Prefixes {
		e.name(p)
	}
	e.optional(d.FilterText)
	e.optional(d.LanguageField)
	e.optional(d.ScoreField)
	e.optional(d.PayloadField)
	e.Float(d.Score)
	e.Uint(uint64(slices.Index(languages, d.Language)))
}

// languages is the languages in the order of their numbers.
var languages = []text.Language{text.English, text.Arabic, text.Basque, text.Catalan, text.Chinese, text.Danish,
	text.Dutch, text.Finnish, text.French, text.German, text.Greek, text.Hindi, text.Hungarian, text.Italian,
	text.Indonesian, text.Irish, text.Lithuanian, text.Nepali, text.Norwegian, text.Portuguese, text.Romanian,
	text.Russian, text.Spanish, text.Swedish, text.Tamil, text.Turkish, text.Armenian, text.Serbian, text.Yiddish}

func (e *encoder) synonyms(x *Index) {
	words := slices.Sorted(maps.Keys(x.synonyms))
	e.Uint(uint64(len(words)))
	for _, w := range words {
		e.name(w)
		e.Uint(uint64(len(x.synonyms[w])))
		for _, group := range x.synonyms[w] {
			e.name(group[1:])
		}
	}
}

// decoder reads parts.
type decoder struct{ *value.PartsReader }

// name reads a text with a zero byte behind it.
func (d decoder) name() string {
	b, ended := strings.CutSuffix(string(d.Text()), "\x00")
	if !ended {
		d.Fail("a name without its end")
	}
	return b
}

func (d decoder) optional() string {
	if d.Uint() == 0 {
		return ""
	}
	return d.name()
}

// count reads a number of things, of which each takes a part at least.
func (d decoder) count() int {
	n := d.Uint()
	if n > uint64(len(d.Parts)) {
		d.Fail("%d things in %d parts", n, len(d.Parts))
		return 0
	}
	return int(n)
}

// Decode reads an index, without its documents, with its aliases; nil after an error of the reader.
// parse reads a filter.
func Decode(from *value.PartsReader, version int, parse func(text string) (Filter, error)) (*Index, []string) {
	d := decoder{from}
	if version < oldest || version > Version {
		d.Fail("version %d of an index is not supported", version)
	}
	def := Definition{Name: d.name(), Stops: text.DefaultStopWords}
	flags := d.Uint()
	def.NoOffsets, def.NoFields = flags&storesPositions == 0, flags&storesFields == 0
	def.NoFrequencies, def.NoHighlight = flags&storesFrequencies == 0, flags&storesPlaces == 0
	def.ManyTexts, def.NoScan = flags&wideSchema != 0, flags&skipsScan != 0
	for range d.count() {
		def.Fields = append(def.Fields, d.field(version))
	}
	d.rule(&def, parse)
	if def.HasStops = flags&hasStops != 0; def.HasStops {
		var words []string
		for range d.count() {
			words = append(words, string(d.Text()))
		}
		def.Stops = text.NewStopWords(words)
	}
	synonyms := make(map[string][]string)
	if flags&hasSynonyms != 0 {
		d.synonyms(synonyms)
	}
	if timeout := int64(d.Uint()); timeout > 0 {
		def.Temporary = min(timeout, MaxLifetime)
	}
	var aliases []string
	for range d.count() {
		aliases = append(aliases, d.name())
	}
	d.check(&def)
	if !d.OK() {
		return nil, nil
	}
	x := New(def)
	x.setSynonyms(synonyms)
	return x, aliases
}

// check refuses a definition that FT.CREATE does not make.
func (d decoder) check(def *Definition) {
	texts, names := 0, make(map[string]bool)
	for _, f := range def.Fields {
		if names[f.Name] {
			d.Fail("the field %q twice", f.Name)
		}
		names[f.Name] = true
		if f.Kind == Text {
			texts++
		}
		if def.JSON && d.OK() {
			if err := f.ParsePath(); err != nil {
				d.Fail("the path %q: %v", f.Path, err)
			}
		}
	}
	if texts > MostTexts {
		d.Fail("%d text fields", texts)
	}
}

func (d decoder) field(version int) *Field {
	f := &Field{Name: d.name(), Weight: 1}
	if f.Path = d.optional(); f.Path == "" {
		f.Path = f.Name
	}
	kind := slices.Index(kindBits[:], d.Uint())
	if kind < 0 {
		d.Fail("a field of an unknown kind")
		return f
	}
	f.Kind = Kind(kind)
	options := d.Uint()
	f.Sortable, f.NoStem = options&fieldSortable != 0, options&fieldNoStem != 0
	f.Unindexed = options&fieldUnindexed != 0
	f.Unnormalized, f.Suffixes = options&fieldUnnormalized != 0, options&fieldSuffixes != 0
	f.IndexEmpty, f.IndexMissing = options&fieldEmpty != 0, options&fieldMissing != 0
	if options&fieldPhonetic != 0 {
		f.Phonetic = "dm:en" // the only one that RediSearch has
	}
	d.Uint()
	switch f.Kind {
	case Text:
		d.Uint()
		f.Weight = d.Double()
	case Tag:
		f.CaseSensitive = d.Uint()&1 != 0
		if separator := d.Text(); len(separator) == 1 {
			f.Separator = separator[0]
		} else {
			d.Fail("a separator of %d bytes", len(separator))
		}
	case Vector:
		d.space(&f.Space)
	case Shape:
		f.Spherical = version >= 23 && d.Uint() == 1
	}
	return f
}

func (d decoder) space(s *Space) {
	d.Uint()
	switch d.Uint() {
	case flatAlgorithm:
	case tieredAlgorithm:
		s.Algorithm, s.Epsilon = HNSW, 0.01
		if d.Uint() != hnswAlgorithm {
			d.Fail("an unknown algorithm for vectors")
		}
		d.Uint()
	case hnswAlgorithm:
		s.Algorithm, s.Epsilon = HNSW, 0.01
	default:
		d.Fail("an unknown algorithm for vectors")
	}
	element, dimensions, metric := d.Uint(), d.Uint(), d.Uint()
	if element >= uint64(len(elements)) || metric >= uint64(len(metrics)) || dimensions-1 >= 1<<31 {
		d.Fail("an unknown kind of vectors")
		return
	}
	s.Element, s.Dimensions, s.Metric = elements[element], int(dimensions), metrics[metric]
	s.Multi = d.Uint() != 0
	s.Capacity = int(d.Uint())
	if s.Algorithm == Flat {
		s.BlockSize = int(d.Uint())
		return
	}
	s.M, s.Construction, s.Runtime = int(d.Uint()), int(d.Uint()), int(d.Uint())
}

func (d decoder) rule(def *Definition, parse func(text string) (Filter, error)) {
	def.JSON = d.name() == "JSON"
	for range d.count() {
		def.Prefixes = append(def.Prefixes, d.name())
	}
	if def.FilterText = d.optional(); def.FilterText != "" {
		var err error
		if def.Filter, err = parse(def.FilterText); err != nil {
			d.Fail("the filter %q: %v", def.FilterText, err)
		}
	}
	def.LanguageField, def.ScoreField, def.PayloadField = d.optional(), d.optional(), d.optional()
	def.Score = d.Double()
	language := d.Uint()
	if language >= uint64(len(languages)) {
		d.Fail("an unknown language")
		return
	}
	def.Language = languages[language]
	def.HasLanguage = def.Language != text.English
}

func (d decoder) synonyms(of map[string][]string) {
	for range d.count() {
		word := d.name()
		for range d.count() {
			of[word] = append(of[word], string(text.SynonymMark)+d.name())
		}
	}
}
