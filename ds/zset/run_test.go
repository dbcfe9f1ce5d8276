package zset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClip(t *testing.T) {
	s := letters(5, redis)
	const lots = int(^uint(0) >> 1)
	for _, c := range []struct{ start, stop, first, n int }{
		{0, -1, 0, 5}, {0, 0, 0, 1}, {1, 3, 1, 3}, {-2, -1, 3, 2}, {-100, 1, 0, 2}, {3, 100, 3, 2}, {4, 4, 4, 1},
		{5, 9, 5, 0}, {3, 2, 3, 0}, {0, -6, 0, 0}, {-1, 0, 4, 0}, {-lots - 1, lots, 0, 5}, {lots, -lots - 1, 5, 0},
		{lots, lots, 5, 0},
	} {
		first, n := s.Clip(c.start, c.stop)
		require.Equal(t, []int{c.first, c.n}, []int{first, n}, "%d %d", c.start, c.stop)
	}
}

func TestRange(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(5, lim)
		for _, c := range []struct {
			start, stop int
			reverse     bool
			want        pairs
		}{
			{0, -1, false, pairs{"a=1", "b=2", "c=3", "d=4", "e=5"}},
			{0, -1, true, pairs{"e=5", "d=4", "c=3", "b=2", "a=1"}},
			{1, 2, false, pairs{"b=2", "c=3"}},
			{1, 2, true, pairs{"d=4", "c=3"}},
			{-1, -1, true, pairs{"a=1"}},
			{0, 0, true, pairs{"e=5"}},
			{5, 7, false, nil}, {5, 7, true, nil}, {2, 1, true, nil},
		} {
			var got pairs
			s.Range(c.start, c.stop, c.reverse, got.take)
			require.Equal(t, c.want, got, "%+v", c)
		}
	})
}

func TestRangeStopsWhenTold(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(9, lim)
		for _, reverse := range []bool{false, true} {
			calls := 0
			s.Range(0, -1, reverse, func([]byte, float64) bool { calls++; return calls < 3 })
			require.Equal(t, 3, calls)
		}
	})
}

func TestRangeByScore(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(6, lim)
		in := func(min, max float64) ScoreRange { return ScoreRange{Min: min, Max: max} }
		for _, c := range []struct {
			r             ScoreRange
			reverse       bool
			offset, limit int
			want          pairs
		}{
			{always, false, 0, -1, pairs{"a=1", "b=2", "c=3", "d=4", "e=5", "f=6"}},
			{always, false, 0, 2, pairs{"a=1", "b=2"}},
			{always, false, 4, 3, pairs{"e=5", "f=6"}},
			{always, false, 6, 3, nil},
			{always, false, -1, 3, nil},
			{always, false, 0, 0, nil},
			{always, true, 0, 2, pairs{"f=6", "e=5"}},
			{always, true, 1, 2, pairs{"e=5", "d=4"}},
			{always, true, 4, 100, pairs{"b=2", "a=1"}},
			{always, true, 7, 1, nil},
			{in(2, 4), false, 0, -1, pairs{"b=2", "c=3", "d=4"}},
			{in(2, 4), true, 0, -1, pairs{"d=4", "c=3", "b=2"}},
			{in(2, 4), true, 1, 1, pairs{"c=3"}},
			{in(2, 4), false, 1, all, pairs{"c=3", "d=4"}},
			{ScoreRange{Min: 2, Max: 4, MinEx: true, MaxEx: true}, false, 0, -1, pairs{"c=3"}},
			{ScoreRange{Min: 4, Max: 4, MaxEx: true}, false, 0, -1, nil},
			{in(2.5, 2.6), false, 0, -1, nil}, {in(7, inf), false, 0, -1, nil}, {in(-inf, 0), true, 0, -1, nil},
			{in(5, 2), false, 0, -1, nil},
		} {
			var got pairs
			s.RangeByScore(c.r, c.reverse, c.offset, c.limit, got.take)
			require.Equal(t, c.want, got, "%+v", c)
			if c.offset == 0 && c.limit < 0 {
				require.Equal(t, len(c.want), s.Count(c.r))
			}
		}
	})
}

