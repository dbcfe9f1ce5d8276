package set

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

var defaults = Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64, Seed: 1}

// forms are limits and members under which a set of a few members has each form.
var forms = map[string]struct {
	lim    Limits
	prefix string
}{
	"intset":    {Limits{MaxInts: 1000}, ""},
	"ziplist":   {Limits{MaxEntries: 1000, MaxValue: 64}, "m"},
	"hashtable": {Limits{Seed: 3}, "m"},
}

func bs(s string) []byte { return []byte(s) }

func of(lim Limits, members ...string) *Set {
	s := &Set{}
	for _, m := range members {
		s.Add(bs(m), lim)
	}
	return s
}

// fill adds n members that begin with prefix.
func fill(s *Set, n int, prefix string, lim Limits) {
	for i := range n {
		s.Add(strconv.AppendInt(bs(prefix), int64(i), 10), lim)
	}
}

// members returns all members in the order of Each.
func members(s *Set) []string {
	all := []string{}
	s.Each(func(e ziplist.Entry) bool {
		all = append(all, string(e.Append(nil)))
		return true
	})
	return all
}

func TestZeroSet(t *testing.T) {
	var s Set
	require.NoError(t, s.Check())
	require.Zero(t, s.Len())
	require.Zero(t, s.Bytes())
	require.False(t, s.Has(bs("m")))
	require.False(t, s.HasEntry(ziplist.Entry{}))
	require.False(t, s.Remove(bs("m")))
	require.False(t, s.RemoveEntry(ziplist.Entry{}))
	require.Empty(t, members(&s))
	require.Zero(t, s.Random(nil))
	require.Zero(t, s.Scan(0, 10, nil))
	s.Sample(1, nil, nil)
	s.Draw(1, nil, nil)
	s.Pop(1, defaults, nil, nil)
	s.TryIntset(defaults)
	s.Fit(Limits{})
	c := *s.Clone().(*Set)
	require.Zero(t, c.Len())
	b, packed := s.Packed()
	require.True(t, packed)
	require.Empty(t, b)
	_, isInts := s.Intset()
	_, isList := s.Ziplist()
	require.False(t, isInts || isList)
}

func TestAddHasRemove(t *testing.T) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			var s Set
			for _, n := range []int{5, 1, 700, 3, -40000, 1 << 40} {
				m := strconv.AppendInt(bs(f.prefix), int64(n), 10)
				require.True(t, s.Add(m, f.lim))
				require.False(t, s.Add(m, f.lim))
				require.True(t, s.Has(m))
			}
			require.Equal(t, name, s.Encoding())
			require.Equal(t, 6, s.Len())
			require.False(t, s.Has(bs(f.prefix+"2")))
			require.False(t, s.Has(bs(f.prefix+"05")))
			require.False(t, s.Remove(bs(f.prefix+"2")))
			require.False(t, s.Remove(bs("other")))
			require.True(t, s.Remove(bs(f.prefix+"700")))
			require.False(t, s.Remove(bs(f.prefix+"700")))
			require.NoError(t, s.Check())
			require.ElementsMatch(t, []string{f.prefix + "5", f.prefix + "1", f.prefix + "3", f.prefix + "-40000",
				f.prefix + "1099511627776"}, members(&s))
			for _, m := range members(&s) {
				require.True(t, s.Remove(bs(m)))
			}
			require.Zero(t, s.Len())
			require.NoError(t, s.Check())
		})
	}
}

// Entries of any form are understood by a set of any form.
func TestEntries(t *testing.T) {
	for name, lim := range map[string]Limits{"intset": {MaxInts: 10}, "ziplist": {MaxEntries: 10, MaxValue: 64},
		"hashtable": {}} {
		s := of(lim, "17", "-5")
		require.Equal(t, name, s.Encoding())
		for _, e := range []ziplist.Entry{{Int: 17}, {Str: bs("17")}} {
			require.True(t, s.HasEntry(e), name)
			require.False(t, s.AddEntry(e, lim))
			require.True(t, s.RemoveEntry(e))
			require.False(t, s.RemoveEntry(e))
			require.False(t, s.HasEntry(e))
			require.True(t, s.AddEntry(e, lim))
		}
		require.Equal(t, name, s.Encoding())
		require.ElementsMatch(t, []string{"17", "-5"}, members(s))
		require.False(t, s.HasEntry(ziplist.Entry{Str: bs("017")}))
		require.NoError(t, s.Check())
	}
}

