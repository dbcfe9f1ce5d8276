package aggregate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// paper is a document of the tests: texts by field. The index keeps those of field n as numbers.
type paper struct {
	number uint64
	fields map[string]string
}

func (p *paper) Score() float64                        { return 1 }
func (p *paper) Terms() []string                       { return []string{"word"} }
func (p *paper) Found(func(name string, v expr.Value)) {}

func (p *paper) Keep(Document) Document { return p }

func (p *paper) Sorted(field any, v *expr.Value) (ok bool) {
	*v, ok = p.Stored(field.(string), true)
	return ok
}

func (p *paper) Stored(path string, numeric bool) (expr.Value, bool) {
	text, found := p.fields[path]
	if f, err := strconv.ParseFloat(text, 64); numeric && err == nil {
		return expr.Number(f), true
	}
	if !found {
		return expr.Value{}, false
	}
	return expr.Stored(text), true
}

func (p *paper) Fields(yield func(name string, v expr.Value)) {
	for name, text := range p.fields {
		yield(name, expr.Stored(text))
	}
}

// library is a schema with the sortable field n and the field t.
type library struct{}

func (library) Field(name string) (Field, bool) {
	return Field{Handle: name, Path: name, Sortable: name == "n", Unnormalized: true, Numeric: name == "n"},
		name == "n" || name == "t"
}
func (library) JSON() bool        { return false }
func (library) Reload() bool      { return false }
func (library) Hides(string) bool { return false }
func (library) Found() []string   { return nil }

// papers returns so many random documents.
func papers(r *rand.Rand, n int) (list []*paper) {
	for i := range n {
		p := &paper{uint64(i + 1), map[string]string{}}
		if r.IntN(5) > 0 {
			p.fields["n"] = strconv.Itoa(r.IntN(20))
		}
		if r.IntN(5) > 0 {
			p.fields["t"] = strings.Repeat(string(rune('a'+r.IntN(4))), 1+r.IntN(2))
		}
		list = append(list, p)
	}
	return list
}

// run returns the rows of a plan as texts, and the error that ended them.
func run(list []*paper, plan *Plan) (rows []string, err error) { return runUntil(list, nil, plan) }

// runUntil is run for documents that an error ends.
func runUntil(list []*paper, end error, plan *Plan) (rows []string, err error) {
	if plan.Room == 0 {
		plan.Room = math.MaxInt
	}
	at := 0
	p, err := New(plan, library{}, func() (Document, bool, error) {
		if at++; at > len(list) {
			return nil, false, end
		}
		return list[at-1], true, nil
	})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for {
		row, more, err := p.Next()
		if !more {
			return rows, err
		}
		var text []string
		for _, c := range row.Cells(nil) {
			text = append(text, c.Name+"="+text1(c.Value))
		}
		rows = append(rows, strings.Join(text, " "))
	}
}

// text1 returns a value as a text.
func text1(v expr.Value) string {
	if v.Kind() != expr.ListKind {
		return v.String()
	}
	var list []string
	for _, e := range v.Elements() {
		list = append(list, text1(e))
	}
	return fmt.Sprint(list)
}

// TestSort is a stable sort, of which documents without a value are the end.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		list := papers(r, r.IntN(60))
		descending, offset, limit := r.IntN(2) == 0, r.IntN(10), 1+r.IntN(20)
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b *paper) int {
			x, hasX := a.Stored("n", true)
			y, hasY := b.Stored("n", true)
			switch c, _ := expr.Compare(&x, &y); {
			case hasX != hasY && hasX, !hasX && !hasY && !descending && a.number < b.number:
				return -1
			case hasX != hasY:
				return 1
			case !hasX, c == 0:
				return map[bool]int{false: 1, true: -1}[descending] * int(int64(b.number)-int64(a.number))
			case descending:
				return -c
			default:
				return c
			}
		})
		rows, err := run(list, &Plan{Steps: []Step{&Arrange{Sorts: true, Keys: []SortKey{{"n", descending}},
			Offset: uint64(offset), Limit: uint64(limit)}}})
		require.NoError(t, err)
		want = want[min(offset, len(want)):]
		require.Len(t, rows, min(limit, len(want)))
		for i, row := range rows {
			n, found := want[i].fields["n"]
			require.Equal(t, map[bool]string{true: "n=" + n}[found], row)
		}
	}
}

