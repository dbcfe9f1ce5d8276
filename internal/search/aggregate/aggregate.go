// Package aggregate is the pipelines of FT.AGGREGATE: steps that make rows of documents.
//
//	documents ─▶ Load ─▶ Apply, Filter ─▶ Group ─▶ Arrange ─▶ rows
//
//	aggregate.go        a plan, its steps, and the pipeline that runs it
//	columns.go row.go   what rows consist of
//	stages.go           the simple steps
//	sort.go             Arrange
//	group.go reduce.go  Group, and its reducers; quantile.go sketch.go those that estimate
//	tables.go           the order of groups and of lists
//	profile.go          what stages do
//	cursors.go          rows that clients read by and by
//
// A stage asks the one before it for a row at a time. Group and Arrange take all rows before they
// give one out, and count what they keep: beyond Plan.Room bytes the pipeline fails.
//
// Whatever has no order of its own comes in the order of RediSearch: rows in that of documents,
// groups and lists in that of its hash tables, equal rows in that of its heap. Unlike there, groups
// of several columns are never mixed up because their texts are the same one behind the other.
//
// An error at a row ends the pipeline; the rows before it stand.
package aggregate

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// Plan is what a pipeline does.
type Plan struct {
	Steps []Step
	Count bool // no rows are wanted, but their number
	Score bool // documents have a column __score
	// Room is how many bytes the stages may keep.
	Room int
	Dice func(n uint64) uint64 // random numbers below n
	// Profile collects what the stages do; nil for no profile.
	Profile *Profile
}

// Step is a step of a plan: a Load, Group, Apply, Filter or Arrange.
type Step interface {
	// add adds the stages of the step to a pipeline.
	add(p *Pipeline) error
}

// Work returns about how many values the steps read or compute for a row.
func (p *Plan) Work() (n int) {
	for _, s := range p.Steps {
		switch s := s.(type) {
		case *Load:
			n += len(s.Fields)
		case *Group:
			n += len(s.By) + len(s.Reducers)
		default:
			n++
		}
	}
	return n
}

// Document is a document that a query found.
type Document interface {
	// Sorted sets a value that is null to what the index keeps of a sortable field, by its Handle;
	// it reports false if there is nothing.
	Sorted(handle any, v *expr.Value) bool
	// Stored returns what lies at a path of the document, as a number where numeric is set; false
	// if there is nothing.
	Stored(path string, numeric bool) (expr.Value, bool)
	// Fields calls yield for all fields of the document, as texts.
	Fields(yield func(name string, v expr.Value))
	// Found calls yield for what the query has found beside the document, such as distances.
	Found(yield func(name string, v expr.Value))
	Score() float64
	Terms() []string // of the query, that the document has
	// Keep returns a copy that stays valid: the document itself does so only until the source is
	// called again. old is nil, or a copy that is no longer used, whose memory Keep may take.
	Keep(old Document) Document
}

// Source returns the next document; false after the last, or with ErrLate if there is no time for
// more.
type Source func() (Document, bool, error)

// Field is a field of the index.
type Field struct {
	Handle       any // by which documents know the field
	Path         string
	Sortable     bool
	Unnormalized bool // what is kept of a sortable field is as it is in the document
	Numeric      bool
}

// Schema is what a pipeline asks about the index.
type Schema interface {
	// Field returns the field of a name; false if there is none.
	Field(name string) (Field, bool)
	// JSON reports whether documents are JSON, of which all fields are one: the root.
	JSON() bool
	// Reload reports whether fields are read in the document even if the index keeps them.
	Reload() bool
	// Hides reports whether a field is never shown.
	Hides(name string) bool
	// Found returns the names of what the query finds beside the document.
	Found() []string
}

// Pipeline runs a plan.
type Pipeline struct {
	// Total counts the documents, or groups, that were met since it was last set to 0.
	Total int

	plan     *Plan
	schema   Schema
	source   Source
	last     stage
	groupers []*grouper
	columns  *columns // of the rows so far, while steps are added; then of the results
	spare    *row
	kept     int
	met      uint64 // documents so far
	number   uint64 // that the next group gets, by which equal groups are ordered
}

