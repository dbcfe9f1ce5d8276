package aggregate

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// Group makes a row of all rows with the same values in some columns.
type Group struct {
	By       []string
	Reducers []Reducer
}

// Reducer computes a column of a group.
type Reducer struct {
	Name string
	Args []string
	As   string
}

func (g *Group) add(p *Pipeline) error {
	s := &grouper{Pipeline: p}
	from, into := p.columns, newColumns(nil)
	var loads []*column
	for _, name := range g.By {
		c, err := from.readOrLoad(name, &loads, "No such property `%s`")
		if err != nil {
			return err
		}
		w, err := into.write(name)
		if err != nil {
			return err
		}
		s.by, s.keys = append(s.by, c), append(s.keys, w.slot)
	}
	for _, r := range g.Reducers {
		of, err := r.bind(from, &loads, p)
		if err != nil {
			return err
		}
		w, err := into.write(r.As)
		if err != nil {
			return err
		}
		s.reducers = append(s.reducers, reducer{of, w.slot})
	}
	p.load(loads)
	s.from = p.last
	p.columns = into
	p.push("Grouper", s)
	return nil
}

// reducer starts accumulators, whose results go to a slot.
type reducer struct {
	start func() accumulator
	slot  int
}

// accumulator reduces the rows of a group to a value.
type accumulator interface {
	// add takes a row, and returns how many more bytes are kept.
	add(r *row) int
	result() expr.Value
}

// grouper takes all rows, and then gives out the groups.
type grouper struct {
	*Pipeline
	from     stage
	by       []*column
	keys     []int // the slots of their values in groups
	reducers []reducer

	groups []group // in the order in which they came up
	table  buckets // which finds them
	order  []int
	done   bool

	values []expr.Value // of the row that is taken
	spread int          // how many groups a row is in

	spareValues       []expr.Value
	spareAccumulators []accumulator
}

// group is the rows of a group.
type group struct {
	values       []expr.Value
	accumulators []accumulator
}

func (s *grouper) next() (*row, error) {
	if !s.done {
		s.done = true
		if err := s.takeAll(); err != nil {
			return nil, err
		}
		s.order, s.Total = s.table.order(), len(s.groups)
	}
	if len(s.order) == 0 {
		return nil, nil
	}
	g := &s.groups[s.order[0]]
	s.order = s.order[1:]
	r := s.take()
	r.number = s.number
	for i, slot := range s.keys {
		r.set(slot, g.values[i])
	}
	for i, a := range g.accumulators {
		r.set(s.reducers[i].slot, a.result())
	}
	return r, nil
}

// takeAll takes all rows.
func (s *grouper) takeAll() error {
	s.values = make([]expr.Value, len(s.by))
	for {
		r, err := s.from.next()
		if r == nil {
			return err
		}
		for i, c := range s.by {
			s.values[i], _ = r.get(c)
		}
		s.spread = 0
		if err := s.groupBy(r, 0); err != nil {
			return err
		}
		s.drop(r)
	}
}

// maxSpread is in how many groups one row may be.
const maxSpread = 1 << 17

var errSpread = command.Error("A row belongs to too many groups")

// groupBy adds a row to the groups of its values from one on. A list stands for each of its
// elements.
func (s *grouper) groupBy(r *row, from int) error {
	if from == len(s.values) {
		return s.addTo(r)
	}
	v := s.values[from]
	if v.Kind() != expr.ListKind {
		return s.groupBy(r, from+1)
	}
	elements := v.Elements()
	if len(elements) == 0 {
		elements = []expr.Value{{}}
	}
	for _, e := range elements {
		s.values[from] = e
		if err := s.groupBy(r, from+1); err != nil {
			return err
		}
	}
	s.values[from] = v
	return nil
}

// addTo adds a row to the group of the values.
func (s *grouper) addTo(r *row) error {
	if s.spread++; s.spread > maxSpread {
		return errSpread
	}
	hash, bytes := uint64(0), 0
	for _, v := range s.values {
		hash = hashOf(v, hash)
	}
	i := s.table.find(hash, func(i int) bool { return slices.EqualFunc(s.groups[i].values, s.values, expr.Same) })
	if i < 0 {
		i, bytes = s.newGroup(hash)
	}
	for _, a := range s.groups[i].accumulators {
		bytes += a.add(r)
	}
	if !s.keep(bytes) {
		return ErrRoom
	}
	return nil
}

// newGroup adds a group for the values, and returns how many bytes it takes, about.
func (s *grouper) newGroup(hash uint64) (i, bytes int) {
	block := min(4+len(s.groups), 256)
	g := group{take(&s.spareValues, len(s.values), block), take(&s.spareAccumulators, len(s.reducers), block)}
	copy(g.values, s.values)
	for i, r := range s.reducers {
		g.accumulators[i] = r.start()
	}
	s.table.put(hash)
	s.groups = append(s.groups, g)
	bytes = 128 + 64*len(s.reducers)
	for _, v := range s.values {
		bytes += v.Size()
	}
	return len(s.groups) - 1, bytes
}

// take takes n elements of a spare block. When it is used up, it makes another one for so many
// times n.
func take[T any](spare *[]T, n, times int) []T {
	if len(*spare) < n {
		*spare = make([]T, times*n)
	}
	taken := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return taken
}

// hashOf returns the hash of a value as RediSearch computes it: FNV-1a of its bytes, from the hash
// of the values before it on.
func hashOf(v expr.Value, hash uint64) uint64 {
	switch v.Kind() {
	case expr.NullKind:
		return hash + 1
	case expr.NumberKind:
		f, _ := v.Number()
		for bits, i := math.Float64bits(f), 0; i < 8; i++ {
			hash = fnv(hash, byte(bits>>(8*i)))
		}
		return hash
	case expr.TextKind:
		text := v.String()
		for i := range len(text) {
			hash = fnv(hash, text[i])
		}
		return hash
	}
	for _, e := range v.Elements() {
		hash = hashOf(e, hash)
	}
	return hash
}

func fnv(hash uint64, b byte) uint64 { return (hash ^ uint64(b)) * 0x100000001b3 }

// unknownProperty is the format of the error of a reducer whose column there is not.
const unknownProperty = "Property `%s` not present in document or pipeline"

// bind returns what makes the accumulators of a reducer on columns.
func (r Reducer) bind(from *columns, loads *[]*column, p *Pipeline) (func() accumulator, error) {
	bind := reducers[upper(r.Name)]
	if bind == nil {
		return nil, command.Errorf("No such reducer: %s", r.Name)
	}
	return bind(&arguments{Reducer: r, columns: from, loads: loads, dice: p.plan.Dice})
}
