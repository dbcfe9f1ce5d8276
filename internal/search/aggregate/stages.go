package aggregate

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// documents makes rows of documents.
type documents struct {
	*Pipeline
	found []*column
	score int // the slot of scores, -1 without one
}

func (s *documents) next() (*row, error) {
	d, ok, err := s.source()
	if !ok {
		return nil, err
	}
	s.Total++
	s.met++
	s.number = s.met
	r := s.take()
	r.document, r.number = d, s.met
	if s.found != nil {
		d.Found(func(name string, v expr.Value) {
			for _, c := range s.found {
				if c.name == name {
					r.set(c.slot, v)
				}
			}
		})
	}
	if s.score >= 0 {
		r.set(s.score, expr.Number(d.Score()))
	}
	return r, nil
}

// Load reads fields in documents.
type Load struct {
	Fields []string // paths in documents, or fields of the index, each with AS and a name or without
	All    bool
}

var errLate = command.Error("LOAD cannot be applied after projectors or reducers")

func (l *Load) add(p *Pipeline) error {
	if p.columns.schema == nil {
		return errLate
	}
	var loads []*column
	for rest := l.Fields; len(rest) > 0; {
		var name, path string
		var err error
		if name, path, rest, err = loaded(rest); err != nil {
			return err
		}
		if c := p.columns.load(name, path); c != nil {
			loads = append(loads, c)
		}
	}
	if l.All && len(loads) == 0 {
		p.columns.all = !p.schema.JSON()
		p.push("Loader", &allLoader{p, p.last, p.columns})
		return nil
	}
	p.load(loads)
	return nil
}

// loaded returns a field that is to be read, its name in rows, and the words behind it.
func loaded(words []string) (name, path string, rest []string, err error) {
	path, rest = strings.TrimPrefix(words[0], "@"), words[1:]
	switch {
	case len(rest) == 0 || upper(rest[0]) != "AS":
		return path, path, rest, nil
	case len(rest) == 1:
		return "", "", nil, command.Error("LOAD path AS name - must be accompanied with NAME")
	case upper(rest[1]) == "AS":
		return "", "", nil, command.Error("Alias for LOAD cannot be `AS`")
	}
	return rest[1], path, rest[2:], nil
}

// load adds a stage that reads columns.
func (p *Pipeline) load(columns []*column) {
	if len(columns) > 0 {
		p.push("Loader", &loader{p, p.last, columns})
	}
}

// loader reads columns in documents.
type loader struct {
	*Pipeline
	from    stage
	columns []*column
}

func (s *loader) next() (*row, error) {
	r, err := s.from.next()
	if r == nil {
		return nil, err
	}
	for _, c := range s.columns {
		if c.sorted && !s.schema.Reload() {
			if !r.document.Sorted(c.handle, new(expr.Value)) {
				continue
			}
		}
		if v, ok := r.document.Stored(c.path, c.numeric); ok {
			r.set(c.slot, v)
		}
	}
	return r, nil
}

// allLoader reads all fields of documents.
type allLoader struct {
	*Pipeline
	from stage
	into *columns
}

func (s *allLoader) next() (*row, error) {
	r, err := s.from.next()
	if r == nil {
		return nil, err
	}
	r.document.Fields(func(name string, v expr.Value) {
		c := s.into.find(name)
		if c == nil {
			c = &column{name: name, path: name, loaded: true}
			if f, ok := s.into.field(name); ok {
				c.describe(f)
			}
			s.into.put(c)
		}
		if !c.written {
			r.set(c.slot, v)
		}
	})
	return r, nil
}

// Apply computes a column.
type Apply struct{ Expression, As string }

func (a *Apply) add(p *Pipeline) error {
	e, err := p.evaluator(a.Expression)
	if err != nil {
		return err
	}
	p.push("Projector - "+e.expression.Describe(), &applier{e, p.columns.rewrite(a.As).slot, p.plan.Room})
	return nil
}

// Filter passes on the rows for which an expression is true.
type Filter struct{ Expression string }

func (f *Filter) add(p *Pipeline) error {
	e, err := p.evaluator(f.Expression)
	if err != nil {
		return err
	}
	p.push("Filter - "+e.expression.Describe(), &filter{p, e})
	return nil
}

// evaluator computes an expression for rows.
type evaluator struct {
	expression *expr.Expr
	from       stage
	bound
}

// evaluator parses an expression on the columns of now.
func (p *Pipeline) evaluator(source string) (s evaluator, err error) {
	s.from = p.last
	if s.expression, err = expr.Parse(source); err != nil {
		return s, err
	}
	return s, s.expression.Bind(func(name string) (int, bool) {
		c := p.columns.read(name)
		s.columns = append(s.columns, c)
		return len(s.columns) - 1, c != nil
	})
}

// eval returns the next row with its value; nil after the last one.
func (s *evaluator) eval() (*row, expr.Value, error) {
	r, err := s.from.next()
	if r == nil {
		return nil, expr.Value{}, err
	}
	s.row = r
	v, err := s.expression.Eval(&s.bound)
	if err != nil {
		return nil, expr.Value{}, err
	}
	return r, v, nil
}

// applier puts what it computes into a slot. Like what is kept it needs room, even in one row: a
// text that is put twice into the next one soon fills any memory.
type applier struct {
	evaluator
	slot, room int
}

func (s *applier) next() (*row, error) {
	r, v, err := s.eval()
	if r == nil {
		return nil, err
	}
	r.set(s.slot, v)
	if r.made += v.Size(); r.made > s.room {
		return nil, ErrRoom
	}
	return r, nil
}

// filter passes on rows.
type filter struct {
	*Pipeline
	evaluator
}

func (s *filter) next() (*row, error) {
	for {
		r, v, err := s.eval()
		if r == nil || v.Truth() {
			return r, err
		}
		s.drop(r)
	}
}

// pager passes on so many rows from an offset on.
type pager struct {
	*Pipeline
	from         stage
	offset, left uint64
}

func (s *pager) next() (*row, error) {
	for ; s.offset > 0; s.offset-- {
		r, err := s.from.next()
		if r == nil {
			return nil, err
		}
		s.drop(r)
	}
	if s.left == 0 {
		return nil, nil
	}
	s.left--
	return s.from.next()
}

// counter passes on nothing, after it has seen all rows.
type counter struct {
	*Pipeline
	from stage
}

func (s *counter) next() (*row, error) {
	for {
		r, err := s.from.next()
		if r == nil {
			return nil, err
		}
		s.drop(r)
	}
}
