package search

import (
	"errors"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
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
	s.Unordered, s.Scores, s.Work = true, a.withScores || a.plan.Score, a.plan.Work()
	w, err := e.Walk(s)
	if err != nil {
		a.Refuse(command.Error(err.Error()))
		return nil
	}
	sch := &schema{aggregation: a, entry: e, found: distances(root)}
	a.plan.Room, a.plan.Dice = a.World.Room(), a.Dice()
	d := &document{Document: &w.Document, schema: sch, walk: w}
	p, err := aggregate.New(&a.plan, sch, func() (aggregate.Document, bool, error) {
		d.opened = false
		switch {
		case a.span.isAbandoned():
			return nil, false, aggregate.ErrLate
		case w.Next():
			return d, true, nil
		case w.Ended:
			return nil, false, aggregate.ErrLate
		}
		return nil, false, nil
	})
	if err != nil {
		a.Refuse(command.Error(err.Error()))
	}
	return p
}

// stream replies with the rows of a pipeline as they are made. An error ends them; if there is no
// row yet, it is the reply, but not if there was no time.
func (a *aggregation) stream(p *aggregate.Pipeline) {
	defer p.Close()
	row, more, err := p.Next()
	if err != nil && !errors.Is(err, aggregate.ErrLate) {
		a.Fail(command.Error(err.Error()))
		return
	}
	rows := a.begin(p.Total)
	for cells := []aggregate.Cell(nil); more && !a.Reply.Full() && !a.span.isAbandoned(); row, more, err = p.Next() {
		cells = row.Cells(cells[:0])
		key, sorted := row.SortKey()
		rows.add(&aggregate.Result{Cells: cells, Score: row.Score(), SortKey: key, Sorted: sorted})
	}
	rows.end(err)
	a.endReply()
}

// replyInTime is stream for those who want all rows or none, if there is no time.
func (a *aggregation) replyInTime(p *aggregate.Pipeline) {
	list, total, err := aggregate.Results(p, nil)
	if errors.Is(err, aggregate.ErrLate) || err != nil && len(list) == 0 {
		a.Fail(command.Error(err.Error()))
		return
	}
	if len(list) > 0 {
		total = list[0].Total
	}
	rows := a.begin(total)
	for i := range list {
		rows.add(&list[i])
	}
	rows.end(err)
	a.endReply()
}

// rows replies with rows.
type rows struct {
	*aggregation
	at, n int
}

// begin begins a reply of rows.
func (a *aggregation) begin(total int) *rows {
	w := a.Reply
	a.beginReply()
	if w.Proto() < 3 {
		r := &rows{a, w.Defer(), 1}
		w.Int(int64(total))
		return r
	}
	w.Map(a.maps())
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
		if r.expanded {
			r.replyExpanded(cells[i].Value)
		} else {
			r.replyValue(cells[i].Value)
		}
	}
}

func (r *rows) replyValue(v expr.Value) {
	switch behind := v.Behind(); {
	case behind != "":
		r.Reply.BulkString(behind)
	case v.Kind() == expr.NullKind:
		r.Reply.Null()
	case v.Kind() == expr.ListKind:
		r.Reply.Array(len(v.Elements()))
		for _, e := range v.Elements() {
			r.replyValue(e)
		}
	default:
		r.Reply.BulkString(v.String())
	}
}

// replyExpanded replies with a value as FORMAT EXPAND wants it: numbers as such, and JSON as arrays
// and maps.
func (r *rows) replyExpanded(v expr.Value) {
	if behind := v.Behind(); behind != "" {
		p := json.Parser{Levels: json.MaxLevels}
		if doc, _, err := p.Parse([]byte(behind)); err == nil {
			r.replyJSON(doc.Root())
			return
		}
	}
	if f, ok := v.Number(); ok && v.Kind() == expr.NumberKind {
		r.replyNumber(f)
		return
	}
	r.replyValue(v)
}

func (r *rows) replyNumber(f float64) {
	if n := int64(f); float64(n) == f {
		r.Reply.Int(n)
	} else {
		r.Reply.Double(f)
	}
}

func (r *rows) replyJSON(v json.Value) {
	switch v.Kind() {
	case json.Null:
		r.Reply.Null()
	case json.Boolean:
		f, _ := expr.Bool(v.Bool()).Number()
		r.replyNumber(f)
	case json.Integer, json.Number:
		r.replyNumber(v.Float())
	case json.String:
		r.Reply.Bulk(v.Text())
	case json.Array:
		r.Reply.Array(v.Len())
		for c := v.Children(); c.Next(); {
			r.replyJSON(c.Value())
		}
	default:
		r.Reply.Map(v.Len())
		for c := v.Children(); c.Next(); {
			r.Reply.Bulk(c.Name())
			r.replyJSON(c.Value())
		}
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