func TestRangeByLex(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		var s Set
		for _, m := range []string{"b", "d", "f", "h", "10"} {
			s.Add([]byte(m), 1, lim, fixedDice(1))
		}
		at := func(m string) LexBound { return LexBound{Member: []byte(m)} }
		ex := func(m string) LexBound { return LexBound{Member: []byte(m), Ex: true} }
		low, high := LexBound{Inf: -1}, LexBound{Inf: 1}
		for _, c := range []struct {
			r       LexRange
			reverse bool
			want    pairs
		}{
			{between(low, high), false, pairs{"10=1", "b=1", "d=1", "f=1", "h=1"}},
			{between(low, high), true, pairs{"h=1", "f=1", "d=1", "b=1", "10=1"}},
			{between(at("b"), ex("f")), false, pairs{"b=1", "d=1"}},
			{between(ex("b"), at("f")), true, pairs{"f=1", "d=1"}},
			{between(low, ex("b")), false, pairs{"10=1"}},
			{between(at("1"), at("2")), false, pairs{"10=1"}},
			{between(high, low), false, nil}, {between(ex("h"), high), false, nil},
			{between(ex("d"), at("d")), false, nil},
		} {
			var got pairs
			s.RangeByLex(c.r, c.reverse, 0, -1, got.take)
			require.Equal(t, c.want, got, "%+v", c)
			require.Equal(t, len(c.want), s.LexCount(c.r))
		}
		var got pairs
		s.RangeByLex(between(low, high), true, 1, 2, got.take)
		require.Equal(t, pairs{"f=1", "d=1"}, got)
		got = nil
		require.Equal(t, 2, s.RemoveRangeByLex(between(at("c"), at("g")), got.took))
		require.Equal(t, pairs{"d=1", "f=1"}, got)
		require.Equal(t, pairs{"10=1", "b=1", "h=1"}, contents(&s))
		require.NoError(t, s.Check())
	})
}

func TestRemoveRanges(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(10, lim)
		var gone pairs
		require.Equal(t, 3, s.RemoveRangeByScore(ScoreRange{Min: 3, Max: 6, MaxEx: true}, gone.took))
		require.Equal(t, pairs{"c=3", "d=4", "e=5"}, gone)
		require.NoError(t, s.Check())
		gone = nil
		require.Equal(t, 2, s.RemoveRangeByRank(-3, -2, gone.took))
		require.Equal(t, pairs{"h=8", "i=9"}, gone)
		require.NoError(t, s.Check())
		require.Zero(t, s.RemoveRangeByScore(ScoreRange{Min: 50, Max: 60}, nil))
		require.Equal(t, pairs{"a=1", "b=2", "f=6", "g=7", "j=10"}, contents(s))
		require.Equal(t, 5, s.RemoveRangeByScore(always, nil))
		require.Zero(t, s.Len())
		require.NoError(t, s.Check())
	})
}

func TestPop(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(6, lim)
		var popped pairs
		require.Equal(t, 2, s.PopMin(2, popped.took))
		require.Equal(t, 2, s.PopMax(2, popped.took))
		require.Equal(t, pairs{"a=1", "b=2", "f=6", "e=5"}, popped)
		require.Zero(t, s.PopMin(0, popped.took))
		require.Zero(t, s.PopMax(-1, popped.took))
		require.NoError(t, s.Check())
		popped = nil
		require.Equal(t, 2, s.PopMax(9, popped.took))
		require.Equal(t, pairs{"d=4", "c=3"}, popped)
		require.Zero(t, s.Len())
	})
}

func between(min, max LexBound) LexRange { return LexRange{Min: min, Max: max} }
