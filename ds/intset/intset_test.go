package intset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func of(numbers ...int64) Set {
	s := New()
	for _, n := range numbers {
		s, _ = s.Add(n)
	}
	return s
}

func all(s Set) (numbers []int64) {
	for i := range s.Len() {
		numbers = append(numbers, s.At(i))
	}
	return numbers
}

// Bytes known from Redis' format.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		set  Set
		want Set
	}{
		{"empty", New(), Set{2, 0, 0, 0, 0, 0, 0, 0}},
		{"2 bytes each", of(1, -2, 513), Set{2, 0, 0, 0, 3, 0, 0, 0, 0xFE, 0xFF, 1, 0, 1, 2}},
		{"4 bytes each", of(1, 70000), Set{4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0x70, 0x11, 1, 0}},
		{"8 bytes each", of(1700000000000, -1), Set{8, 0, 0, 0, 2, 0, 0, 0,
			0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0x00, 0x00}},
		{"twice the same", of(7, 7), Set{2, 0, 0, 0, 1, 0, 0, 0, 7, 0}},
	} {
		require.Equal(t, c.want, c.set, c.name)
		require.NoError(t, c.set.Check(), c.name)
	}
}

func TestWidths(t *testing.T) {
	for _, c := range []struct {
		n     int64
		width int
	}{
		{0, 2}, {math.MaxInt16, 2}, {math.MinInt16, 2}, {math.MaxInt16 + 1, 4}, {math.MinInt16 - 1, 4},
		{math.MaxInt32, 4}, {math.MinInt32, 4}, {math.MaxInt32 + 1, 8}, {math.MinInt32 - 1, 8},
		{math.MaxInt64, 8}, {math.MinInt64, 8},
	} {
		s := of(5, c.n, 3, 12)
		require.Equal(t, c.width, s.Width(), c.n)
		require.NoError(t, s.Check())
		require.ElementsMatch(t, slices.Compact([]int64{3, 5, 12, c.n}), all(s))
		s, removed := s.Remove(c.n)
		require.True(t, removed)
		require.Equal(t, c.width, s.Width(), "none is narrowed")
	}
}

func TestAddAndRemove(t *testing.T) {
	s := of(30, 10, 20)
	require.Equal(t, []int64{10, 20, 30}, all(s))
	require.True(t, s.Has(20))
	require.False(t, s.Has(15))
	require.False(t, s.Has(math.MaxInt64), "wider than the set")
	s, removed := s.Remove(15)
	require.False(t, removed)
	s, removed = s.Remove(math.MinInt64)
	require.False(t, removed)
	s, removed = s.Remove(20)
	require.True(t, removed)
	s = s.RemoveAt(1)
	require.Equal(t, []int64{10}, all(s))
	s = s.RemoveAt(0)
	require.Zero(t, s.Len())
	require.False(t, s.Has(0))
	require.NoError(t, s.Check())
}

func TestFilter(t *testing.T) {
	s := of(1, 2, 3, 4, 70000)
	s = s.Filter(func(n int64) bool { return n%2 == 0 })
	require.Equal(t, []int64{2, 4, 70000}, all(s))
	require.NoError(t, s.Check())
	s = s.Filter(func(int64) bool { return false })
	require.Zero(t, s.Len())
	require.NoError(t, s.Check())
}

func TestSpareCapacityIsUsed(t *testing.T) {
	buf := make([]byte, 512)
	s := AppendEmpty(buf)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		s = AppendEmpty(buf)
		for n := range int64(20) {
			s, _ = s.Add(n * 1_000_000_000 % 7)
			s, _ = s.Add(n * 1_000_000_000)
		}
		s, _ = s.Remove(0)
	}))
	require.Same(t, &buf[0], &s[0])
}

func TestTrim(t *testing.T) {
	s := New()
	for n := range int64(500) {
		s, _ = s.Add(n << 33)
	}
	require.Greater(t, cap(s), 4000)
	for n := range int64(495) {
		s, _ = s.Remove(n << 33)
	}
	before := all(s)
	s = s.Trim()
	require.Less(t, cap(s), 100)
	require.Equal(t, before, all(s))
}

