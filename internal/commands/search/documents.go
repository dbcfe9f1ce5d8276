package search

import (
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/resp"
)

// schema is the schema of an index, for a pipeline.
type schema struct {
	*aggregation
	entry *entry
	found []string
	paths index.Paths
}

// Field implements aggregate.Schema.
func (s *schema) Field(name string) (aggregate.Field, bool) {
	f := s.entry.Field(name)
	if f == nil {
		return aggregate.Field{}, false
	}
	return aggregate.Field{Handle: f, Path: f.Path, Sortable: f.Sortable, Unnormalized: f.Unnormalized,
		Numeric: f.Kind == index.Numeric}, true
}

// JSON implements aggregate.Schema.
func (s *schema) JSON() bool { return s.entry.JSON }

// Reload implements aggregate.Schema: only since dialect 3 the index keeps what a path finds.
func (s *schema) Reload() bool { return s.entry.JSON && !s.many() }

// many reports whether a path of JSON stands for all that it finds, as since dialect 3.
func (s *schema) many() bool { return s.entry.JSON && (s.query.Dialect >= 3 || s.expanded) }

// Hides implements aggregate.Schema.
func (s *schema) Hides(name string) bool { return s.entry.Hides(name) }

// Found implements aggregate.Schema.
func (s *schema) Found() []string { return s.found }

// document is a document of a query, for a pipeline.
type document struct {
	*index.Document
	schema *schema
	walk   *index.Walk
	stored index.Stored
	opened bool
}

// Score implements aggregate.Document.
func (d *document) Score() float64 { return d.Document.Score }

// Terms implements aggregate.Document. As in RediSearch they are known only while the walk is at
// the document.
func (d *document) Terms() []string {
	if d.walk.Key() != d.Key() {
		return nil
	}
	return d.walk.Terms()
}

// keptDocument is a document that stays as it is when the walk goes on.
type keptDocument struct {
	document
	of index.Document
}

// Keep implements aggregate.Document.
func (d *document) Keep(old aggregate.Document) aggregate.Document {
	kept, ok := old.(*keptDocument)
	if !ok {
		kept = new(keptDocument)
	}
	kept.document, kept.of = *d, *d.Document
	kept.Document, kept.opened = &kept.of, false
	return kept
}

// Sorted implements aggregate.Document.
func (d *document) Sorted(field any, v *expr.Value) bool {
	f := field.(*index.Field)
	switch kept := d.Document.Sorted(f); kept.Kind {
	case index.NoValue:
		return false
	case index.IsNumber:
		*v = expr.Number(kept.Number)
	case index.IsText:
		*v = expr.Text(kept.Text)
	}
	if d.schema.many() {
		list := d.schema.paths.Find(d.open(), f.Path)
		if len(list) > 1 || len(list) == 1 && list[0].Kind() == json.Array {
			*v = v.First(textOf(list))
		}
	}
	return true
}

// open opens the document where it lies.
func (d *document) open() index.Stored {
	if !d.opened {
		d.opened, d.stored = true, index.Stored{}
		if v, ok := d.schema.World.Keyspace.DB(0).Peek([]byte(d.Key())); ok {
			d.stored, _ = d.schema.entry.Open(v)
		}
	}
	return d.stored
}

// Stored implements aggregate.Document.
func (d *document) Stored(path string, numeric bool) (expr.Value, bool) {
	if d.schema.entry.JSON {
		if v, ok := d.found(d.schema.paths.Find(d.open(), path)); ok {
			return v, true
		}
	} else if v := d.open().Value(path, false); v.Kind == index.IsText {
		if f, ok := resp.ParseFloat([]byte(v.Text)); numeric && ok {
			return expr.Number(f), true
		}
		return expr.Stored(v.Text), true
	}
	if path == "__key" {
		return expr.Stored(d.Key()), true
	}
	return expr.Value{}, false
}

// found returns the value of what a path of JSON finds: the first, and since dialect 3 that of an
// array, with all others behind it.
func (d *document) found(list []json.Value) (expr.Value, bool) {
	if len(list) == 0 {
		return expr.Value{}, false
	}
	first := list[0]
	if !d.schema.many() {
		return jsonValue(first), true
	}
	if first.Kind() == json.Array {
		c := first.Children()
		if !c.Next() {
			return expr.Value{}, false
		}
		first = c.Value()
	}
	return jsonValue(first).First(textOf(list)), true
}

// textOf returns the text of an array of values.
func textOf(list []json.Value) string {
	text := []byte{'['}
	for i, v := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = json.AppendText(text, v)
	}
	return string(append(text, ']'))
}

// jsonValue returns a value of JSON as expressions know it.
func jsonValue(v json.Value) expr.Value {
	switch v.Kind() {
	case json.Null:
		return expr.Value{}
	case json.Boolean:
		return expr.Bool(v.Bool())
	case json.Integer, json.Number:
		return expr.Number(v.Float())
	case json.String:
		return expr.Text(string(v.Text()))
	}
	return expr.Stored(string(json.AppendText(nil, v)))
}

// Fields implements aggregate.Document.
func (d *document) Fields(yield func(name string, v expr.Value)) {
	if d.schema.entry.JSON {
		if v, ok := d.found(d.schema.paths.Find(d.open(), "$")); ok {
			yield("$", v)
		}
		return
	}
	d.open().Each(false, func(name string, v index.Value) { yield(name, expr.Stored(v.Text)) })
}

// Found implements aggregate.Document.
func (d *document) Found(yield func(name string, v expr.Value)) {
	for _, distance := range d.Distances {
		yield(distance.Name, expr.Number(distance.Value))
	}
}
