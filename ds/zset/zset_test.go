package zset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/resp"
)

var (
	inf    = math.Inf(1)
	redis  = Limits{MaxEntries: 128, MaxValue: 64}
	sorts  = Limits{} // nothing stays packed
	forms  = map[string]Limits{"packed": {MaxEntries: 1 << 20, MaxValue: 1 << 20}, "sorted": sorts}
	always = ScoreRange{Min: math.Inf(-1), Max: math.Inf(1)}
)

// fixedDice returns dice that always fall the same way for a seed.
func fixedDice(seed uint64) func(n uint64) uint64 {
	return rand.New(rand.NewPCG(seed, seed)).Uint64N
}

// pairs is what a set holds or a callback was given: "member=score".
type pairs []string

func (p *pairs) take(member []byte, score float64) bool {
	*p = append(*p, string(member)+"="+strconv.FormatFloat(score, 'g', -1, 64))
	return true
}

func (p *pairs) took(member []byte, score float64) { p.take(member, score) }

func contents(s *Set) (p pairs) {
	s.Each(p.take)
	return p
}

// letters returns a set of a=1, b=2 ... up to n members.
func letters(n int, lim Limits) *Set {
	s := new(Set)
	for i := range n {
		s.Add([]byte{byte('a' + i)}, float64(i+1), lim, fixedDice(1))
	}
	return s
}

// inForms runs a test on packed and on sorted sets.
func inForms(t *testing.T, test func(t *testing.T, lim Limits)) {
	for name, lim := range forms {
		t.Run(name, func(t *testing.T) { test(t, lim) })
	}
}

func TestZeroSetIsEmpty(t *testing.T) {
	var s Set
	require.NoError(t, s.Check())
	require.Zero(t, s.Len())
	require.Zero(t, s.Bytes())
	require.Equal(t, "ziplist", s.Encoding())
	_, ok := s.Score([]byte("a"))
	require.False(t, ok)
	_, _, ok = s.Rank([]byte("a"), false)
	require.False(t, ok)
	require.False(t, s.Remove([]byte("a")))
	require.Empty(t, contents(&s))
	require.Zero(t, s.Count(always))
	require.Zero(t, s.RemoveRangeByScore(always, nil))
	require.Zero(t, s.RemoveRangeByRank(0, -1, nil))
	require.Zero(t, s.PopMin(3, nil))
	require.Zero(t, s.Scan(0, 10, func([]byte, float64) { t.Fatal("member in an empty set") }))
	s.Range(0, -1, false, func([]byte, float64) bool { t.Fatal("member in an empty set"); return true })
	s.Draw(3, fixedDice(1), func([]byte, float64) bool { t.Fatal("member in an empty set"); return true })
	s.Sample(3, fixedDice(1), func([]byte, float64) bool { t.Fatal("member in an empty set"); return true })
	c := *s.Clone().(*Set)
	require.Zero(t, c.Len())
	zl, ok := s.Packed()
	require.True(t, ok)
	require.Equal(t, []byte(ziplist.New()), zl)
}

func TestAddScoreRemove(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		var s Set
		dice := fixedDice(1)
		for _, c := range []struct {
			member         string
			score          float64
			added, changed bool
		}{
			{"b", 2, true, false}, {"a", 1, true, false}, {"b", 2, false, false}, {"b", 0.5, false, true},
			{"17", 17, true, false}, {"", -inf, true, false}, {"z", inf, true, false}, {"b", 1, false, true},
			{"-5", 1, true, false}, {strings.Repeat("long", 100), 1e300, true, false},
			{"a", math.Copysign(0, -1), false, true},
			{"a", 0, false, false},
		} {
			added, changed := s.Add([]byte(c.member), c.score, lim, dice)
			require.Equal(t, c.added, added, c.member)
			require.Equal(t, c.changed, changed, c.member)
			require.NoError(t, s.Check())
			score, ok := s.Score([]byte(c.member))
			require.True(t, ok)
			require.Equal(t, c.score+0, score+0)
		}
		require.Equal(t, 7, s.Len())
		require.True(t, s.Remove([]byte("17")))
		require.False(t, s.Remove([]byte("17")))
		require.True(t, s.Remove([]byte("")))
		require.NoError(t, s.Check())
		require.Equal(t, 5, s.Len())
		_, ok := s.Score([]byte("17"))
		require.False(t, ok)
	})
}

