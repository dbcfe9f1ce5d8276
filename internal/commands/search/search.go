package search

import (
	"maps"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
	"github.com/miniserver-go/miniserver/resp"
)

// FT.SEARCH index query [option ...]
func cmdSearch(set *settings, c *engine.Call) { search(newRequest(set, c)) }

// search searches for what is asked.
func search(r *request) {
	c := r.Call
	r.readOptions()
	if !c.OK() {
		return
	}
	e := searched(c, r.name)
	if !c.OK() {
		return
	}
	root := r.parse(e)
	if !c.OK() {
		return
	}
	s := r.search(e, root)
	p := &presentation{request: r, entry: e, names: make(map[string]int), distances: distances(root)}
	s.Sort = p.order()
	p.checkEmphasis()
	p.arrange()
	s.Unordered = r.uncounted && r.sort == nil && !r.withScores
	if !c.OK() {
		return
	}
	e.dialects |= 1 << (r.query.Dialect - 1)
	found, err := e.Search(s)
	if err != nil {
		c.Refuse(command.Error(err.Error()))
	} else if found.Ended && r.set.fails() {
		c.Refuse(query.ErrLate)
	}
	if c.OK() {
		found.Total = min(found.Total, r.counted())
		p.findTerms(s, found)
		r.beginReply()
		p.reply(found)
		r.profileResults(found)
		r.endReply()
	}
}

// counted returns up to which number results are counted: where RediSearch stops when all are not
// wanted.
func (r *request) counted() int {
	switch {
	case !r.uncounted || r.withScores:
		return math.MaxInt
	case r.sort == nil:
		return int(r.offset) + 1
	}
	return int(r.offset + r.limit)
}

// searched returns the index of a name.
func searched(c *engine.Call, name string) *entry {
	cat := of(c.World)
	cat.updateFor(c)
	e := cat.find(name)
	if e == nil {
		c.Refusef(errNoIndex, name)
		return nil
	}
	e.Uses++
	return e
}

// presentation shows results.
type presentation struct {
	*request
	entry *entry
	names map[string]int // of the fields of the results, by their place: as they came up first
	room  []cell         // for the row of a document

	distances []string               // the names of the query's distances
	terms     map[string][]text.Term // by which documents match, if they are shown
}

// order returns what orders the results; nil for the scores.
func (p *presentation) order() *index.Order {
	if p.sort == nil {
		return nil
	}
	name := string(p.sort)
	f := p.entry.Field(name)
	if f == nil && !slices.Contains(p.distances, name) {
		p.Refusef(errNotLoaded, name)
		return nil
	}
	return &index.Order{Descending: p.descending, Key: func(d *index.Document) index.Value {
		switch distance, ok := d.Distance(name); {
		case ok:
			return index.NumberValue(distance)
		case f == nil:
			return index.Value{}
		case f.Sortable:
			return d.Sorted(f)
		}
		s, _ := p.stored(d)
		v := s.Value(f.Path, false)
		if f.Kind == index.Numeric {
			v = v.AsNumber()
		}
		if v.Kind == index.IsNumber && (p.noContent || p.chosen) {
			v.Text = "" // the text is only loaded with the whole document
		}
		return v
	}}
}

// distances returns the names of the distances in a tree.
func distances(root query.Node) (names []string) {
	query.Walk(root, func(n query.Node) {
		if v, ok := n.(*query.Vector); ok && v.Score != "" {
			names = append(names, v.Score)
		}
	})
	return names
}

// stored returns a document as it lies at its key.
func (p *presentation) stored(d *index.Document) (index.Stored, bool) {
	v, ok := p.World.Keyspace.DB(0).Peek([]byte(d.Key()))
	if !ok {
		return index.Stored{}, false
	}
	return p.entry.Open(v)
}

// reply replies with the results.
func (p *presentation) reply(found *index.Results) {
	if p.sort != nil {
		p.place(string(p.sort))
	}
	if p.Reply.Proto() >= 3 {
		p.replyMap(found)
		return
	}
	at, n := p.Reply.Defer(), 1
	p.Reply.Int(int64(found.Total))
	for i := range found.Documents {
		if p.Reply.Full() || p.span.isAbandoned() {
			break
		}
		n += p.replyFlat(&found.Documents[i])
	}
	p.Reply.SetArray(at, n)
}

// replyFlat replies with a document as RESP2 has it, and returns how many elements that are.
func (p *presentation) replyFlat(d *index.Document) (n int) {
	w := p.Reply
	w.BulkString(d.Key())
	n = 1
	if p.withScores {
		n++
		p.replyScore(d)
	}
	if p.withPayloads {
		n++
		p.replyPayload(d)
	}
	if p.withSortKeys {
		n++
		p.replySortKey(d)
	}
	if !p.noContent {
		n++
		row := p.row(d)
		w.Array(2 * len(row))
		p.replyRow(row)
	}
	return n
}

// replyMap replies with the results as RESP3 has them.
func (p *presentation) replyMap(found *index.Results) {
	w := p.Reply
	w.Map(p.maps())
	w.Status("attributes")
	w.Array(0)
	w.Status("total_results")
	w.Int(int64(found.Total))
	w.Status("format")
	w.Status("STRING")
	w.Status("results")
	w.Array(len(found.Documents))
	for i := range found.Documents {
		if w.Full() || p.span.isAbandoned() {
			return
		}
		p.replyDocument(&found.Documents[i])
	}
	w.Status("warning")
	if !found.Ended {
		w.Array(0)
		return
	}
	w.Array(1)
	w.Status(string(query.ErrLate))
}

