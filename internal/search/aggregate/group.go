package aggregate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

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
	s := &grouper{Pipeline: p, groups: make(map[string]*group)}
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
	p.last, p.columns = s, into
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

	groups map[string]*group
	list   []*group // in the order in which they came up
	table  buckets
	order  []int
	done   bool

	values []expr.Value // of the row that is taken
	key    []byte
	spread int // how many groups a row is in
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
		s.order, s.Total = s.table.order(), len(s.list)
	}
	if len(s.order) == 0 {
		return nil, nil
	}
	g := s.list[s.order[0]]
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
		s.spread, s.key = 0, s.key[:0]
		if err := s.groupBy(r, 0, 0); err != nil {
			return err
		}
		s.drop(r)
	}
}

// maxSpread is in how many groups one row may be.
const maxSpread = 1 << 17

var errSpread = errors.New("A row belongs to too many groups")

// groupBy adds a row to the groups of its values from one on. A list stands for each of its
// elements.
func (s *grouper) groupBy(r *row, from int, hash uint64) error {
	if from == len(s.values) {
		return s.addTo(r, hash)
	}
	v, length := s.values[from], len(s.key)
	elements := v.Elements()
	if len(elements) == 0 {
		if v.Kind() == expr.ListKind {
			v = expr.Value{}
		}
		elements = []expr.Value{v}
	}
	for _, e := range elements {
		s.values[from] = e
		s.key = appendKey(s.key[:length], e)
		if err := s.groupBy(r, from+1, hashOf(e, hash)); err != nil {
			return err
		}
	}
	s.values[from], s.key = v, s.key[:length]
	return nil
}

// addTo adds a row to the group of the values.
func (s *grouper) addTo(r *row, hash uint64) error {
	if s.spread++; s.spread > maxSpread {
		return errSpread
	}
	g, bytes := s.groups[string(s.key)], 0
	if g == nil {
		g, bytes = s.newGroup(), 2*len(s.key)+128
		s.groups[string(s.key)] = g
		s.list = append(s.list, g)
		s.table.put(hash)
	}
	for _, a := range g.accumulators {
		bytes += a.add(r)
	}
	if !s.keep(bytes) {
		return ErrRoom
	}
	return nil
}

func (s *grouper) newGroup() *group {
	g := &group{values: append([]expr.Value{}, s.values...)}
	for _, r := range s.reducers {
		g.accumulators = append(g.accumulators, r.start())
	}
	return g
}

// appendKey appends the bytes of a value, which no other value begins with.
func appendKey(dst []byte, v expr.Value) []byte {
	dst = append(dst, byte(v.Kind()))
	switch v.Kind() {
	case expr.NumberKind:
		f, _ := v.Number()
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f))
	case expr.TextKind:
		dst = binary.AppendUvarint(dst, uint64(len(v.String())))
		return append(dst, v.String()...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(v.Elements())))
	for _, e := range v.Elements() {
		dst = appendKey(dst, e)
	}
	return dst
}

// hashOf returns the hash of a value as RediSearch computes it: FNV-1a of its bytes, from the hash
// of the values before it on.
func hashOf(v expr.Value, hash uint64) uint64 {
	switch v.Kind() {
	case expr.NullKind:
		return hash + 1
	case expr.NumberKind:
		f, _ := v.Number()
		return fnv(string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))), hash)
	case expr.TextKind:
		return fnv(v.String(), hash)
	}
	for _, e := range v.Elements() {
		hash = hashOf(e, hash)
	}
	return hash
}

func fnv(s string, hash uint64) uint64 {
	for i := range len(s) {
		hash = (hash ^ uint64(s[i])) * 0x100000001b3
	}
	return hash
}

// unknownProperty is the format of the error of a reducer whose column there is not.
const unknownProperty = "Property `%s` not present in document or pipeline"

// bind returns what makes the accumulators of a reducer on columns.
func (r Reducer) bind(from *columns, loads *[]*column, p *Pipeline) (func() accumulator, error) {
	bind := reducers[upper(r.Name)]
	if bind == nil {
		return nil, fmt.Errorf("No such reducer: %s", r.Name)
	}
	return bind(&arguments{Reducer: r, columns: from, loads: loads, dice: p.plan.Dice})
}
