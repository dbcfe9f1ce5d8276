package aggregate

import (
	"math"
	"sync"

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
		s.reducers, s.slots = append(s.reducers, of), append(s.slots, w.slot)
	}
	p.load(loads)
	s.from = p.last
	p.columns = into
	p.groupers = append(p.groupers, s)
	p.push("Grouper", s)
	return nil
}

// reducer reduces the rows of each group to a value.
type reducer interface {
	// add adds a row to a group, and returns how many more bytes are kept. The groups are numbered
	// from 0 on as they came up.
	add(group int, r *row) int
	result(group int) expr.Value
}

// accumulator reduces the rows of one group to a value.
type accumulator interface {
	// add takes a row, and returns how many more bytes are kept.
	add(r *row) int
	result() expr.Value
}

// accumulators are a reducer with an accumulator for each group.
type accumulators[T any, P interface {
	*T
	accumulator
}] struct {
	first T // before it has taken a row
	list  list[T]
}

func (s *accumulators[T, P]) add(group int, r *row) int {
	if group == s.list.n {
		s.list.add(s.first)
	}
	return P(s.list.at(group)).add(r)
}

func (s *accumulators[T, P]) result(group int) expr.Value { return P(s.list.at(group)).result() }

// grouper takes all rows, and then gives out the groups.
type grouper struct {
	*Pipeline
	from     stage
	by       []*column
	keys     []int // the slots of their values in groups
	reducers []reducer
	slots    []int // of their results

	groups *groups // nil before rows are taken
	place  int     // in the table, of the next group that is given out

	current []*expr.Value // the values of the row that is taken
	spread  int           // how many groups a row is in
	recent  [128]int32    // 1 + a group, by the weak hash of its values: most rows are of one of these
}

// groups are groups, numbered in the order in which they came up.
type groups struct {
	values list[expr.Value] // of each
	table  buckets          // which finds them
}

// spareGroups are groups that have been given out, whose memory the next grouper takes.
var spareGroups sync.Pool

// mostSpare is how many values groups may have whose memory is kept.
const mostSpare = 1 << 14

// close gives back the groups.
func (s *grouper) close() {
	if s.groups != nil && s.groups.values.n <= mostSpare && s.groups.table.n <= mostSpare {
		s.groups.values.reset()
		s.groups.table.reset()
		spareGroups.Put(s.groups)
	}
}

func (s *grouper) next() (*row, error) {
	if s.groups == nil {
		s.groups, _ = spareGroups.Get().(*groups)
		if s.groups == nil {
			s.groups = new(groups)
		}
		if err := s.takeAll(); err != nil {
			s.place = math.MaxInt
			return nil, err
		}
		s.Total = s.groups.table.n
	}
	g, next := s.groups.table.next(s.place)
	if g < 0 {
		return nil, nil
	}
	s.place = next
	r := s.take()
	r.number = s.number
	for i, slot := range s.keys {
		r.set(slot, *s.groups.values.at(g*len(s.by) + i))
	}
	for i, slot := range s.slots {
		r.set(slot, s.reducers[i].result(g))
	}
	return r, nil
}

// takeAll takes all rows.
func (s *grouper) takeAll() error {
	s.current = make([]*expr.Value, len(s.by))
	for {
		r, err := s.from.next()
		if r == nil {
			return err
		}
		for i, c := range s.by {
			if s.current[i] = r.at(c); s.current[i] == nil {
				s.current[i] = new(expr.Value)
			}
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
	for from < len(s.current) && s.current[from].Kind() != expr.ListKind {
		from++
	}
	if from == len(s.current) {
		return s.addTo(r)
	}
	v := s.current[from]
	elements := v.Elements()
	if len(elements) == 0 {
		elements = []expr.Value{{}}
	}
	for i := range elements {
		s.current[from] = &elements[i]
		if err := s.groupBy(r, from+1); err != nil {
			return err
		}
	}
	s.current[from] = v
	return nil
}

// addTo adds a row to the group of the values.
func (s *grouper) addTo(r *row) error {
	if s.spread++; s.spread > maxSpread {
		return errSpread
	}
	g, bytes := s.find()
	for _, of := range s.reducers {
		bytes += of.add(g, r)
	}
	if !s.keep(bytes) {
		return ErrRoom
	}
	return nil
}

// find returns the group of the values, and if it is a new one, how many bytes it takes.
func (s *grouper) find() (g, bytes int) {
	weak := uint64(0)
	for _, v := range s.current {
		weak = weak*31 + v.WeakHash()
	}
	recent := &s.recent[weak%uint64(len(s.recent))]
	if *recent > 0 && s.isGroup(int(*recent)-1) {
		return int(*recent) - 1, 0
	}
	hash := uint64(0)
	for _, v := range s.current {
		hash = hashOf(v, hash)
	}
	if g = s.groups.table.find(hash, s.isGroup); g < 0 {
		g, bytes = s.newGroup(hash)
	}
	*recent = int32(g) + 1
	return g, bytes
}

// isGroup reports whether a group is that of the values.
func (s *grouper) isGroup(g int) bool {
	for i := range s.current {
		if !expr.Same(s.groups.values.at(g*len(s.current)+i), s.current[i]) {
			return false
		}
	}
	return true
}

// newGroup adds a group for the values, and returns how many bytes it takes, about.
func (s *grouper) newGroup(hash uint64) (g, bytes int) {
	bytes = 128 + 64*len(s.reducers)
	for _, v := range s.current {
		bytes += v.Size()
		s.groups.values.add(*v)
	}
	return s.groups.table.put(hash), bytes
}

// hashOf returns the hash of a value as RediSearch computes it: FNV-1a of its bytes, from the hash
// of the values before it on.
func hashOf(v *expr.Value, hash uint64) uint64 {
	switch v.Kind() {
	case expr.NullKind:
		return hash + 1
	case expr.NumberKind:
		f, _ := v.Float()
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
	elements := v.Elements()
	for i := range elements {
		hash = hashOf(&elements[i], hash)
	}
	return hash
}

func fnv(hash uint64, b byte) uint64 { return (hash ^ uint64(b)) * 0x100000001b3 }

// unknownProperty is the format of the error of a reducer whose column there is not.
const unknownProperty = "Property `%s` not present in document or pipeline"

// bind returns a reducer on columns.
func (r Reducer) bind(from *columns, loads *[]*column, p *Pipeline) (reducer, error) {
	bind := reducers[upper(r.Name)]
	if bind == nil {
		return nil, command.Errorf("No such reducer: %s", r.Name)
	}
	return bind(&arguments{Reducer: r, columns: from, loads: loads, dice: p.plan.Dice})
}