func TestOrderIsByScoreThenBytes(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		var s Set
		for _, m := range []string{"b", "10", "9", "a", "ab", "", "\xff", "-1", "aa"} {
			s.Add([]byte(m), 3, lim, fixedDice(1))
		}
		s.Add([]byte("zz"), 2.5, lim, fixedDice(1))
		require.NoError(t, s.Check())
		require.Equal(t, pairs{"zz=2.5", "=3", "-1=3", "10=3", "9=3", "a=3", "aa=3", "ab=3", "b=3", "\xff=3"},
			contents(&s))
	})
}

func TestConversion(t *testing.T) {
	var s Set
	dice := fixedDice(2)
	for i := range 128 {
		s.Add(fmt.Appendf(nil, "m%d", i), float64(i), redis, dice)
	}
	require.Equal(t, "ziplist", s.Encoding())
	s.Add([]byte("m5"), 500, redis, dice)
	require.Equal(t, "ziplist", s.Encoding(), "a new score converts nothing")
	before := contents(&s)
	s.Add([]byte("one more"), 1e6, redis, dice)
	require.Equal(t, "skiplist", s.Encoding())
	require.Equal(t, append(before, "one more=1e+06"), contents(&s))
	require.NoError(t, s.Check())
	s.RemoveRangeByRank(0, 120, nil)
	require.Equal(t, "skiplist", s.Encoding(), "removals convert nothing back")

	s = Set{}
	s.Add([]byte(strings.Repeat("x", 64)), 1, redis, dice)
	require.Equal(t, "ziplist", s.Encoding())
	s.Add([]byte(strings.Repeat("x", 64)), 2, Limits{MaxEntries: 1, MaxValue: 10}, dice)
	require.Equal(t, "ziplist", s.Encoding(), "nor does a lowered limit, for a member that is there")
	s.Add([]byte(strings.Repeat("x", 65)), 1, redis, dice)
	require.Equal(t, "skiplist", s.Encoding())
	require.Equal(t, 2, s.Len())
	require.NoError(t, s.Check())
}

func TestFit(t *testing.T) {
	s := letters(5, redis)
	s.Fit(Limits{MaxEntries: 5}, fixedDice(1))
	require.Equal(t, "ziplist", s.Encoding())
	s.Fit(Limits{MaxEntries: 4}, fixedDice(1))
	require.Equal(t, "skiplist", s.Encoding())
	require.NoError(t, s.Check())
	require.Equal(t, pairs{"a=1", "b=2", "c=3", "d=4", "e=5"}, contents(s))
}

func TestExpect(t *testing.T) {
	for _, c := range []struct {
		has, more int
		want      string
	}{{0, 3, "ziplist"}, {0, 4, "skiplist"}, {3, 3, "ziplist"}, {2, 4, "skiplist"}} {
		s := letters(c.has, redis)
		lim := Limits{MaxEntries: 3, MaxValue: 64}
		require.Equal(t, c.want == "skiplist", s.Expect(c.more, lim, fixedDice(1)))
		require.False(t, s.Expect(c.more, lim, fixedDice(1)), "a second time")
		require.Equal(t, c.want, s.Encoding())
		require.Equal(t, c.has, s.Len())
		require.NoError(t, s.Check())
	}
}

// The bytes of a packed set are what Redis 6.2 makes, with the text of a score as in later
// releases.
func TestPackedBytes(t *testing.T) {
	var s Set
	for member, score := range map[string]float64{"a": 1.5, "1700000000000": 1700000000000, "c": inf} {
		s.Add([]byte(member), score, redis, fixedDice(1))
	}
	zl, ok := s.Packed()
	require.True(t, ok)
	require.Equal(t, "\x2f\x00\x00\x00"+"\x29\x00\x00\x00"+"\x06\x00"+
		"\x00\x01a"+"\x03\x031.5"+
		"\x05\xe0\x00\x68\xe5\xcf\x8b\x01\x00\x00"+"\x0a\xe0\x00\x68\xe5\xcf\x8b\x01\x00\x00"+
		"\x0a\x01c"+"\x03\x03inf"+"\xff", string(zl))
}

