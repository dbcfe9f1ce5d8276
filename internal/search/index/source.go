package index

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// source is a document as it lies at its key.
type source interface {
	// read returns what a field says; missing if the document does not have it.
	read(f *Field) (content, error)
	// text returns a field that is no field of the index, by its path; ok is false if it is not
	// there.
	text(path string) (value string, ok bool)
	// due returns when the next element expires, in milliseconds; 0 for never.
	due() int64
}

// content is what a field of a document says: what its kind needs.
type content struct {
	missing bool
	texts   []string
	numbers []float64
	blobs   [][]byte // vectors, as their numbers lie in memory
}

// open returns a value as a document; ok is false if it is none, or the filter does not select it.
func (x *Index) open(v keyspace.Value) (s source, ok bool) {
	switch v := v.(type) {
	case *hash.Hash:
		s, ok = hashSource{v}, !x.JSON
	case *json.Doc:
		s, ok = jsonSource{v}, x.JSON
	}
	return s, ok && (x.Filter == nil || x.Filter.Selects(func(name string) (string, bool) {
		if f := x.Field(name); f != nil {
			name = f.Path
		}
		return s.text(name)
	}))
}

// hashSource is a hash.
type hashSource struct{ *hash.Hash }

func (s hashSource) due() int64 { return s.NextDeadline() }

func (s hashSource) text(path string) (value string, ok bool) {
	b, ok := s.Get([]byte(path), nil)
	return string(b), ok
}

func (s hashSource) read(f *Field) (c content, err error) {
	value, ok := s.text(f.Path)
	if !ok {
		return content{missing: true}, nil
	}
	switch f.Kind {
	case Numeric:
		c.numbers, err = numberOf(value)
	case Vector:
		c.blobs = [][]byte{[]byte(value)}
	default:
		c.texts = []string{value}
	}
	return c, err
}

func numberOf(text string) ([]float64, error) {
	n, ok := resp.ParseFloat([]byte(text))
	if !ok || n != n {
		return nil, command.Errorf("Invalid numeric value: '%s'", text)
	}
	return []float64{n}, nil
}

// jsonSource is a JSON document.
type jsonSource struct{ *json.Doc }

func (jsonSource) due() int64 { return 0 }

// text returns the first value that a path finds: a string without quotes.
func (s jsonSource) text(text string) (value string, ok bool) {
	p, err := path.Parse([]byte(text))
	if err != nil {
		return "", false
	}
	var f path.Finder
	v, ok := f.First(p, s.Root())
	if !ok || v.Kind() == json.Null {
		return "", false
	}
	return jsonText(v), true
}

func jsonText(v json.Value) string {
	if v.Kind() == json.String {
		return string(v.Text())
	}
	return string(json.AppendText(nil, v))
}

func (s jsonSource) read(f *Field) (content, error) {
	var found []json.Value
	var finder path.Finder
	for finder.Find(f.json, s.Root()); finder.Next(); {
		found = append(found, finder.Value())
	}
	switch {
	case len(found) == 0, len(found) == 1 && found[0].Kind() == json.Null:
		return content{missing: true}, nil
	case len(found) == 1 && found[0].Kind() != json.Array:
		return jsonScalar(f, found[0])
	case len(found) == 1:
		return jsonArray(f, found[0])
	}
	return jsonValues(f, found)
}

// errJSON says that a value is of the wrong type.
func errJSON(what, of string) error {
	return command.Errorf("Invalid JSON type: %s type can represent only %s field", what, of)
}

// jsonScalar returns the content of a single value.
func jsonScalar(f *Field, v json.Value) (c content, err error) {
	switch v.Kind() {
	case json.String:
		if f.Kind == Numeric || f.Kind == Vector {
			return c, errJSON("String", "TEXT, TAG, GEO or GEOSHAPE")
		}
		c.texts = []string{string(v.Text())}
	case json.Integer, json.Number:
		if f.Kind != Numeric {
			return c, errJSON("Numeric", "NUMERIC")
		}
		c.numbers = []float64{v.Float()}
	case json.Boolean:
		if f.Kind != Tag {
			return c, errJSON("Boolean", "TAG")
		}
		c.texts = []string{strconv.FormatBool(v.Bool())}
	default:
		return c, command.Errorf("Invalid JSON type: Object type is not supported")
	}
	return c, nil
}

// jsonArray returns the content of an array that stands for several values, or for a vector.
func jsonArray(f *Field, v json.Value) (c content, err error) {
	var list []json.Value
	for m := v.Children(); m.Next(); {
		list = append(list, m.Value())
	}
	if f.Kind != Vector {
		return jsonValues(f, list)
	}
	blob, err := f.Space.blob(list)
	if err != nil {
		return c, err
	}
	return content{blobs: [][]byte{blob}}, nil
}

// jsonValues returns the content of several values.
func jsonValues(f *Field, list []json.Value) (c content, err error) {
	for _, v := range list {
		switch kind := v.Kind(); {
		case kind == json.Null && f.Kind != Vector:
		case f.Kind == Numeric && (kind == json.Integer || kind == json.Number):
			c.numbers = append(c.numbers, v.Float())
		case f.Kind == Numeric:
			return c, command.Error("NUMERIC fields can only contain numbers or nulls")
		case f.Kind == Vector && kind == json.Array:
			one, err := jsonArray(f, v)
			if err != nil {
				return c, err
			}
			c.blobs = append(c.blobs, one.blobs...)
		case f.Kind == Vector:
			return c, command.Errorf("Invalid vector length. Expected %d, got %d", f.Space.Dimensions, len(list))
		case kind != json.String:
			return c, fmt.Errorf("%s fields can only contain strings or nulls", onlyTexts(f.Kind))
		default:
			c.texts = append(c.texts, string(v.Text()))
		}
	}
	c.missing = c.texts == nil && c.numbers == nil && c.blobs == nil
	return c, nil
}

func onlyTexts(k Kind) string {
	if k == Geo || k == Shape {
		return k.String()
	}
	return "TEXT/TAG"
}

// tags returns the tags of a text.
func (f *Field) tags(text string, yield func(tag string)) {
	if text == "" {
		if f.IndexEmpty {
			yield("")
		}
		return
	}
	for text != "" {
		tag := text
		if i := strings.IndexByte(text, f.Separator); f.Separator != 0 && i >= 0 {
			tag, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		if tag = strings.Trim(tag, " \t\n\v\f\r"); tag != "" {
			yield(f.foldTag(tag))
		}
	}
}

// foldTag returns a tag as it is indexed.
func (f *Field) foldTag(tag string) string {
	if f.CaseSensitive {
		return tag
	}
	return lower(tag)
}

// lower returns a text in lower case: only letters of ASCII change.
func lower(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// place returns the geohash of a text with longitude and latitude.
func place(text string) (float64, error) {
	at := strings.IndexAny(text, ", ")
	if at < 0 {
		return 0, command.Errorf("Invalid geo string")
	}
	lon, ok := resp.ParseFloat([]byte(text[:at]))
	lat, ok2 := resp.ParseFloat(bytes.TrimSpace([]byte(text[at+1:])))
	if !ok || !ok2 {
		return 0, command.Errorf("Invalid geo string")
	}
	p := geoPoint(lon, lat)
	if !p.Valid() {
		return 0, command.Errorf("Invalid geo coordinates: %f, %f", lon, lat)
	}
	return p.Score(), nil
}