// TestGroup counts, adds and lists what a map does.
func TestGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		list := papers(r, r.IntN(300))
		counts, sums, seen := map[string]int{}, map[string]float64{}, map[string]map[string]bool{}
		for _, p := range list {
			key := p.fields["t"]
			counts[key]++
			f, _ := strconv.ParseFloat(p.fields["n"], 64)
			sums[key] += f
			if seen[key] == nil {
				seen[key] = map[string]bool{}
			}
			if n, ok := p.fields["n"]; ok {
				seen[key][n] = true
			}
		}
		rows, err := run(list, &Plan{Steps: []Step{&Group{By: []string{"t"}, Reducers: []Reducer{
			{"count", nil, "c"}, {"Sum", []string{"@n"}, "s"}, {"COUNT_DISTINCT", []string{"n"}, "d"},
			{"TOLIST", []string{"@n"}, "l"}}},
			&Apply{Expression: "@c * 2", As: "twice"}, &Filter{Expression: "@twice > 0"}}})
		require.NoError(t, err)
		require.Len(t, rows, len(counts))
		for _, row := range rows {
			name := strings.TrimPrefix(strings.Fields(row)[0], "t=")
			n := strings.Count(row[strings.Index(row, "l=["):strings.Index(row, "]")], " ") + 1
			if len(seen[name]) == 0 {
				n = 0
			}
			require.Equal(t, len(seen[name]), n, row)
			require.Contains(t, row, fmt.Sprintf("c=%d s=%v d=%d ", counts[name], sums[name], len(seen[name])), row)
		}
	}
}

// TestOrders: of what is put into a table each item comes out once.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 300 {
		var b buckets
		var c chains
		for i := range n {
			hash := r.Uint64() >> r.IntN(64)
			b.put(hash)
			c.touch()
			c.put(hash)
			if i%3 == 0 {
				c.touch()
			}
		}
		var groups []int
		for item, place := b.next(0); item >= 0; item, place = b.next(place) {
			groups = append(groups, item)
		}
		for _, order := range [][]int{groups, c.order()} {
			slices.Sort(order)
			require.Len(t, order, n)
			for i, item := range order {
				require.Equal(t, i, item)
			}
		}
	}
}

// TestHashSet has each hash once, also 0.
func TestHashSet(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var s hashSet
	want := map[uint64]bool{}
	for range 3000 {
		hash := r.Uint64() >> r.IntN(64) & 0xff000000000000ff
		s.add(hash)
		want[hash] = true
		require.Equal(t, len(want), s.n)
	}
}

// TestQuantile: the rank of the result is off by about a hundredth.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, share := range []float64{0, 0.1, 0.5, 0.9, 0.99, 1} {
		q := &quantiles{column: &column{}, share: share, most: 500}
		const n = 20000
		for _, i := range r.Perm(n) {
			row := new(row)
			row.set(0, expr.Number(float64(i)))
			q.add(row)
		}
		rank, _ := q.result().Number()
		require.InDelta(t, share*n, rank, 0.03*n, "%v", share)
		require.Less(t, len(q.samples), n/10)
	}
}

// TestSketch estimates within a fifth.
func TestSketch(t *testing.T) {
	for _, n := range []int{1, 10, 100, 1000, 100000} {
		s := make(sketch, 1<<sketchBits)
		for i := range n {
			text := expr.Text(strconv.Itoa(i * 7919))
			s.add(uint32(hashOf(&text, sketchSeed) * 0x9e3779b97f4a7c15 >> 32))
		}
		require.InEpsilon(t, n, s.count(), 0.2)
	}
}

// TestRoomOfARow: what is computed for one row is bounded, too, and so is each text.
func TestRoomOfARow(t *testing.T) {
	list := []*paper{{number: 1}}
	twice := &Plan{Steps: []Step{&Apply{"'text'", "a"}}}
	for range 60 {
		twice.Steps = append(twice.Steps, &Apply{"format('%s%s', @a, @a)", "a"})
	}
	_, err := run(list, twice)
	require.EqualError(t, err, "The text that format makes is too long")
	_, err = run(list, &Plan{Steps: twice.Steps, Room: 1 << 20})
	require.ErrorIs(t, err, ErrRoom)
}