func TestScoreText(t *testing.T) {
	for _, c := range []struct {
		score float64
		text  string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-12, "-12"}, {0.1, "0.1"}, {1.5, "1.5"},
		{inf, "inf"}, {-inf, "-inf"}, {1 << 52, "4503599627370496"}, {1<<52 - 1, "4503599627370495"},
		{1e16, "10000000000000000"}, {1e17, "100000000000000000"}, {1 << 62, "4611686018427387904"}, {1e19, "1e+19"},
		{-1e300, "-1e+300"}, {1e-4, "0.0001"}, {1e-7, "1e-7"}, {-274643550290942030000000, "-274643550290942030000000"},
		{5e-324, "5e-324"}, {-2.2250738585072014e-308, "-2.2250738585072014e-308"}, {1.1, "1.1"},
	} {
		var s Set
		s.Add([]byte("m"), c.score, redis, fixedDice(1))
		packed, _ := s.Packed()
		zl := ziplist.List(packed)
		e, _ := zl.Get(zl.Last())
		require.Equal(t, c.text, string(e.Append(nil)))
		got, _ := s.Score([]byte("m"))
		require.Equal(t, c.score+0, got)
		require.LessOrEqual(t, len(c.text), maxScoreText)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20000 {
		score := math.Float64frombits(rng.Uint64())
		if score != score {
			continue
		}
		text := resp.FormatShortest(nil, score)
		require.LessOrEqual(t, len(text), maxScoreText)
		require.Equal(t, score, parseScore(text))
	}
}

func TestRank(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(20, lim)
		for i := range 20 {
			member := []byte{byte('a' + i)}
			rank, score, ok := s.Rank(member, false)
			require.True(t, ok)
			require.Equal(t, i, rank)
			require.Equal(t, float64(i+1), score)
			rank, _, _ = s.Rank(member, true)
			require.Equal(t, 19-i, rank)
		}
		_, _, ok := s.Rank([]byte("nobody"), false)
		require.False(t, ok)
	})
}

func TestViewOfForeignBytes(t *testing.T) {
	buf := make([]byte, 0, 256)
	s := Of(ziplist.AppendEmpty(buf))
	s.Add([]byte("a"), 1, redis, fixedDice(1))
	s.Add([]byte("b"), 2, redis, fixedDice(1))
	zl, _ := s.Packed()
	require.Same(t, &buf[:1][0], &zl[0], "within capacity the bytes stay where they are")
	again := Of(append(ziplist.List(nil), zl...))
	require.Equal(t, pairs{"a=1", "b=2"}, contents(&again))
}

func TestClone(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(20, lim)
		c := *s.Clone().(*Set)
		require.NoError(t, c.Check())
		require.Equal(t, s.Encoding(), c.Encoding())
		require.Equal(t, contents(s), contents(&c))
		c.RemoveRangeByRank(0, 9, nil)
		c.Add([]byte("new"), 9, lim, fixedDice(1))
		require.NoError(t, c.Check())
		require.NoError(t, s.Check())
		require.Equal(t, 20, s.Len())
		require.Equal(t, 11, c.Len())
	})
}

func TestBytesFollowTheSize(t *testing.T) {
	s := letters(3, redis)
	zl, _ := s.Packed()
	require.Equal(t, cap(zl), s.Bytes())
	s = letters(20, sorts)
	least := s.Bytes()
	for i := range 1000 {
		s.Add(strconv.AppendInt(nil, int64(i), 10), 1, sorts, fixedDice(uint64(i)))
	}
	require.Greater(t, s.Bytes(), least+1000*32)
	require.Less(t, s.Bytes(), least+1000*60)
	s.PopMin(2000, nil)
	require.Less(t, s.Bytes(), least+3000, "what an emptied set keeps")
}

func TestLimiterAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 2048)
	s := Of(ziplist.AppendEmpty(buf))
	member := []byte("1700000000000")
	dice := fixedDice(1)
	now := int64(1700000000000)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		now += 1000
		s.RemoveRangeByScore(ScoreRange{Min: 0, Max: float64(now - 20000)}, nil)
		if s.Len() > 19 {
			t.Fatal("the window has not moved")
		}
		member = strconv.AppendInt(member[:0], now, 10)
		s.Add(member, float64(now), redis, dice)
	}))
	require.NoError(t, s.Check())
}

func TestReadsDoNotAllocate(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(20, lim)
		s.Add([]byte("12345"), 7, lim, fixedDice(1))
		member, sum := []byte("q"), 0
		at := LexBound{Member: []byte("c")}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			s.Score(member)
			s.Rank(member, true)
			add := func(m []byte, score float64) bool { sum += len(m); return true }
			s.Range(2, -2, true, add)
			s.RangeByScore(ScoreRange{Min: 3, Max: 9}, false, 1, 4, add)
			s.RangeByLex(LexRange{Min: at, Max: LexBound{Inf: 1}}, true, 0, -1, add)
			s.Count(always)
			s.Each(add)
		}))
		require.Positive(t, sum)
	})
}

func TestCheckSeesDamage(t *testing.T) {
	list := func(texts ...string) *Set {
		zl := ziplist.New()
		for _, text := range texts {
			zl = zl.Append([]byte(text))
		}
		s := Of(zl)
		return &s
	}
	require.NoError(t, list("a", "1", "b", "1", "a1", "2").Check())
	for name, s := range map[string]*Set{
		"odd":      list("a", "1", "b"),
		"no score": list("a", "b"),
		"nan":      list("a", "nan"),
		"order":    list("a", "2", "b", "1"),
		"lex":      list("b", "1", "a", "1"),
		"twice":    list("a", "1", "a", "2"),
		"bytes":    {packed: ziplist.List("\x0b\x00\x00\x00\x0a\x00\x00\x00\x00\x00")},
		"both":     {packed: ziplist.New(), sorted: newSorted(1, fixedDice(1))},
	} {
		require.Error(t, s.Check(), name)
	}
	s := letters(10, sorts)
	slot, h := s.sorted.find([]byte("c"))
	n := *slot
	s.sorted.members.Remove(h, slot, s.sorted)
	require.Error(t, s.Check())
	s.sorted.members.Insert(h, n, s.sorted)
	require.NoError(t, s.Check())
	s.sorted.list.Delete(n)
	require.Error(t, s.Check())
}

// A set that loses most of its members gives their memory back, however they go.
func TestShrinkingCompacts(t *testing.T) {
	const n = 5000
	removals := map[string]func(s *Set, i int){
		"rank":   func(s *Set, i int) { s.RemoveRangeByRank(0, 0, nil) },
		"member": func(s *Set, i int) { s.Remove(strconv.AppendInt(nil, int64(i*7%n), 10)) },
		"pop":    func(s *Set, i int) { s.PopMax(1, func([]byte, float64) {}) },
	}
	for name, remove := range removals {
		t.Run(name, func(t *testing.T) {
			var s Set
			dice := fixedDice(1)
			for i := range n {
				s.Add(strconv.AppendInt(nil, int64(i), 10), float64(i), sorts, dice)
				s.SetDeadline(strconv.AppendInt(nil, int64(i), 10), int64(i+1), dice)
			}
			full, compacting := s.Bytes(), 0
			for i := range n - n/20 {
				remove(&s, i)
				if !s.sorted.list.Compacting() {
					continue
				}
				if compacting++; compacting%20 == 1 {
					require.NoError(t, s.Check())
					require.NoError(t, s.Clone().(*Set).Check())
				}
				for _, member := range []string{"x" + strconv.Itoa(i-1), "x" + strconv.Itoa(i)} {
					if !s.Remove([]byte(member)) {
						s.Add([]byte(member), float64(i*17%n), sorts, dice)
					}
				}
			}
			require.NotZero(t, compacting)
			require.NoError(t, s.Check())
			require.Less(t, s.Bytes(), full/4)
			s.Deadlines(func(member []byte, deadline int64) bool {
				i, err := strconv.Atoi(string(member))
				require.NoError(t, err)
				require.EqualValues(t, i+1, deadline)
				return true
			})
		})
	}
}
