package hll

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

const sparseMax = 3000 // Redis' default

func add(t testing.TB, s Sketch, elements ...string) Sketch {
	for _, e := range elements {
		var err error
		s, _, err = s.Add([]byte(e), sparseMax)
		require.NoError(t, err)
	}
	return s
}

func runs(s Sketch) string { return string(s.AppendRuns(nil)) }

func registers(t testing.TB, s Sketch) *Registers {
	r := new(Registers)
	require.NoError(t, s.Check())
	require.NoError(t, r.Merge(s))
	return r
}

// The bytes are those of redis-server 7.0.15.
func TestBytes(t *testing.T) {
	s := New()
	require.Equal(t, "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff", string(s))
	require.Equal(t, "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80W1\x84h\xcc", string(add(t, New(), "")))
	s = add(t, s, "a", "b", "c")
	require.Equal(t, "Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603", runs(s))
	n, err := s.Count()
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	s.SetCached(n)
	require.Equal(t, "HYLL\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00`\xf3\x80P\xb1\x84K\xfb\x80BZ", string(s))
	s = add(t, s, "d")
	require.Equal(t, "HYLL\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x80\\{\x80Dv\x80P\xb1\x84K\xfb\x80BZ", string(s))
}

// The value is MurmurHash64A's for Redis' seed. Texts of different lengths have different hashes.
func TestHash(t *testing.T) {
	require.Equal(t, uint64(0xd8dfea6585bc9732), hash(nil))
	seen := map[uint64]bool{}
	for n := range 40 {
		seen[hash([]byte(strings.Repeat("x", n)))] = true
	}
	require.Len(t, seen, 40)
}

func TestCached(t *testing.T) {
	s := New()
	n, ok := s.Cached()
	require.True(t, ok)
	require.Zero(t, n)
	s = add(t, s, "a")
	_, ok = s.Cached()
	require.False(t, ok)
	s.SetCached(1)
	s, changed, err := s.Add([]byte("a"), sparseMax)
	require.NoError(t, err)
	require.False(t, changed)
	n, ok = s.Cached()
	require.True(t, ok)
	require.EqualValues(t, 1, n)
}

func TestValid(t *testing.T) {
	require.True(t, Valid(New()))
	d, err := New().ToDense()
	require.NoError(t, err)
	require.True(t, Valid(d))
	for _, bad := range []string{"", "HYLL", "HYLL\x01aaabbbbbbb", "HYLX\x01aaabbbbbbbb", "HYLL\x02aaabbbbbbbb",
		"HYLL\x00aaabbbbbbbb"} {
		require.False(t, Valid([]byte(bad)), bad)
	}
	require.False(t, Valid(append(d, 0)))
}

// randomElements returns n texts that differ from those of other calls.
func randomElements(r *rand.Rand, n int) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = binary.LittleEndian.AppendUint64(nil, r.Uint64())[:1+r.IntN(8)]
	}
	return list
}

// TestSparseAndDenseHaveTheSameRegisters adds to both, and to a naive model.
func TestSparseAndDenseHaveTheSameRegisters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{0, 18, 30, 300, 3000, DenseSize} {
		s, model := New(), Registers{}
		d, err := New().ToDense()
		require.NoError(t, err)
		for i, e := range randomElements(r, 6000) {
			at, rank := place(hash(e))
			lower := model[at] < rank
			model[at] = max(model[at], rank)
			var changed bool
			s, changed, err = s.Add(e, limit)
			require.NoError(t, err)
			require.Equal(t, lower, changed)
			d, changed, err = d.Add(e, limit)
			require.NoError(t, err)
			require.Equal(t, lower, changed)
			require.True(t, s.Dense() || len(s) <= max(limit, 18))
			if i%500 == 0 || i < 50 {
				require.Equal(t, &model, registers(t, s))
				require.Equal(t, &model, registers(t, d))
				ns, err := s.Count()
				require.NoError(t, err)
				nd, err := d.Count()
				require.NoError(t, err)
				require.Equal(t, ns, nd)
				require.Equal(t, ns, model.Count())
			}
		}
	}
}

