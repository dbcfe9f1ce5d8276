package aggregate

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// arguments are those of a reducer, which are read one after the other.
type arguments struct {
	Reducer
	columns *columns
	loads   *[]*column
	dice    func(n uint64) uint64
	at      int
}

func upper(s string) string { return strings.ToUpper(s) }

// Errors about arguments.
const (
	missingArgument = "Missing arguments for %s"
	badArgument     = "Bad arguments for %s: %s"
	notConverted    = "Could not convert argument to expected type"
	noArgument      = "Expected an argument, but none provided"
	outOfBounds     = "Value is outside acceptable bounds"
)

// left returns how many arguments are left.
func (a *arguments) left() int { return len(a.Args) - a.at }

// column reads the name of a column.
func (a *arguments) column() (*column, error) {
	if a.left() == 0 {
		return nil, command.Errorf(missingArgument, a.Name)
	}
	a.at++
	return a.columns.readOrLoad(strings.TrimPrefix(a.Args[a.at-1], "@"), a.loads, unknownProperty)
}

// word passes over a word, and reports whether it was there.
func (a *arguments) word(word string) bool {
	if a.left() == 0 || upper(a.Args[a.at]) != word {
		return false
	}
	a.at++
	return true
}

// unsigned reads a number of at least 0, of which errors speak by a name.
func (a *arguments) unsigned(name string) (int, error) {
	if a.left() == 0 {
		return 0, command.Errorf(badArgument, name, noArgument)
	}
	a.at++
	f, ok := expr.ParseNumber(a.Args[a.at-1])
	switch {
	case !ok || f != math.Trunc(f):
		return 0, command.Errorf(badArgument, name, notConverted)
	case f < 0 || f > math.MaxUint32:
		return 0, command.Errorf(badArgument, name, outOfBounds)
	}
	return int(f), nil
}

// end returns an error if an argument is left.
func (a *arguments) end() error {
	if a.left() == 0 {
		return nil
	}
	return command.Errorf("Unknown argument `%s` at position %d for %s", a.Args[a.at], a.at, a.Name)
}

// reducers are all reducers by their names.
var reducers = map[string]func(a *arguments) (reducer, error){
	"COUNT":          count,
	"SUM":            ofColumn(func(c *column) sum { return sum{column: c} }),
	"AVG":            ofColumn(func(c *column) sum { return sum{column: c, mean: true} }),
	"MIN":            ofColumn(func(c *column) extreme { return extreme{c, math.Inf(1), false} }),
	"MAX":            ofColumn(func(c *column) extreme { return extreme{c, math.Inf(-1), true} }),
	"STDDEV":         ofColumn(func(c *column) deviation { return deviation{column: c} }),
	"COUNT_DISTINCT": ofColumn(func(c *column) distinct { return distinct{column: c} }),
	"TOLIST":         ofColumn(func(c *column) toList { return toList{column: c} }),
	"QUANTILE":       quantile,
	"FIRST_VALUE":    firstValue,
	"RANDOM_SAMPLE":  randomSample,

	"COUNT_DISTINCTISH": ofColumn(func(c *column) sketched { return sketched{column: c} }),
	"HLL":               ofColumn(func(c *column) sketched { return sketched{column: c, raw: true} }),
	"HLL_SUM":           ofColumn(func(c *column) sketchSum { return sketchSum{column: c} }),
}

// ofColumn is a reducer of one column.
func ofColumn[T any, P interface {
	*T
	accumulator
}](of func(c *column) T) func(a *arguments) (reducer, error) {
	return func(a *arguments) (reducer, error) {
		c, err := a.column()
		return &accumulators[T, P]{first: of(c)}, err
	}
}

// counted counts rows.
type counted int

func count(a *arguments) (reducer, error) {
	if len(a.Args) > 0 {
		return nil, command.Error("Count accepts 0 values only")
	}
	return new(accumulators[counted, *counted]), nil
}

func (n *counted) add(*row) int {
	*n++
	return 0
}

func (n *counted) result() expr.Value { return expr.Number(float64(*n)) }

// sum adds numbers, or returns their mean over all rows.
type sum struct {
	column *column
	mean   bool
	rows   float64
	total  float64
}

func (s *sum) add(r *row) int {
	s.rows++
	if f, ok := numberOf(r, s.column); ok {
		s.total += f
	}
	return 0
}

func (s *sum) result() expr.Value {
	if s.mean {
		return expr.Number(s.total / s.rows)
	}
	return expr.Number(s.total)
}

// numberOf returns the number in a column; false if there is none.
func numberOf(r *row, c *column) (float64, bool) {
	v := r.at(c)
	if v == nil {
		return 0, false
	}
	if f, ok := v.Float(); ok {
		return f, true
	}
	return v.Number()
}

// eachNumber calls yield for the number in a column, or for those in a list.
func eachNumber(r *row, c *column, yield func(f float64)) {
	v, _ := r.get(c)
	if f, ok := v.Number(); ok {
		yield(f)
	}
	for _, e := range v.Elements() {
		if f, ok := e.Number(); ok {
			yield(f)
		}
	}
}

// extreme is the least or the greatest number; 0 if there is none that is finite.
type extreme struct {
	column   *column
	best     float64
	greatest bool
}

func (x *extreme) add(r *row) int {
	f, ok := numberOf(r, x.column)
	if ok && !(x.greatest && x.best > f || !x.greatest && x.best < f) {
		x.best = f
	}
	return 0
}

func (x *extreme) result() expr.Value {
	if math.IsInf(x.best, 0) {
		return expr.Number(0)
	}
	return expr.Number(x.best)
}

// deviation is the standard deviation of a sample, by Welford's method.
type deviation struct {
	column        *column
	n             float64
	mean, squares float64
}

