package index

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
	"github.com/miniserver-go/miniserver/resp"
)

// draft is a document that is being added: what its fields say, and its words. It is empty between
// two documents, but keeps its memory.
type draft struct {
	contents []content      // of the fields
	words    []wordOfDraft  // in the order in which they came first
	places   map[string]int // of words
	position int            // of the last word so far
	standing standing       // of the document
}

// wordOfDraft is a word of the document, as its posting will have it.
type wordOfDraft struct {
	text string
	posting
	last int // position
}

// What a draft keeps at most: room for so many words, and bytes of positions for each.
const (
	mostWordsKept     = 1 << 12
	mostPositionsKept = 32
)

// read reads all fields. An error is counted for the field that is returned, if there is one:
// RediSearch does not count it where a value of JSON has the wrong type.
func (d *draft) read(x *Index, s source) (*Field, error) {
	d.contents = d.contents[:0]
	for _, f := range x.Fields {
		c, err := s.read(f)
		if err != nil && x.JSON {
			return nil, err
		}
		if err == nil && !f.Unindexed {
			err = f.convert(&c)
		}
		if err != nil {
			return f, err
		}
		d.contents = append(d.contents, c)
	}
	return nil, nil
}

// convert checks what a field says, and computes what is indexed of it.
func (f *Field) convert(c *content) error {
	switch f.Kind {
	case Geo:
		for _, t := range c.texts {
			score, err := place(t)
			if err != nil {
				return err
			}
			c.numbers = append(c.numbers, score)
		}
	case Vector:
		for _, b := range c.blobs {
			if len(b) != f.Space.Bytes() {
				return command.Errorf("Could not add vector with blob size %d (expected size %d)", len(b),
					f.Space.Bytes())
			}
		}
	}
	return nil
}

// describe sets what the index knows of a document beside its lists.
func (d *draft) describe(x *Index, doc *document, s source) {
	d.standing = standing{score: float32(x.Score)}
	if x.ScoreField != "" {
		if t, ok := s.text(x.ScoreField); ok {
			if score, ok := resp.ParseFloat([]byte(t)); ok && score == score {
				d.standing.score = float32(score)
			}
		}
	}
	if x.PayloadField != "" {
		doc.payload, doc.paid = s.text(x.PayloadField)
	}
	for i, f := range x.Fields {
		if f.Sortable {
			f.lists.sorted.add(doc.id, x.share(f, f.sortValue(&d.contents[i])))
		}
	}
}

// share returns a value of a field with the text that the dictionary has, if it is a word or a tag
// of other documents: so it takes no memory, and who looks at many finds it at one place.
func (x *Index) share(f *Field, v Value) Value {
	d := &x.words
	if f.Kind == Tag {
		d = &f.lists.tags
	}
	if w := d.find(v.Text); w != nil && v.Kind == IsText {
		return Value{Kind: isShared, Text: w.text}
	}
	return v
}

// sortValue returns the value by which documents are sorted.
func (f *Field) sortValue(c *content) Value {
	switch {
	case f.Kind == Numeric && len(c.numbers) > 0:
		return NumberValue(c.numbers[0])
	case f.Kind == Vector || len(c.texts) == 0:
		return Value{}
	case f.Unnormalized:
		return TextValue(c.texts[0])
	}
	return TextValue(fold(c.texts[0]))
}

// fold returns a text as those are sorted that are not sorted as they are.
func fold(s string) string { return strings.ToLower(s) }

// list enters the document into all lists.
func (d *draft) list(x *Index, doc *document) {
	language := x.Language
	if x.LanguageField != "" {
		language = d.language(x, language)
	}
	d.position = 0
	for i, f := range x.Fields {
		c := &d.contents[i]
		if c.missing && f.IndexMissing {
			f.lists.missing.add(&posting{id: doc.id})
		}
		switch {
		case c.missing || f.Unindexed:
		case f.Kind == Text:
			d.tokens(x, f, c, language, doc)
		default:
			if f.Kind == Vector {
				d.standing.most++ // as in RediSearch, for which a vector is as frequent a word as another
			}
			x.shape(f, c, doc)
			f.lists.add(f, c, doc.id)
			x.entries += len(c.texts) + len(c.numbers) + len(c.blobs)
		}
	}
	d.flush(x)
}

// language returns that of the document's field for it.
func (d *draft) language(x *Index, otherwise text.Language) text.Language {
	for i, f := range x.Fields {
		if f.Path == x.LanguageField && len(d.contents[i].texts) > 0 {
			if l, ok := text.FindLanguage(d.contents[i].texts[0]); ok {
				return l
			}
		}
	}
	return otherwise
}

// valueGap is how many words lie between two values of a field.
const valueGap = 99