func TestOrderOfPackedSets(t *testing.T) {
	require.Equal(t, []string{"-7", "1", "3", "20"}, members(of(defaults, "3", "20", "1", "-7", "3")))
	require.Equal(t, []string{"b", "3", "a", ""}, members(of(defaults, "b", "3", "a", "", "b")))
	require.Equal(t, []string{"1", "3", "b", "2"}, members(of(defaults, "3", "1", "b", "2")))
}

func numbers(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
}

func words(n int) (texts []string) {
	for i := range n {
		texts = append(texts, "w"+strconv.Itoa(i))
	}
	return texts
}

func TestConversion(t *testing.T) {
	long := func(n int) string { return strings.Repeat("v", n) }
	for _, c := range []struct {
		name    string
		lim     Limits
		members []string
		want    string
	}{
		{"an integer", defaults, numbers(1), "intset"},
		{"512 integers", defaults, numbers(512), "intset"},
		{"513 integers", defaults, numbers(513), "hashtable"},
		{"a text", defaults, words(1), "ziplist"},
		{"not canonical", defaults, []string{"01"}, "ziplist"},
		{"128 texts", defaults, words(128), "ziplist"},
		{"129 texts", defaults, words(129), "hashtable"},
		{"a text at the limit", defaults, []string{long(64)}, "ziplist"},
		{"a text over it", defaults, []string{long(65)}, "hashtable"},
		{"a text over it as the second", defaults, []string{"a", long(65)}, "hashtable"},
		{"integers, then a text", defaults, append(numbers(127), "a"), "ziplist"},
		{"many integers, then a text", defaults, append(numbers(128), "a"), "hashtable"},
		{"integers, then a long text", defaults, append(numbers(3), long(65)), "hashtable"},
		{"long integers, then a text", Limits{MaxInts: 9, MaxEntries: 9, MaxValue: 3},
			[]string{"5", "1000", "a"}, "hashtable"},
		{"a long negative, then a text", Limits{MaxInts: 9, MaxEntries: 9, MaxValue: 3},
			[]string{"5", "-100", "a"}, "hashtable"},
		{"short integers, then a text", Limits{MaxInts: 9, MaxEntries: 9, MaxValue: 3},
			[]string{"-10", "100", "a"}, "ziplist"},
		{"texts, then an integer", defaults, []string{"a", "17"}, "ziplist"},
		{"a text, then many integers", defaults, append([]string{"a"}, numbers(128)...), "hashtable"},
		{"no integers allowed", Limits{MaxEntries: 9, MaxValue: 64}, numbers(2), "ziplist"},
		{"nothing allowed", Limits{}, numbers(1), "hashtable"},
		{"only integers allowed", Limits{MaxInts: 1}, []string{"1", "a"}, "hashtable"},
	} {
		s := of(c.lim, c.members...)
		require.Equal(t, c.want, s.Encoding(), c.name)
		require.NoError(t, s.Check(), c.name)
		require.ElementsMatch(t, c.members, members(s), c.name)
		b, packed := s.Packed()
		require.Equal(t, c.want != "hashtable", packed, c.name)
		_, isInts := s.Intset()
		require.Equal(t, c.want == "intset", isInts, c.name)
		_, isList := s.Ziplist()
		require.Equal(t, c.want == "ziplist", isList, c.name)
		if packed {
			view := Of(b)
			require.Equal(t, c.want, view.Encoding())
		}
	}
}

func TestFormsStay(t *testing.T) {
	s := of(defaults, words(129)...)
	for i := range 128 {
		s.Remove(bs("w" + strconv.Itoa(i)))
	}
	require.Equal(t, "hashtable", s.Encoding())
	s = of(defaults, "1", "2", "a")
	s.Remove(bs("a"))
	require.Equal(t, "ziplist", s.Encoding())
	s.Remove(bs("1"))
	s.Remove(bs("2"))
	s.Add(bs("7"), defaults)
	require.Equal(t, "ziplist", s.Encoding())
}