// replyDocument replies with a document as RESP3 has it.
func (p *presentation) replyDocument(d *index.Document) {
	w := p.Reply
	at, n := w.Defer(), 2
	w.Status("id")
	w.BulkString(d.Key())
	for _, part := range []struct {
		name   string
		wanted bool
		reply  func(d *index.Document)
	}{{"score", p.withScores, p.replyScore}, {"payload", p.withPayloads, p.replyPayload},
		{"sortkey", p.withSortKeys, p.replySortKey}, {"extra_attributes", !p.noContent, p.replyFields}} {
		if part.wanted {
			n++
			w.Status(part.name)
			part.reply(d)
		}
	}
	w.Status("values")
	w.Array(0)
	w.SetMap(at, n)
}

func (p *presentation) replyScore(d *index.Document) {
	if d.Explanation != nil {
		p.Reply.Array(2)
	}
	p.Reply.Double(d.Score)
	if d.Explanation != nil {
		p.replyExplanation(d.Explanation)
	}
}

// replyExplanation replies with the text of an explanation, and behind it those of its parts.
func (p *presentation) replyExplanation(x *index.Explanation) {
	if len(x.Parts) == 0 {
		p.Reply.Status(x.Text)
		return
	}
	p.Reply.Array(2)
	p.Reply.Status(x.Text)
	p.Reply.Array(len(x.Parts))
	for _, part := range x.Parts {
		p.replyExplanation(part)
	}
}

func (p *presentation) replyPayload(d *index.Document) {
	if payload, ok := d.Payload(); ok {
		p.Reply.BulkString(payload)
	} else {
		p.Reply.Null()
	}
}

func (p *presentation) replySortKey(d *index.Document) {
	switch k := d.SortKey; {
	case k.Kind == index.NoValue:
		p.Reply.Null()
	case k.Text == "" && k.Kind == index.IsNumber:
		p.Reply.BulkString("#" + string(resp.Format17(nil, k.Number)))
	default:
		p.Reply.BulkString("$" + k.Text)
	}
}

func (p *presentation) replyFields(d *index.Document) {
	row := p.row(d)
	p.Reply.Map(len(row))
	p.replyRow(row)
}

// cell is a field of a result with its value.
type cell struct {
	name  string
	value index.Value
}

func (p *presentation) replyRow(row []cell) {
	for _, c := range row {
		p.Reply.BulkString(c.name)
		p.Reply.BulkString(c.value.String())
	}
}

// row returns what is shown of a document.
func (p *presentation) row(d *index.Document) (row []cell) {
	s, ok := p.stored(d)
	if !ok {
		return nil
	}
	if p.chosen {
		row = p.chosenRow(d, s)
	} else {
		row = p.wholeRow(d, s)
	}
	p.emphasize(row, d, s)
	return row
}

// wholeRow returns all fields.
func (p *presentation) wholeRow(d *index.Document, s index.Stored) (row []cell) {
	cells := make(map[int]cell)
	set := func(name string, v index.Value) { cells[p.place(name)] = cell{name, v} }
	for _, distance := range d.Distances {
		set(distance.Name, index.NumberValue(distance.Value))
	}
	if p.sort != nil && d.SortKey.Kind != index.NoValue {
		set(string(p.sort), p.value(d, s, string(p.sort)))
	}
	for _, f := range p.emphasis.fields {
		if p.entry.JSON {
			set(f.name, p.value(d, s, f.name))
		}
	}
	s.Each(p.query.Dialect >= 3, func(name string, v index.Value) {
		if !p.entry.Hides(name) {
			set(name, v)
		}
	})
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		row = append(row, cells[at])
	}
	return row
}

// place returns the place of a field among those of the results.
func (p *presentation) place(name string) int {
	at, known := p.names[name]
	if !known {
		at = len(p.names)
		p.names[name] = at
	}
	return at
}

// arrange puts the columns first that are known before the documents are read, as in RediSearch.
func (p *presentation) arrange() {
	known := func(c column) bool {
		return c.name == c.path && (slices.Contains(p.distances, c.path) || c.path == string(p.sort))
	}
	first := slices.DeleteFunc(slices.Clone(p.columns), func(c column) bool { return !known(c) })
	p.columns = append(first, slices.DeleteFunc(p.columns, known)...)
}

// chosenRow returns the fields that RETURN chooses.
func (p *presentation) chosenRow(d *index.Document, s index.Stored) []cell {
	row := p.room[:0]
	for _, col := range p.columns {
		if v := p.value(d, s, col.path); v.Kind != index.NoValue {
			row = append(row, cell{col.name, v})
		}
	}
	p.room = row
	return row
}

// value returns a field of a document: what the index keeps for sorting, if it is as it was, or
// what lies at the key.
func (p *presentation) value(d *index.Document, s index.Stored, name string) index.Value {
	if distance, ok := d.Distance(name); ok {
		return index.NumberValue(distance)
	}
	f := p.entry.Field(name)
	switch {
	case f == nil && name == "__key":
		return index.TextValue(d.Key())
	case f == nil:
		return s.Value(name, p.query.Dialect >= 3)
	case f.Sortable && f.Unnormalized:
		return d.Sorted(f)
	}
	return s.Value(f.Path, p.query.Dialect >= 3)
}
