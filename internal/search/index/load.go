package index

import (
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Stored is a document as it lies at its key, for those who show it.
type Stored struct {
	hash *hash.Hash
	json *json.Doc
}

// Open returns a value as a document; ok is false if it is none of the index's type.
func (d *Definition) Open(v keyspace.Value) (s Stored, ok bool) {
	switch v := v.(type) {
	case *hash.Hash:
		s.hash, ok = v, !d.JSON
	case *json.Doc:
		s.json, ok = v, d.JSON
	}
	return s, ok
}

// Value returns what lies at a path: the value of a field of a hash, or the first value that a path
// of JSON finds; if all is set, an array of all of them. It is the zero Value if there is nothing.
func (s Stored) Value(at string, all bool) Value {
	if s.hash != nil {
		if b, ok := s.hash.Get([]byte(at), nil); ok {
			return TextValue(string(b))
		}
		return Value{}
	}
	if !strings.HasPrefix(at, "$") {
		return Value{}
	}
	p, err := path.Parse([]byte(at))
	if err != nil {
		return Value{}
	}
	if all {
		return s.values(p)
	}
	var f path.Finder
	v, ok := f.First(p, s.json.Root())
	switch {
	case !ok, v.Kind() == json.Null:
		return Value{}
	case v.Kind() == json.Integer || v.Kind() == json.Number:
		return NumberValue(v.Float())
	}
	return TextValue(jsonText(v))
}

// values returns an array of what a path finds.
func (s Stored) values(p *path.Path) Value {
	text := []byte{'['}
	var f path.Finder
	for f.Find(p, s.json.Root()); f.Next(); {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = json.AppendText(text, f.Value())
	}
	if len(text) == 1 {
		return Value{}
	}
	return TextValue(string(append(text, ']')))
}

// Paths finds values of JSON in many documents. Each path is parsed once.
type Paths struct {
	parsed map[string]*path.Path // by their texts; nil for a text that is no path
	finder path.Finder
	found  []json.Value
}

// Find returns all values that a path finds in a document. They are valid until it is called again.
func (ps *Paths) Find(s Stored, at string) []json.Value {
	ps.found = ps.found[:0]
	if p := ps.path(at); p != nil && s.json != nil {
		for ps.finder.Find(p, s.json.Root()); ps.finder.Next(); {
			ps.found = append(ps.found, ps.finder.Value())
		}
	}
	return ps.found
}

// path returns a path that is parsed; nil if it is none.
func (ps *Paths) path(at string) *path.Path {
	p, known := ps.parsed[at]
	if known {
		return p
	}
	if strings.HasPrefix(at, "$") {
		if parsed, err := path.Parse([]byte(at)); err == nil {
			p = parsed
		}
	}
	if ps.parsed == nil {
		ps.parsed = make(map[string]*path.Path)
	}
	ps.parsed[at] = p
	return p
}

// Each calls yield for the fields of a hash, or with $ for a JSON document, as Value has it.
func (s Stored) Each(all bool, yield func(name string, v Value)) {
	if s.json != nil {
		yield("$", s.Value("$", all))
		return
	}
	s.hash.Each(func(field, value ziplist.Entry) bool {
		yield(string(field.Append(nil)), TextValue(string(value.Append(nil))))
		return true
	})
}