func TestExpect(t *testing.T) {
	for _, c := range []struct {
		first string
		n     int
		want  string
	}{{"1", 512, "intset"}, {"1", 513, "hashtable"}, {"a", 128, "ziplist"}, {"a", 129, "hashtable"}} {
		var s Set
		require.True(t, s.Expect(c.n, bs(c.first), defaults))
		require.Equal(t, c.want, s.Encoding(), c)
		require.Zero(t, s.Len())
		require.NoError(t, s.Check())
	}
	var s Set
	s.Expect(3, bs("1"), Limits{MaxInts: 2, MaxEntries: 5, MaxValue: 9})
	require.Equal(t, "ziplist", s.Encoding(), "too many for an intset are not too many for a list")
	for _, c := range []struct {
		member string
		limit  int
	}{{"1", 512}, {"a", 128}} {
		s := of(defaults, c.member)
		require.False(t, s.Expect(c.limit, bs("x"), defaults))
		require.NotEqual(t, "hashtable", s.Encoding())
		require.True(t, s.Expect(c.limit+1, bs("x"), defaults))
		require.Equal(t, "hashtable", s.Encoding())
		require.False(t, s.Expect(100000, bs("x"), defaults))
		require.Equal(t, []string{c.member}, members(s))
	}
}

func TestFit(t *testing.T) {
	for name, all := range map[string][]string{"intset": numbers(10), "ziplist": words(10)} {
		s := of(defaults, all...)
		s.Fit(Limits{MaxInts: 10, MaxEntries: 10})
		require.Equal(t, name, s.Encoding())
		s.Fit(Limits{MaxInts: 9, MaxEntries: 9})
		require.Equal(t, "hashtable", s.Encoding())
		require.ElementsMatch(t, all, members(s))
	}
}

func TestNarrow(t *testing.T) {
	for name, lim := range map[string]Limits{"ziplist": {MaxEntries: 10, MaxValue: 9}, "hashtable": {}} {
		s := of(lim, "5", "-3", "70000")
		require.Equal(t, name, s.Encoding())
		s.TryIntset(Limits{MaxInts: 2})
		require.Equal(t, name, s.Encoding(), "too many")
		s.TryIntset(Limits{MaxInts: 3})
		require.Equal(t, "intset", s.Encoding())
		require.Equal(t, []string{"-3", "5", "70000"}, members(s))
		s = of(lim, "5", "x")
		s.TryIntset(Limits{MaxInts: 3})
		require.Equal(t, name, s.Encoding())
		require.ElementsMatch(t, []string{"5", "x"}, members(s))
	}
}

// An intset of 3 integers and a ziplist of 258 bytes both begin with the byte 2.
func TestFormsAreToldApart(t *testing.T) {
	s := of(Limits{MaxEntries: 100, MaxValue: 250}, strings.Repeat("x", 235), "abc")
	b, _ := s.Packed()
	s.Add([]byte(strings.Repeat("y", 258-len(b)-2)), Limits{MaxEntries: 100, MaxValue: 250})
	b, _ = s.Packed()
	require.Equal(t, []byte{2, 1, 0, 0}, b[:4])
	require.Equal(t, "ziplist", s.Encoding())
	require.Equal(t, 3, s.Len())
}

func TestViewOfForeignBytes(t *testing.T) {
	for name, first := range map[string]string{"intset": "1", "ziplist": "m1"} {
		buf := make([]byte, 0, 512)
		var s Set
		require.Zero(t, testing.AllocsPerRun(100, func() {
			s = Of(buf)
			for _, m := range [][]byte{bs(first), bs("1700000000000"), bs("70000"), bs("2")} {
				s.Add(m, defaults)
			}
			s.Remove(bs("70000"))
			s.Pop(1, defaults, func(uint64) uint64 { return 0 }, func(ziplist.Entry) {})
		}), name)
		require.Equal(t, name, s.Encoding())
		b, _ := s.Packed()
		require.Same(t, &buf[:1][0], &b[0], name)
		require.Equal(t, 2, s.Len())
	}
}

func TestReadsDoNotAllocate(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2)).Uint64N
	for name, f := range forms {
		var s Set
		fill(&s, 20, f.prefix, f.lim)
		member, sum := bs(f.prefix+"7"), 0
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if !s.Has(member) || s.Has(bs("none")) || !s.HasEntry(s.Random(dice)) {
				t.Fatal("wrong")
			}
			s.Each(func(e ziplist.Entry) bool { sum += e.Len(); return true })
		}), name)
	}
}

func TestClone(t *testing.T) {
	for name, f := range forms {
		var s Set
		fill(&s, 30, f.prefix, f.lim)
		c := *s.Clone().(*Set)
		require.Equal(t, s.Encoding(), c.Encoding())
		s.Remove(bs(f.prefix + "3"))
		s.Add(bs(f.prefix+"77"), f.lim)
		require.True(t, c.Has(bs(f.prefix+"3")), name)
		require.False(t, c.Has(bs(f.prefix+"77")), name)
		require.Equal(t, 30, c.Len())
		require.NoError(t, c.Check())
	}
}