func TestHighRanksMakeDense(t *testing.T) {
	s, changed, err := New().raiseSparse(new(cursor), 5, maxValue, sparseMax)
	require.NoError(t, err)
	require.True(t, changed && !s.Dense())
	require.Equal(t, "z:5 v:32,1 Z:16378", runs(s))
	s, changed, err = s.raiseSparse(new(cursor), 5, maxValue+1, sparseMax)
	require.NoError(t, err)
	require.True(t, changed && s.Dense())
	require.EqualValues(t, maxValue+1, registers(t, s)[5])
}

// TestSplitsAndJoins tries each way in which Redis changes runs.
func TestSplitsAndJoins(t *testing.T) {
	s := New()
	for _, step := range []struct {
		register int
		rank     uint8
		want     string
	}{
		{100, 3, "Z:100 v:3,1 Z:16283"},
		{101, 3, "Z:100 v:3,2 Z:16282"},
		{103, 3, "Z:100 v:3,2 z:1 v:3,1 Z:16280"},
		{102, 3, "Z:100 v:3,4 Z:16280"},
		{104, 3, "Z:100 v:3,4 v:3,1 Z:16279"},
		{102, 5, "Z:100 v:3,2 v:5,1 v:3,2 Z:16279"},
		{102, 4, "Z:100 v:3,2 v:5,1 v:3,2 Z:16279"},
		{100, 5, "Z:100 v:5,1 v:3,1 v:5,1 v:3,2 Z:16279"},
		{101, 5, "Z:100 v:5,3 v:3,2 Z:16279"},
		{0, 1, "v:1,1 Z:99 v:5,3 v:3,2 Z:16279"},
		{40, 1, "v:1,1 z:39 v:1,1 z:59 v:5,3 v:3,2 Z:16279"},
		{16383, 2, "v:1,1 z:39 v:1,1 z:59 v:5,3 v:3,2 Z:16278 v:2,1"},
		{16383, 9, "v:1,1 z:39 v:1,1 z:59 v:5,3 v:3,2 Z:16278 v:9,1"},
	} {
		var err error
		s, _, err = s.raiseSparse(new(cursor), step.register, step.rank, sparseMax)
		require.NoError(t, err)
		require.NoError(t, s.Check())
		require.Equal(t, step.want, runs(s), "%v", step)
	}
}

// TestUnion compares a union, which is built in one walk, with raising register by register.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		var all Registers
		for range 1 + r.IntN(3) {
			s := New()
			for _, e := range randomElements(r, r.IntN(40+10*i)) {
				s = add(t, s, string(e))
			}
			require.NoError(t, all.Merge(s))
		}
		into := add(t, New(), "x", "y")
		want := into.Clone()
		for at, v := range all {
			var err error
			if want.Dense() {
				want.raiseDense(at, v)
			} else if v > 0 {
				want, _, err = want.raiseSparse(new(cursor), at, v, sparseMax)
				require.NoError(t, err)
			}
		}
		want.Invalidate()
		got, err := into.Clone().Raise(&all, false, sparseMax)
		require.NoError(t, err)
		require.NoError(t, got.Check())
		require.Equal(t, want, got)

		dense, err := into.Raise(&all, true, sparseMax)
		require.NoError(t, err)
		require.True(t, dense.Dense())
		require.Equal(t, registers(t, want), registers(t, dense))
	}
}

func TestCorruptRunsAreErrors(t *testing.T) {
	head := string(New()[:headerSize])
	for _, tail := range []string{"", "\x00", "\x7f", "\x7f\xff\x00", "\x7f\xff\x80", "\x7f\xfe", "\x7f\xfe\x00\x00",
		"\x7f\xff\x40"} {
		bad := func() Sketch { return Sketch(head + tail) }
		require.Error(t, bad().Check(), "%q", tail)
		_, err := bad().Count()
		require.ErrorIs(t, err, ErrCorrupt)
		_, err = bad().ToDense()
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorIs(t, new(Registers).Merge(bad()), ErrCorrupt)
		bad().AppendRuns(nil)
		_, err = bad().Raise(new(Registers), true, sparseMax)
		require.ErrorIs(t, err, ErrCorrupt)
	}
	_, _, err := Sketch(head+"\x00").Add([]byte("a"), sparseMax)
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = Sketch(head+"\x00").Raise(&Registers{7: 1}, false, sparseMax)
	require.ErrorIs(t, err, ErrCorrupt)
}