func (d *deviation) add(r *row) int {
	eachNumber(r, d.column, func(f float64) {
		d.n++
		if d.n == 1 {
			d.mean = f
			return
		}
		mean := d.mean + (f-d.mean)/d.n
		d.squares += float64((f - d.mean) * (f - mean))
		d.mean = mean
	})
	return 0
}

func (d *deviation) result() expr.Value {
	if d.n < 2 {
		return expr.Number(0)
	}
	return expr.Number(math.Sqrt(d.squares / (d.n - 1)))
}

// distinct counts different values, by their hashes.
type distinct struct {
	column *column
	hashes hashSet
}

func (d *distinct) add(r *row) int {
	v := r.at(d.column)
	if v == nil || v.Kind() == expr.NullKind {
		return 0
	}
	return d.hashes.add(hashOf(v, 0))
}

func (d *distinct) result() expr.Value { return expr.Number(float64(d.hashes.n)) }

// toList is the different values, also those in lists.
type toList struct {
	column *column
	values []expr.Value
	table  chains
}

func (l *toList) add(r *row) (bytes int) {
	v, found := r.get(l.column)
	if !found {
		return 0
	}
	if v.Kind() != expr.ListKind {
		return l.addOne(v)
	}
	for _, e := range v.Elements() {
		bytes += l.addOne(e)
	}
	return bytes
}

func (l *toList) addOne(v expr.Value) int {
	l.table.touch()
	hash := hashOf(&v, 0)
	if l.table.find(hash, func(i int) bool { return expr.Same(&l.values[i], &v) }) >= 0 {
		return 0
	}
	l.values = append(l.values, v)
	l.table.put(hash)
	return 32 + 2*v.Size()
}

func (l *toList) result() expr.Value {
	values := make([]expr.Value, 0, len(l.values))
	for _, i := range l.table.order() {
		values = append(values, l.values[i])
	}
	return expr.List(values)
}

// first is the value of the row that another column puts first, or of the first row.
type first struct {
	column, by *column
	descending bool
	found      bool
	value, key expr.Value
}

func firstValue(a *arguments) (reducer, error) {
	c, err := a.column()
	if err != nil {
		return nil, err
	}
	f := first{column: c}
	if a.word("BY") {
		if f.by, err = a.column(); err != nil {
			return nil, err
		}
		if !a.word("ASC") {
			f.descending = a.word("DESC")
		}
	}
	return &accumulators[first, *first]{first: f}, a.end()
}

func (f *first) add(r *row) int {
	v, there := r.get(f.column)
	if f.by == nil {
		if !f.found {
			f.found, f.value = true, v
		}
		return 0
	}
	if !there {
		return 0
	}
	key, _ := r.get(f.by)
	if f.found && !f.isBefore(key) {
		return 0
	}
	f.found, f.value, f.key = true, v, key
	return 0
}

// isBefore reports whether a key comes before that of the value so far. Null comes last if what is
// there is not null, and else first in the other order.
func (f *first) isBefore(key expr.Value) bool {
	c := expr.Order(key, f.key)
	if !f.descending {
		c = -c
	}
	if f.key.Kind() == expr.NullKind {
		return c < 0
	}
	return c > 0
}

func (f *first) result() expr.Value { return f.value }

// maxSample is how many values a sample may have, and the resolution of a quantile.
const maxSample = 1000

// sample is so many values at random.
type sample struct {
	column *column
	most   int
	dice   func(n uint64) uint64
	seen   int
	values []expr.Value
}

func randomSample(a *arguments) (reducer, error) {
	c, err := a.column()
	if err != nil {
		return nil, err
	}
	n, err := a.unsigned("<sample size>")
	if err != nil {
		return nil, err
	}
	if n > maxSample {
		return nil, command.Error("Sample size too large")
	}
	return &accumulators[sample, *sample]{first: sample{column: c, most: n, dice: a.dice}}, nil
}

func (s *sample) add(r *row) int {
	v, found := r.get(s.column)
	if !found {
		return 0
	}
	s.seen++
	if len(s.values) < s.most {
		s.values = append(s.values, v)
		return v.Size()
	}
	if i := s.dice(uint64(s.seen)); i < uint64(s.most) {
		s.values[i] = v
	}
	return 0
}

func (s *sample) result() expr.Value { return expr.List(s.values) }

func quantile(a *arguments) (reducer, error) {
	c, err := a.column()
	if err != nil {
		return nil, err
	}
	share, err := a.share()
	if err != nil {
		return nil, err
	}
	resolution := 500
	if a.left() > 0 {
		if resolution, err = a.unsigned("<resolution>"); err != nil {
			return nil, err
		}
		if resolution < 1 || resolution > maxSample {
			return nil, command.Error("Invalid resolution")
		}
	}
	return &accumulators[quantiles, *quantiles]{first: quantiles{column: c, share: share, most: resolution}}, a.end()
}

// share reads the share of a quantile.
func (a *arguments) share() (float64, error) {
	if a.left() == 0 {
		return 0, command.Errorf(badArgument, a.Name, notConverted)
	}
	a.at++
	f, ok := expr.ParseNumber(a.Args[a.at-1])
	if !ok || math.IsInf(f, 0) {
		return 0, command.Errorf(badArgument, a.Name, notConverted)
	}
	if !(f >= 0 && f <= 1) {
		return 0, command.Error("Percentage must be between 0.0 and 1.0")
	}
	return f, nil
}

// Alias returns the name of the column of a reducer that was given none.
func (r Reducer) Alias() string {
	parts := make([]string, len(r.Args))
	for i, a := range r.Args {
		parts[i] = strings.TrimLeft(a, "@")
	}
	return strings.ToLower("__generated_alias" + r.Name + strings.Join(parts, ","))
}