func TestCheckFindsDamage(t *testing.T) {
	list := func(texts ...string) []byte {
		l := ziplist.New()
		for _, s := range texts {
			l = l.Append(bs(s))
		}
		return l
	}
	for name, b := range map[string][]byte{
		"twice":         list("f", "v", "f"),
		"twice as int":  list("5", "a", "5"),
		"neither":       {9, 2, 3},
		"width":         {3, 0, 0, 0, 0, 0, 0, 0},
		"descending":    {2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0},
		"half an entry": list("f", "v")[:13],
	} {
		s := Of(b)
		require.Error(t, s.Check(), name)
	}
	s := of(Limits{}, "a", "b")
	require.NoError(t, s.Check())
	s.packed = intset.New()
	require.Error(t, s.Check())
}

func TestBytes(t *testing.T) {
	for _, prefix := range []string{"", "m"} {
		var s Set
		fill(&s, 1000, prefix, Limits{MaxInts: 1000, MaxEntries: 1000, MaxValue: 64})
		b, _ := s.Packed()
		require.Equal(t, cap(b), s.Bytes())
		for i := range 995 {
			s.Remove(bs(prefix + strconv.Itoa(i)))
		}
		require.LessOrEqual(t, s.Bytes(), 1024, "what a shrunken set keeps")
	}
	var s Set
	fill(&s, 1000, "member:", Limits{})
	full := s.Bytes()
	require.Greater(t, full, 1000*(16+8))
	require.Less(t, full, 1000*48)
	for i := range 1000 {
		require.True(t, s.Remove(bs("member:"+strconv.Itoa(i))))
	}
	require.NoError(t, s.Check())
}

// What Bytes claims of a large set must be what the runtime allocates for it.
func TestBytesAreTrue(t *testing.T) {
	const copies = 30
	var sets [copies]Set
	var before, after runtime.MemStats
	source := of(Limits{}, words(3000)...)
	runtime.ReadMemStats(&before)
	for i := range sets {
		sets[i] = *source.Clone().(*Set)
	}
	runtime.ReadMemStats(&after)
	require.InEpsilon(t, sets[0].Bytes(), float64(after.TotalAlloc-before.TotalAlloc)/copies, 0.05)
}

func TestMemberLengths(t *testing.T) {
	var s Set
	var want []string
	for _, n := range []int{0, 1, 7, 8, 63, 253, 254, 255, 256, 300, 2042, 2043, 2048, 70000} {
		want = append(want, strings.Repeat("k", n))
		require.True(t, s.Add(bs(want[len(want)-1]), Limits{}))
	}
	require.ElementsMatch(t, want, members(&s))
	require.NoError(t, s.Check())
	for _, member := range want {
		require.True(t, s.Remove(bs(member)))
		require.NoError(t, s.Check())
	}
}

func TestPopTakesAll(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2)).Uint64N
	for name, f := range forms {
		var s Set
		fill(&s, 20, f.prefix, f.lim)
		want, got := members(&s), []string{}
		s.Pop(25, f.lim, dice, func(e ziplist.Entry) { got = append(got, string(e.Append(nil))) })
		require.Equal(t, want, got, name)
		require.Zero(t, s.Len())
		require.NoError(t, s.Check())
	}
}

func TestPopMakesFewASetOfTheirOwn(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2)).Uint64N
	for _, c := range []struct {
		name    string
		members []string
		count   int
		want    string
	}{
		{"few of a table", words(600), 598, "ziplist"},
		{"few integers of a table", numbers(600), 598, "ziplist"},
		{"a fifth stays", words(600), 500, "ziplist"},
		{"a little more stays", words(600), 499, "hashtable"},
		{"too many for a ziplist", words(1200), 1010, "hashtable"},
		{"few of an intset", numbers(500), 498, "intset"},
		{"few of a ziplist", words(100), 98, "ziplist"},
	} {
		s := of(defaults, c.members...)
		popped := []string{}
		s.Pop(c.count, defaults, dice, func(e ziplist.Entry) { popped = append(popped, string(e.Append(nil))) })
		require.Equal(t, c.want, s.Encoding(), c.name)
		require.Len(t, popped, c.count)
		require.ElementsMatch(t, c.members, slices.Concat(popped, members(s)), c.name)
		require.NoError(t, s.Check())
	}
}