// TestStandardError measures the errors of many sketches of the same size. The root mean square
// must be what 16384 registers promise, 1.04/128 = 0.81 %, and the mean must be close to zero. The
// elements are fixed, so the result is the same in every run.
func TestStandardError(t *testing.T) {
	quick.Skip(t, "counts millions of elements")
	const promised = 0.0081
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ n, runs int }{{1000, 300}, {5000, 300}, {20000, 200}, {45000, 100}, {80000, 100},
		{200000, 30}, {1000000, 6}} {
		sum, squares, element := 0.0, 0.0, make([]byte, 8)
		for range c.runs {
			s := New()
			for range c.n {
				binary.LittleEndian.PutUint64(element, r.Uint64())
				s, _, _ = s.Add(element, sparseMax)
			}
			n, err := s.Count()
			require.NoError(t, err)
			e := float64(n)/float64(c.n) - 1
			sum += e
			squares += e * e
		}
		runs := float64(c.runs)
		rms, mean := math.Sqrt(squares/runs), sum/runs
		t.Logf("%d elements, %d sketches: standard error %.2f %%, mean %+.2f %%", c.n, c.runs, 100*rms, 100*mean)
		// The root mean square of so many errors varies by 1/sqrt(2 runs) itself.
		require.Less(t, rms, promised*(1+3/math.Sqrt(2*runs)), "%d", c.n)
		require.Less(t, math.Abs(mean), 3*promised/math.Sqrt(runs), "%d", c.n)
	}
}

func TestSelfTest(t *testing.T) { require.NoError(t, SelfTest()) }

func TestAddingDoesNotAllocate(t *testing.T) {
	d, err := New().ToDense()
	require.NoError(t, err)
	s := append(make(Sketch, 0, 1000), add(t, New(), "a", "b", "c")...)
	element, i := make([]byte, 8), uint64(0)
	require.Zero(t, testing.AllocsPerRun(50, func() {
		i++
		binary.LittleEndian.PutUint64(element, i)
		d, _, _ = d.Add(element, sparseMax)
		s, _, _ = s.Add(element, sparseMax)
		_, _ = d.Count()
		_, _ = s.Count()
	}))
}

func FuzzRuns(f *testing.F) {
	f.Add([]byte("\x7f\xff"), uint16(5), uint8(3))
	f.Add([]byte("\x80\x57\x31\x84\x68\xcc"), uint16(16383), uint8(40))
	f.Add([]byte("\x40"), uint16(0), uint8(1))
	f.Fuzz(func(t *testing.T, tail []byte, register uint16, rank uint8) {
		s := Sketch(append([]byte("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), tail...))
		good := s.Check() == nil
		at, rank := int(register&mask), rank%51+1
		got, changed, err := s.Clone().raiseSparse(new(cursor), at, rank, sparseMax)
		_, _ = s.Count()
		if !good {
			return
		}
		require.NoError(t, err)
		require.NoError(t, got.Check())
		want := registers(t, s)
		require.Equal(t, want[at] < rank, changed)
		want[at] = max(want[at], rank)
		require.Equal(t, want, registers(t, got))
	})
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1, 500, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, element := New(), make([]byte, 8)
			for i := range n {
				binary.LittleEndian.PutUint64(element, uint64(i))
				s, _, _ = s.Add(element, sparseMax)
			}
			for i := 0; b.Loop(); i++ {
				binary.LittleEndian.PutUint64(element, uint64(i%n))
				s, _, _ = s.Add(element, sparseMax)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	for _, n := range []int{500, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, element := New(), make([]byte, 8)
			for i := range n {
				binary.LittleEndian.PutUint64(element, uint64(i))
				s, _, _ = s.Add(element, sparseMax)
			}
			for b.Loop() {
				_, _ = s.Count()
			}
		})
	}
}

func BenchmarkUnion(b *testing.B) {
	d, _ := New().ToDense()
	element := make([]byte, 8)
	for i := range 100000 {
		binary.LittleEndian.PutUint64(element, uint64(i))
		d, _, _ = d.Add(element, sparseMax)
	}
	for b.Loop() {
		var r Registers
		_ = r.Merge(d)
		d, _ = d.Raise(&r, true, sparseMax)
	}
}