// tokens notes the words of a text field.
func (d *draft) tokens(x *Index, f *Field, c *content, language text.Language, doc *document) {
	t := text.Tokenizer{Language: language, StopWords: x.Stops, Stems: !f.NoStem, Sounds: f.Phonetic != ""}
	for i, value := range c.texts {
		if i > 0 {
			d.position += valueGap
		}
		base := d.position
		t.Tokens(value, func(k text.Token) bool {
			k.Position += base
			d.position = k.Position
			if k.Text != "" || f.IndexEmpty { // an empty text is a word, too
				d.token(x, f, k, doc)
			}
			return true
		})
	}
}

// stemWeight is what the frequency of a stem is multiplied by.
const stemWeight = 0.2

// token notes a word with its stem, its sound and its synonyms.
func (d *draft) token(x *Index, f *Field, k text.Token, doc *document) {
	weight := max(1, uint32(max(0, f.Weight)))
	d.note(x, f, k.Text, weight, k.Position, doc)
	d.standing.length += weight
	if k.Stem != "" {
		d.note(x, f, k.Stem, max(1, uint32(max(0, f.Weight*stemWeight))), k.Position, doc)
	}
	for _, group := range x.synonyms[k.Text] {
		d.note(x, f, group, weight, k.Position, doc)
	}
	if k.Sound != "" {
		d.note(x, f, k.Sound, weight, k.Position, doc)
	}
}

// note notes that a word is at a position.
func (d *draft) note(x *Index, f *Field, word string, weight uint32, position int, doc *document) {
	at, known := d.places[word]
	if !known {
		at = d.add(word, doc.id)
	}
	w := &d.words[at]
	w.frequency += weight
	d.standing.most = max(d.standing.most, w.frequency)
	w.fields = w.fields.Or(query.Only(f.number))
	if !x.NoOffsets {
		w.positions = binary.AppendUvarint(w.positions, uint64(position-w.last))
		w.last = position
	}
}

// add adds a word, and returns its place.
func (d *draft) add(text string, id ID) int {
	if d.places == nil {
		d.places = make(map[string]int)
	}
	at := len(d.words)
	d.words = slices.Grow(d.words, 1)[:at+1]
	w := &d.words[at]
	*w = wordOfDraft{text: text, posting: posting{id: id, positions: w.positions[:0]}}
	d.places[text] = at
	return at
}

// flush enters the words into the index.
func (d *draft) flush(x *Index) {
	for i := range d.words {
		w := &d.words[i]
		if x.NoFrequencies {
			w.frequency = 1
		}
		x.words.enter(w.text, &w.posting)
		if w.text = ""; cap(w.positions) > mostPositionsKept {
			w.positions = nil
		}
	}
	x.entries += len(d.words)
	if clear(d.places); len(d.words) > mostWordsKept {
		d.words, d.places = nil, nil
	}
	d.words = d.words[:0]
}

// lists are those of one field.
type lists struct {
	tags    dictionary
	numbers numbers // and places
	vectors vectors
	shapes  shapes
	missing postings // documents without the field
	sorted  column   // of a sortable field
}

func (l *lists) init(f *Field) {
	l.tags.bare, l.missing.bare = true, true
	l.vectors.init(f.Space)
}

// shape enters the shapes of a document. One that is none is counted, but the document stays.
func (x *Index) shape(f *Field, c *content, doc *document) {
	if f.Kind != Shape {
		return
	}
	for _, t := range c.texts {
		s, err := parseShape(t)
		if err != nil {
			err = command.Errorf("Error indexing geoshape: %s", err)
			x.Errors.add(doc.key, err)
			f.Errors.add(doc.key, err)
			continue
		}
		f.lists.shapes.add(s, doc.id)
		x.entries++
	}
}

// add enters what a document says.
func (l *lists) add(f *Field, c *content, id ID) {
	for _, t := range c.texts {
		if f.Kind == Tag {
			f.tags(t, func(tag string) { l.tags.enter(tag, &posting{id: id}) })
		}
	}
	for _, n := range c.numbers {
		l.numbers.add(n, id)
	}
	for _, b := range c.blobs {
		l.vectors.add(b, id)
	}
}

// clean removes what the lists say of documents that are gone. It returns how many entries are
// left.
func (l *lists) clean(s *sweep) int {
	left := l.tags.clean(s)
	l.numbers.clean(s)
	l.vectors.clean(s)
	l.shapes.clean(s)
	l.missing.clean(s, func(*posting) {})
	l.sorted.clean(s)
	return left + l.numbers.count + len(l.vectors.ids) + len(l.shapes.ids) + int(l.missing.count)
}

func geoPoint(lon, lat float64) geohash.Point { return geohash.Point{Lon: lon, Lat: lat} }