// ErrLate is the error of a source that has taken too long. What was sorted until then is given
// out before it.
var ErrLate = command.Error("Timeout limit was reached")

// ErrRoom is the error of a pipeline that would keep too much.
var ErrRoom = command.Error("OOM command not allowed when used memory > 'maxmemory'.")

// stage is a stage of a pipeline.
type stage interface {
	// next returns the next row, which belongs to the caller; nil after the last one.
	next() (*row, error)
}

// New makes a pipeline. The errors are those of RediSearch.
func New(plan *Plan, schema Schema, source Source) (*Pipeline, error) {
	p := &Pipeline{plan: plan, schema: schema, source: source}
	p.columns = newColumns(schema)
	first := &documents{Pipeline: p, score: -1}
	for _, name := range schema.Found() {
		c, err := p.columns.write(name)
		if err != nil {
			return nil, err
		}
		first.found = append(first.found, c)
	}
	if plan.Score {
		c, err := p.columns.write("__score")
		if err != nil {
			return nil, err
		}
		first.score = c.slot
	}
	p.push("Index", first)
	if first.score >= 0 && plan.Profile != nil {
		p.push("Scorer", &passing{p.last})
	}
	for _, s := range plan.Steps {
		if err := s.add(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Row is a row of the results. It is valid until Next is called again.
type Row struct {
	*row
	pipeline *Pipeline
}

// Next returns the next row; false after the last one, or with an error.
func (p *Pipeline) Next() (Row, bool, error) {
	r, err := p.last.next()
	if err != nil || r == nil {
		return Row{}, false, err
	}
	p.drop(r)
	return Row{r, p}, true, nil
}

// Close ends a pipeline, whose rows are not valid any more.
func (p *Pipeline) Close() {
	for _, s := range p.groupers {
		s.close()
	}
	p.groupers = nil
}

// Score returns the score of the document of a row, 0 of a group.
func (r Row) Score() float64 { return r.score() }

// SortKey returns what the row was sorted by in the first place; false if there is nothing.
func (r Row) SortKey() (expr.Value, bool) {
	if s, ok := r.pipeline.sorter(); ok && len(s.keys) > 0 {
		return r.get(s.keys[0].column)
	}
	return expr.Value{}, false
}

// sorter returns the stage that sorts, if the last step does.
func (p *Pipeline) sorter() (*sorter, bool) {
	last := unwrap(p.last)
	if page, ok := last.(*pager); ok {
		last = unwrap(page.from)
	}
	s, ok := last.(*sorter)
	return s, ok
}

// First returns the most rows that a client reads at first, if it reads them by and by: as many as
// a limit behind the last sort or group says; 0 if there is none. So a client that has read all of
// them has to ask again.
func (p *Pipeline) First() (rows int) {
	for last := p.last; ; {
		switch s := unwrap(last).(type) {
		case *pager:
			if rows == 0 || s.left < uint64(rows) {
				rows = int(min(s.left, math.MaxInt32))
			}
			last = s.from
		case *applier:
			last = s.from
		case *filter:
			last = s.from
		case *loader:
			last = s.from
		case *allLoader:
			last = s.from
		default:
			return rows
		}
	}
}

// Cell is a column of a row with its value.
type Cell struct {
	Name  string
	Value expr.Value
}

// Cells appends what a row shows.
func (r Row) Cells(cells []Cell) []Cell {
	for _, c := range r.pipeline.columns.list {
		if c.hidden {
			continue
		}
		if v := r.at(c); v != nil && !r.pipeline.schema.Hides(c.name) {
			cells = append(cells, Cell{c.name, *v})
		}
	}
	return cells
}

// keep counts what a stage keeps, and reports whether there is room for it.
func (p *Pipeline) keep(bytes int) bool {
	p.kept += bytes
	return p.kept <= p.plan.Room
}

// Unlimited is the limit of an Arrange that has none.
const Unlimited = math.MaxUint64
