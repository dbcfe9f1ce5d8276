package search

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/resp"
)

// pipeline makes the pipeline of an aggregation. It is nil after an error.
func (a *aggregation) pipeline(e *entry) *aggregate.Pipeline {
	if a.Failed() {
		return nil
	}
	root := a.parse(e)
	if a.Failed() {
		return nil
	}
	s := a.search(e, root)
	s.Unordered, s.Scores = true, a.withScores || a.plan.Score
	w, err := e.Walk(s)
	if err != nil {
		a.Refuse(command.Error(err.Error()))
		return nil
	}
	sch := &schema{aggregation: a, entry: e, found: distances(root)}
	a.plan.Room, a.plan.Dice = a.World.Room(), a.Dice()
	d := &document{Document: &w.Document, schema: sch, walk: w}
	p, err := aggregate.New(&a.plan, sch, func() (aggregate.Document, bool) {
		d.number++
		d.opened = false
		return d, w.Next()
	})
	if err != nil {
		a.Refuse(command.Error(err.Error()))
	}
	return p
}

// schema is the schema of an index, for a pipeline.
type schema struct {
	*aggregation
	entry *entry
	found []string
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
func (s *schema) Reload() bool { return s.entry.JSON && s.query.Dialect < multiDialect }

// multiDialect is the dialect since which a path of JSON stands for all that it finds.
const multiDialect = 3

// Hides implements aggregate.Schema.
func (s *schema) Hides(name string) bool { return s.entry.Hides(name) }

// Found implements aggregate.Schema.
func (s *schema) Found() []string { return s.found }

// document is a document of a query, for a pipeline.
type document struct {
	*index.Document
	schema *schema
	walk   *index.Walk
	number uint64 // in the order of the walk
	stored index.Stored
	opened bool
}

// Number implements aggregate.Document.
func (d *document) Number() uint64 { return d.number }

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

// Keep implements aggregate.Document.
func (d *document) Keep() aggregate.Document {
	kept, of := *d, *d.Document
	kept.Document = &of
	return &kept
}

// Sorted implements aggregate.Document.
func (d *document) Sorted(field any) (expr.Value, bool) {
	switch v := d.Document.Sorted(field.(*index.Field)); v.Kind {
	case index.IsNumber:
		return expr.Number(v.Number), true
	case index.IsText:
		return expr.Text(v.Text), true
	}
	return expr.Value{}, false
}

// open opens the document where it lies.
func (d *document) open() index.Stored {
	if !d.opened {
		d.opened = true
		if v, ok := d.schema.World.Keyspace.DB(0).Peek([]byte(d.Key())); ok {
			d.stored, _ = d.schema.entry.Open(v)
		}
	}
	return d.stored
}

// Stored implements aggregate.Document.
func (d *document) Stored(path string, numeric bool) (expr.Value, bool) {
	s := d.open()
	v := s.Value(path, false)
	switch {
	case v.Kind == index.NoValue && path == "__key":
		return expr.Stored(d.Key()), true
	case v.Kind == index.NoValue:
		return expr.Value{}, false
	case v.Kind == index.IsText && numeric && !d.schema.entry.JSON:
		if f, ok := resp.ParseFloat([]byte(v.Text)); ok {
			return expr.Number(f), true
		}
	}
	one := d.valueOf(v)
	if d.schema.entry.JSON && d.schema.query.Dialect >= multiDialect {
		one = one.As(s.Value(path, true).Text)
	}
	return one, true
}

// valueOf returns a value of a document.
func (d *document) valueOf(v index.Value) expr.Value {
	switch {
	case v.Kind == index.IsNumber:
		return expr.Number(v.Number)
	case d.schema.entry.JSON && !strings.HasPrefix(v.Text, "{") && !strings.HasPrefix(v.Text, "["):
		return expr.Text(v.Text)
	}
	return expr.Stored(v.Text)
}

// Fields implements aggregate.Document.
func (d *document) Fields(yield func(name string, v expr.Value)) {
	d.open().Each(d.schema.query.Dialect >= multiDialect, func(name string, v index.Value) {
		yield(name, d.valueOf(v))
	})
}

// Found implements aggregate.Document.
func (d *document) Found(yield func(name string, v expr.Value)) {
	for _, distance := range d.Distances {
		yield(distance.Name, expr.Number(distance.Value))
	}
}

// stream replies with the rows of a pipeline as they are made. An error ends them; if there is no
// row yet, it is the reply.
func (a *aggregation) stream(p *aggregate.Pipeline) {
	row, more, err := p.Next()
	if err != nil {
		a.Fail(command.Error(err.Error()))
		return
	}
	rows := a.begin(p.Total)
	for cells := []aggregate.Cell(nil); more && !a.Reply.Full(); row, more, err = p.Next() {
		cells = row.Cells(cells[:0])
		key, sorted := row.SortKey()
		rows.add(&aggregate.Result{Cells: cells, Score: row.Score(), SortKey: key, Sorted: sorted})
	}
	rows.end(err)
}

// rows replies with rows.
type rows struct {
	*aggregation
	at, n int
}

// begin begins a reply of rows.
func (a *aggregation) begin(total int) *rows {
	w := a.Reply
	if w.Proto() < 3 {
		r := &rows{a, w.Defer(), 1}
		w.Int(int64(total))
		return r
	}
	w.Map(5)
	w.Status("attributes")
	w.Array(0)
	w.Status("total_results")
	w.Int(int64(total))
	w.Status("format")
	if a.expanded {
		w.Status("EXPAND")
	} else {
		w.Status("STRING")
	}
	w.Status("results")
	return &rows{a, w.Defer(), 0}
}

// end ends it, with the error that ended the rows.
func (r *rows) end(err error) {
	w := r.Reply
	w.SetArray(r.at, r.n)
	if w.Proto() < 3 {
		return
	}
	w.Status("warning")
	if err == nil {
		w.Array(0)
		return
	}
	w.Array(1)
	w.Status(err.Error())
}

// add adds a row.
func (r *rows) add(one *aggregate.Result) {
	if r.Reply.Proto() >= 3 {
		r.addMap(one)
		return
	}
	if r.withScores {
		r.n++
		r.Reply.Double(one.Score)
	}
	if r.withPayloads {
		r.n++
		r.Reply.Null()
	}
	if r.withSortKeys {
		r.n++
		r.replySortKey(one)
	}
	if !r.noContent {
		r.n++
		r.Reply.Array(2 * len(one.Cells))
		r.replyCells(one.Cells)
	}
}

// addMap adds a row as RESP3 has it.
func (r *rows) addMap(one *aggregate.Result) {
	w := r.Reply
	r.n++
	at, n := w.Defer(), 1
	for _, part := range []struct {
		name   string
		wanted bool
		reply  func()
	}{{"score", r.withScores, func() { w.Double(one.Score) }}, {"payload", r.withPayloads, w.Null},
		{"sortkey", r.withSortKeys, func() { r.replySortKey(one) }},
		{"extra_attributes", !r.noContent, func() {
			w.Map(len(one.Cells))
			r.replyCells(one.Cells)
		}}} {
		if part.wanted {
			n++
			w.Status(part.name)
			part.reply()
		}
	}
	w.Status("values")
	w.Array(0)
	w.SetMap(at, n)
}

func (r *rows) replyCells(cells []aggregate.Cell) {
	for i := range cells {
		r.Reply.BulkString(cells[i].Name)
		r.replyValue(cells[i].Value)
	}
}

func (r *rows) replyValue(v expr.Value) {
	switch v.Kind() {
	case expr.NullKind:
		r.Reply.Null()
	case expr.ListKind:
		r.Reply.Array(len(v.Elements()))
		for _, e := range v.Elements() {
			r.replyValue(e)
		}
	default:
		r.Reply.BulkString(v.Shown())
	}
}

// replySortKey replies with the value by which a row was sorted, behind a letter for its kind.
func (r *rows) replySortKey(one *aggregate.Result) {
	switch f, _ := one.SortKey.Number(); {
	case one.Sorted && one.SortKey.Kind() == expr.NumberKind:
		r.Reply.BulkString("#" + string(resp.Format17(nil, f)))
	case one.Sorted && one.SortKey.Kind() == expr.TextKind:
		r.Reply.BulkString("$" + one.SortKey.String())
	default:
		r.Reply.Null()
	}
}