func TestCheckFindsDamage(t *testing.T) {
	good := of(1, 2, 70000)
	require.NoError(t, good.Check())
	for name, s := range map[string]Set{
		"nothing":        {},
		"half a header":  {2, 0, 0, 0, 0},
		"width":          {3, 0, 0, 0, 0, 0, 0, 0},
		"large width":    {2, 1, 0, 0, 0, 0, 0, 0},
		"too short":      good[:len(good)-1],
		"too long":       append(slices.Clone(good), 0),
		"huge length":    {8, 0, 0, 0, 255, 255, 255, 255},
		"not ascending":  {2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0},
		"the same twice": {2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0},
	} {
		require.Error(t, s.Check(), name)
	}
}

// FuzzModel reads a program of changes, three bytes each, and compares the set with a sorted slice
// after each.
func FuzzModel(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x00\x02\x00\x04\x01\x00\x08\x09\x00\x10\x01\x00"))
	f.Add([]byte("\x00\x01\x00\x3c\x81\x00\x00\x02\x00\x1c\xff\xff\x01\x01\x00\x02\x01\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 600 {
			return
		}
		s, model := AppendEmpty(make([]byte, 40)), []int64{}
		for ; len(program) >= 3 && len(model) < 60; program = program[3:] {
			n := int64(int16(uint16(program[1])|uint16(program[2])<<8)) << (program[0] >> 2)
			at, there := slices.BinarySearch(model, n)
			require.Equal(t, there, s.Has(n))
			switch program[0] % 4 {
			case 0, 1:
				grown, added := s.Add(n)
				require.Equal(t, !there, added)
				if s = grown; added {
					model = slices.Insert(model, at, n)
				}
			case 2:
				shrunk, removed := s.Remove(n)
				require.Equal(t, there, removed)
				if s = shrunk; removed {
					model = slices.Delete(model, at, at+1)
				}
			default:
				keep := func(other int64) bool { return other > n || other%3 == 0 }
				s = s.Filter(keep)
				model = slices.DeleteFunc(model, func(other int64) bool { return !keep(other) })
			}
			require.NoError(t, s.Check())
			require.Equal(t, len(model), s.Len())
			for i, want := range model {
				require.Equal(t, want, s.At(i))
			}
		}
	})
}

// FuzzCheck takes arbitrary bytes: Check must not panic, and what it lets pass must bear every
// method.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(of(1, 2, 70000)))
	f.Add([]byte(New()))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := append(Set{}, b...)
		if s.Check() != nil {
			return
		}
		numbers := all(s)
		require.True(t, slices.IsSorted(numbers))
		for _, n := range numbers {
			require.True(t, s.Has(n))
		}
		s, _ = s.Add(math.MinInt64)
		s, _ = s.Add(math.MaxInt64)
		require.NoError(t, s.Check())
		for _, n := range numbers {
			s, _ = s.Remove(n)
		}
		require.NoError(t, s.Check())
		require.LessOrEqual(t, s.Len(), 2)
	})
}

var sizes = []int{8, 64, 512}

// filled returns n integers of 8 bytes at distances, with room for more.
func filled(n int) (Set, []int64) {
	s, numbers := AppendEmpty(make([]byte, 8192)), []int64{}
	for i := range n {
		numbers = append(numbers, 1700000000000+137*int64(i))
		s, _ = s.Add(numbers[i])
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return s, numbers
}

func BenchmarkHas(b *testing.B) {
	for _, n := range sizes {
		s, numbers := filled(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				if !s.Has(numbers[i]) {
					b.Fatal("absent")
				}
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}

func BenchmarkRemoveAdd(b *testing.B) {
	for _, n := range sizes {
		s, numbers := filled(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s, _ = s.Remove(numbers[i])
				s, _ = s.Add(numbers[i])
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}