// TestLongPlans: a plan of four times as many steps takes about four times the memory.
func TestLongPlans(t *testing.T) {
	taken := func(steps int) float64 {
		plan := &Plan{Room: math.MaxInt}
		for i := range steps {
			plan.Steps = append(plan.Steps, &Apply{"@n+1", fmt.Sprint("x", i)})
		}
		require.Equal(t, steps, plan.Work())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New(plan, library{}, nil)
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	require.Less(t, taken(8000)/taken(2000), 8.0)
}

// TestRoom: what is kept is bounded, and so is how many groups a row belongs to.
func TestRoom(t *testing.T) {
	list := papers(rand.New(rand.NewPCG(9, 10)), 5000)
	for _, step := range []Step{
		&Arrange{Sorts: true, Keys: []SortKey{{"n", false}}, Limit: 4000},
		&Group{Reducers: []Reducer{{"TOLIST", []string{"@long"}, "l"}}},
		&Group{By: []string{"long"}},
	} {
		long := &Apply{Expression: `format("%s %s %s", exists(@n), exists(@t), matched_terms())`, As: "long"}
		_, err := run(list, &Plan{Steps: []Step{&Load{All: true}, long, step}, Room: 400})
		require.ErrorIs(t, err, ErrRoom)
	}
	many := &Apply{Expression: `split("` + strings.Repeat("a,b,c,d,", 200) + `")`, As: "many"}
	_, err := run(list, &Plan{Steps: []Step{many, &Apply{Expression: "@many", As: "more"},
		&Group{By: []string{"many", "more"}}}})
	require.ErrorIs(t, err, errSpread)
}

// TestLate: what was sorted until the time was over is given out, and what was grouped is not.
func TestLate(t *testing.T) {
	list := papers(rand.New(rand.NewPCG(11, 12)), 50)
	sort := &Arrange{Sorts: true, Keys: []SortKey{{"n", false}}, Limit: 7}
	rows, err := runUntil(list, ErrLate, &Plan{Steps: []Step{sort}})
	require.ErrorIs(t, err, ErrLate)
	require.Len(t, rows, 7)
	rows, err = runUntil(list, ErrLate, &Plan{Steps: []Step{&Group{By: []string{"n"}}}})
	require.ErrorIs(t, err, ErrLate)
	require.Empty(t, rows)
	rows, err = runUntil(list, ErrLate, &Plan{})
	require.ErrorIs(t, err, ErrLate)
	require.Len(t, rows, 50)
}

// TestCursors reads cursors in chunks, and lets idle ones end.
func TestCursors(t *testing.T) {
	var cs Cursors
	dice := func(n uint64) uint64 { return 41 % n }
	open := func(owner any, n int) *Cursor {
		c := &Cursor{Owner: owner, MaxIdle: 100}
		list := make([]Result, n)
		for i := range list {
			list[i].Total = i
		}
		if err := cs.Open(c, list, 7, errors.New("end"), dice); err != nil {
			return nil
		}
		cs.Pause(c, 1000)
		return c
	}
	c := open("a", 5)
	require.EqualValues(t, 42, c.ID)
	for _, want := range []struct {
		rows, total int
		more        bool
	}{{2, 0, true}, {2, 2, true}, {1, 4, false}, {0, 7, false}} {
		list, total, more, err := c.Read(2)
		require.Equal(t, want.more, more)
		require.Len(t, list, want.rows)
		require.Equal(t, want.total, total)
		require.Equal(t, want.more, err == nil)
	}
	require.Same(t, c, cs.Find(42, 1099))
	require.Nil(t, cs.Find(42, 1100))
	require.Zero(t, cs.Bytes())
	c = open("a", 2)
	_, _, more, _ := c.Read(2)
	require.True(t, more, "who has read exactly all asks again")
	_, total, more, _ := c.Read(2)
	require.False(t, more)
	require.Equal(t, 7, total)
}

// TestManyCursors: an index has a limited number.
func TestManyCursors(t *testing.T) {
	var cs Cursors
	at := uint64(0)
	dice := func(n uint64) uint64 { at++; return at % n }
	for range mostPerOwner {
		require.NoError(t, cs.Open(&Cursor{Owner: 1}, nil, 0, nil, dice))
	}
	require.ErrorIs(t, cs.Open(&Cursor{Owner: 1}, nil, 0, nil, dice), errTooMany)
	require.NoError(t, cs.Open(&Cursor{Owner: 2}, nil, 0, nil, dice))
	require.Equal(t, mostPerOwner, cs.Count(1))
}
