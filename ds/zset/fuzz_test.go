package zset

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// element is one of the model's: a sorted slice.
type element struct {
	member string
	score  float64
}

type model []element

func (m *model) add(member string, score float64) (added, changed bool) {
	i := slices.IndexFunc(*m, func(e element) bool { return e.member == member })
	if i >= 0 && (*m)[i].score == score {
		return false, false
	}
	if i >= 0 {
		*m = slices.Delete(*m, i, i+1)
	}
	*m = append(*m, element{member, score})
	slices.SortFunc(*m, func(a, b element) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.member, b.member))
	})
	return i < 0, i >= 0
}

// pick returns the elements that in holds for, reversed if asked.
func (m model) pick(reverse bool, in func(e element) bool) (p pairs) {
	for _, e := range m {
		if in(e) {
			p.take([]byte(e.member), e.score)
		}
	}
	if reverse {
		slices.Reverse(p)
	}
	return p
}

// FuzzModel runs a program of three-byte instructions on a Set and on a sorted slice.
// The first two bytes are the limits: small ones make sets convert on the way.
func FuzzModel(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, entries := range []byte{0, 3, 20, 255} {
		program := []byte{entries, 30}
		for range 900 {
			program = append(program, byte(rng.Uint32()))
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) < 2 || len(program) > 3000 {
			return
		}
		x := tester{t: t, lim: Limits{MaxEntries: int(program[0]), MaxValue: int(program[1])}, dice: fixedDice(1)}
		sortedOnce := false
		for program = program[2:]; len(program) >= 3; program = program[3:] {
			x.step(program[0], program[1], program[2])
			require.NoError(t, x.s.Check())
			require.Equal(t, x.m.pick(false, func(element) bool { return true }), contents(&x.s))
			require.False(t, sortedOnce && x.s.sorted == nil)
			sortedOnce = x.s.sorted != nil
			require.True(t, sortedOnce || x.s.Len() <= x.lim.MaxEntries)
		}
	})
}

type tester struct {
	t    *testing.T
	s    Set
	m    model
	lim  Limits
	dice func(n uint64) uint64
}

// member makes a member of a byte: integers, short and long strings.
func member(b byte) string {
	switch {
	case b < 100:
		return strconv.Itoa(int(b) * int(b) * int(b))
	case b < 200:
		return "m" + strconv.Itoa(int(b))
	}
	return strings.Repeat(string(rune('a'+b%26)), int(b)-170)
}

// step runs one instruction on the set and on the model and compares what they say.
func (x *tester) step(op, a, b byte) {
	scores := ScoreRange{Min: float64(a) / 8, Max: float64(b) / 8, MinEx: op&16 != 0, MaxEx: op&32 != 0}
	inScores := func(e element) bool { return !scores.Below(e.score) && !scores.Above(e.score) }
	switch op & 15 {
	case 0, 1, 2, 3, 4, 5:
		wantAdded, wantChanged := x.m.add(member(a), float64(b)/8)
		if wantAdded && op&15 == 5 {
			x.s.Append([]byte(member(a)), float64(b)/8, x.lim, x.dice)
			break
		}
		added, changed := x.s.Add([]byte(member(a)), float64(b)/8, x.lim, x.dice)
		require.Equal(x.t, []bool{wantAdded, wantChanged}, []bool{added, changed})
	case 6:
		i := slices.IndexFunc(x.m, func(e element) bool { return e.member == member(a) })
		rank, score, ok := x.s.Rank([]byte(member(a)), false)
		require.Equal(x.t, i >= 0, ok)
		if ok {
			require.Equal(x.t, i, rank)
			require.Equal(x.t, x.m[i].score, score)
		}
		require.Equal(x.t, ok, x.s.Remove([]byte(member(a))))
		x.m = slices.DeleteFunc(x.m, func(e element) bool { return e.member == member(a) })
	case 7:
		var got pairs
		offset, limit := int(op>>6), int(a%5)-1
		x.s.RangeByScore(scores, op&16 != 0, offset, limit, got.take)
		want := x.m.pick(op&16 != 0, inScores)
		want = want[min(offset, len(want)):]
		if limit >= 0 {
			want = want[:min(limit, len(want))]
		}
		require.Equal(x.t, append(pairs{}, want...), append(pairs{}, got...))
	case 8:
		var gone pairs
		want := x.m.pick(false, inScores)
		require.Equal(x.t, len(want), x.s.Count(scores))
		require.Equal(x.t, len(want), x.s.RemoveRangeByScore(scores, gone.took))
		require.Equal(x.t, want, gone)
		x.m = slices.DeleteFunc(x.m, inScores)
	case 9:
		var got pairs
		start, stop := int(int8(a)), int(int8(b))
		x.s.Range(start, stop, op&16 != 0, got.take)
		want := x.m.pick(op&16 != 0, func(element) bool { return true })
		first, n := x.s.Clip(start, stop)
		require.Equal(x.t, append(pairs{}, want[first:first+n]...), append(pairs{}, got...))
	case 10:
		first, n := x.s.Clip(int(int8(a)), int(int8(b)))
		require.Equal(x.t, n, x.s.RemoveRangeByRank(int(int8(a)), int(int8(b)), nil))
		x.m = slices.Delete(x.m, first, first+n)
	case 11:
		count := int(a % 4)
		n := min(count, len(x.m))
		if op&16 != 0 {
			require.Equal(x.t, n, x.s.PopMax(count, func([]byte, float64) {}))
			x.m = x.m[:len(x.m)-n]
		} else {
			require.Equal(x.t, n, x.s.PopMin(count, func([]byte, float64) {}))
			x.m = x.m[n:]
		}
	case 12:
		x.s = *x.s.Clone().(*Set)
	case 13:
		seen := map[string]bool{}
		x.s.Sample(int(a), x.dice, func(m []byte, _ float64) bool { seen[string(m)] = true; return true })
		require.Len(x.t, seen, min(int(a), len(x.m)))
	case 14:
		x.s.Fit(x.lim, x.dice)
	case 15:
		if zl, ok := x.s.Packed(); ok {
			x.s = Of(append(make(ziplist.List, 0, len(zl)+int(a)), zl...))
		}
	}
}

// FuzzCheck feeds Check foreign bytes; what passes must be readable.
func FuzzCheck(f *testing.F) {
	s := letters(5, redis)
	zl, _ := s.Packed()
	f.Add([]byte(zl))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Of(bytes.Clone(data))
		if s.packed == nil || s.Check() != nil {
			return
		}
		n := 0
		s.Each(func(m []byte, score float64) bool {
			got, ok := s.Score(bytes.Clone(m))
			require.True(t, ok)
			require.Equal(t, score, got)
			n++
			return true
		})
		require.Equal(t, s.Len(), n)
	})
}
