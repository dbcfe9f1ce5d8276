package ziplist

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func of(values ...string) List {
	l := New()
	for _, v := range values {
		l = l.Append([]byte(v))
	}
	return l
}

func texts(l List) []string {
	out := []string{}
	for p := l.First(); p != None; {
		var e Entry
		e, p = l.Get(p)
		out = append(out, string(e.Append(nil)))
	}
	return out
}

func TestEmptyList(t *testing.T) {
	l := New()
	require.Equal(t, List{11, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0xFF}, l)
	require.NoError(t, l.Check())
	require.True(t, l.Empty())
	require.Zero(t, l.Len())
	require.Equal(t, 11, l.Bytes())
	for _, p := range []int{l.First(), l.Last(), l.Index(0), l.Index(-1), l.Find([]byte("a"), l.First(), 0)} {
		require.Equal(t, None, p)
	}
	require.Equal(t, New(), l.Delete(None, 1))
	require.Equal(t, New(), l.DeleteRange(0, 5))
}

// The bytes below follow from the format alone.
func TestExactBytes(t *testing.T) {
	require.Equal(t, List{
		0x17, 0, 0, 0, // 23 bytes
		0x12, 0, 0, 0, // last entry at 18
		3, 0,
		0, 0xF3, // 2
		2, 0x04, 'a', 'b', 'c', 'd', // at 12
		6, 0xC0, 0xE8, 0x03, // 1000, at 18
		0xFF,
	}, of("2", "abcd", "1000"))

	for _, c := range []struct {
		value string
		entry []byte
	}{
		{"", []byte{0x00}},
		{"0", []byte{0xF1}},
		{"12", []byte{0xFD}},
		{"13", []byte{0xFE, 13}},
		{"-1", []byte{0xFE, 0xFF}},
		{"-128", []byte{0xFE, 0x80}},
		{"127", []byte{0xFE, 0x7F}},
		{"128", []byte{0xC0, 0x80, 0x00}},
		{"-129", []byte{0xC0, 0x7F, 0xFF}},
		{"32767", []byte{0xC0, 0xFF, 0x7F}},
		{"32768", []byte{0xF0, 0x00, 0x80, 0x00}},
		{"-32769", []byte{0xF0, 0xFF, 0x7F, 0xFF}},
		{"8388607", []byte{0xF0, 0xFF, 0xFF, 0x7F}},
		{"-8388608", []byte{0xF0, 0x00, 0x00, 0x80}},
		{"8388608", []byte{0xD0, 0x00, 0x00, 0x80, 0x00}},
		{"-8388609", []byte{0xD0, 0xFF, 0xFF, 0x7F, 0xFF}},
		{"2147483647", []byte{0xD0, 0xFF, 0xFF, 0xFF, 0x7F}},
		{"-2147483648", []byte{0xD0, 0x00, 0x00, 0x00, 0x80}},
		{"2147483648", []byte{0xE0, 0, 0, 0, 0x80, 0, 0, 0, 0}},
		{"1700000000000", []byte{0xE0, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0x00, 0x00}},
		{"9223372036854775807", []byte{0xE0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
		{"-9223372036854775808", []byte{0xE0, 0, 0, 0, 0, 0, 0, 0, 0x80}},
		{"9223372036854775808", append([]byte{19}, "9223372036854775808"...)},
		{"-9223372036854775809", append([]byte{20}, "-9223372036854775809"...)},
		{"99999999999999999999", append([]byte{20}, "99999999999999999999"...)},
		{"-0", []byte{2, '-', '0'}},
		{"00", []byte{2, '0', '0'}},
		{"007", []byte{3, '0', '0', '7'}},
		{"+1", []byte{2, '+', '1'}},
		{" 1", []byte{2, ' ', '1'}},
		{"1 ", []byte{2, '1', ' '}},
		{"-", []byte{1, '-'}},
		{"--1", []byte{3, '-', '-', '1'}},
		{"1.0", []byte{3, '1', '.', '0'}},
		{"-01", []byte{3, '-', '0', '1'}},
		{strings.Repeat("x", 63), append([]byte{63}, strings.Repeat("x", 63)...)},
		{strings.Repeat("x", 64), append([]byte{0x40, 64}, strings.Repeat("x", 64)...)},
		{strings.Repeat("1", 64), append([]byte{0x40, 64}, strings.Repeat("1", 64)...)},
		{strings.Repeat("x", 16383), append([]byte{0x7F, 0xFF}, strings.Repeat("x", 16383)...)},
		{strings.Repeat("x", 16384), append([]byte{0x80, 0, 0, 0x40, 0}, strings.Repeat("x", 16384)...)},
	} {
		l := of(c.value)
		require.Equal(t, c.entry, []byte(l[11:len(l)-1]), "%.30q", c.value)
		require.NoError(t, l.Check())
		e, next := l.Get(l.First())
		require.Equal(t, None, next)
		require.Equal(t, c.value, string(e.Append(nil)))
		require.Equal(t, c.value, string(e.Text(make([]byte, 0, 20))))
		require.Equal(t, len(c.value), e.Len())
		require.True(t, e.Equal([]byte(c.value)))
		require.Equal(t, e, EntryOf([]byte(c.value)))
		require.False(t, e.Equal([]byte(c.value+"0")))
		if n, err := strconv.ParseInt(c.value, 10, 64); e.IsInt() {
			require.NoError(t, err)
			require.Nil(t, e.Str)
			require.Equal(t, l, New().AppendInt(n))
			require.Equal(t, l, New().InsertInt(None, n))
			require.Equal(t, l, of("some").ReplaceInt(10, n))
		} else {
			require.NotNil(t, e.Str)
		}
	}
}

func TestFiveByteString(t *testing.T) {
	// An entry of 254 bytes or more makes the next prevlen five bytes long.
	long := strings.Repeat("y", 250) // 1 + 2 + 250 = 253
	l := of(long, "a")
	require.Equal(t, []byte{253, 1, 'a', 0xFF}, []byte(l[263:]))
	l = of(long+"y", "a")
	require.Equal(t, []byte{0xFE, 254, 0, 0, 0, 1, 'a', 0xFF}, []byte(l[264:]))
}

func TestMoves(t *testing.T) {
	l := of("a", "1", "c", "400", "e")
	want := []string{"a", "1", "c", "400", "e"}
	require.Equal(t, want, texts(l))
	at := func(p int) string {
		if p == None {
			return "none"
		}
		e, _ := l.Get(p)
		return string(e.Append(nil))
	}
	for i, w := range want {
		require.Equal(t, w, at(l.Index(i)))
		require.Equal(t, w, at(l.Index(i-5)))
	}
	for _, i := range []int{5, 6, -6, math.MaxInt, math.MinInt} {
		require.Equal(t, "none", at(l.Index(i)))
	}
	require.Equal(t, "c", at(l.Next(l.Index(1))))
	require.Equal(t, "none", at(l.Next(l.Last())))
	require.Equal(t, "400", at(l.Prev(l.Last())))
	require.Equal(t, "none", at(l.Prev(l.First())))
}

func TestFind(t *testing.T) {
	long, longer := strings.Repeat("q", 100), strings.Repeat("q", 20000)
	l := of("f1", "v1", "1", "2", "2", "1", long, longer, longer, long, "", "x", "13")
	for _, c := range []struct {
		v    string
		skip int
		want int
	}{
		{"f1", 0, 0}, {"v1", 0, 1}, {"v1", 1, None}, {"2", 0, 3}, {"2", 1, 4}, {"2", 2, 3},
		{long, 0, 6}, {longer, 0, 7}, {longer, 1, 8}, {"", 0, 10}, {"", 1, 10}, {"x", 1, None},
		{"13", 1, 12}, {"013", 0, None}, {"1", 1, 2}, {"q", 0, None}, {"v", 0, None}, {"13", 20, None},
	} {
		want := None
		if c.want != None {
			want = l.Index(c.want)
		}
		require.Equal(t, want, l.Find([]byte(c.v), l.First(), c.skip), "%.10q skip %d", c.v, c.skip)
	}
	require.Equal(t, l.Index(5), l.Find([]byte("1"), l.Index(3), 0))
	require.Equal(t, None, l.Find([]byte("f1"), None, 0))
}

// Lists written by old servers hold small integers in wide encodings, and
// integers as strings; both are found by their text.
func TestFindForeignEncodings(t *testing.T) {
	l := List{17, 0, 0, 0, 14, 0, 0, 0, 2, 0, 0, 0xC0, 5, 0, 4, 0xF6, 0xFF}
	require.NoError(t, l.Check())
	require.Equal(t, 10, l.Find([]byte("5"), 10, 0))
	l = List{14, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 1, '7', 0xFF}
	require.NoError(t, l.Check())
	require.Equal(t, 10, l.Find([]byte("7"), 10, 0))
}

func TestInsertDeleteReplace(t *testing.T) {
	l := of("b")
	l = l.Prepend([]byte("a"))
	l = l.Insert(None, []byte("d"))
	l = l.Insert(l.Last(), []byte("c"))
	require.Equal(t, []string{"a", "b", "c", "d"}, texts(l))
	p := l.Index(1)
	l = l.Replace(p, []byte("a longer one"))
	l = l.ReplaceInt(l.Last(), -70000)
	require.Equal(t, []string{"a", "a longer one", "c", "-70000"}, texts(l))
	l = l.Delete(p, 2)
	e, _ := l.Get(p)
	require.Equal(t, int64(-70000), e.Int)
	require.Equal(t, of("a", "-70000"), l)
	require.Equal(t, of("a"), l.DeleteRange(-1, 9))
	require.Equal(t, New(), of("a").DeleteRange(0, 1))
	require.Equal(t, of("a"), of("a").DeleteRange(0, 0))
	require.Equal(t, of("a"), of("a").DeleteRange(1, 1))
}

func TestChangesUseSpareCapacity(t *testing.T) {
	buf := make([]byte, 512)
	l := AppendEmpty(buf)
	allocs := testing.AllocsPerRun(100, func() {
		l = AppendEmpty(buf)
		for i := range int64(20) {
			l = l.AppendInt(1700000000000 + i)
			l = l.Append([]byte("value"))
		}
		l = l.Delete(l.Find([]byte("1700000000007"), l.First(), 1), 2)
	})
	require.Zero(t, allocs)
	require.Same(t, &buf[0], &l[0])
	require.Equal(t, 38, l.Len())
	require.NoError(t, l.Check())
}

func TestGrowthWastesNoMore(t *testing.T) {
	l := New()
	for range 200 {
		l = l.Append([]byte("0123456789x"))
		require.LessOrEqual(t, cap(l), cap(append([]byte(nil), make([]byte, len(l)+16)...)))
	}
}

func TestTrim(t *testing.T) {
	l := append(make(List, 0, 2000), New()...)
	l = l.Append(make([]byte, 1500))
	require.Same(t, &l[0], &l.Trim()[0])
	l = l.Replace(l.First(), []byte("short"))
	trimmed := l.Trim()
	require.Equal(t, l, trimmed)
	require.Less(t, cap(trimmed), 64)
	l = AppendEmpty(make([]byte, 1024))
	require.Same(t, &l[0], &l.Trim()[0])
}

func TestManyEntries(t *testing.T) {
	l, m := New(), 65600
	for i := range m {
		l = l.AppendInt(int64(i % 3))
		if i == 65533 {
			require.Equal(t, 65534, l.count())
		}
	}
	require.Equal(t, unknownLen, l.count())
	require.Equal(t, m, l.Len())
	require.NoError(t, l.Check())
	require.Equal(t, l.Last(), l.Index(m-1))
	require.Equal(t, l.First(), l.Index(-m))
	require.Equal(t, None, l.Index(m))
	require.Equal(t, None, l.Index(-m-1))
	l = l.DeleteRange(100, 60000)
	require.Equal(t, unknownLen, l.count(), "zllen stays unknown")
	require.Equal(t, m-60000, l.Len())
	require.NoError(t, l.Check())
}

func TestCheckFindsDamage(t *testing.T) {
	good := of("abc", "5", "70000", strings.Repeat("z", 70), "1")
	for i := range good {
		for _, x := range []byte{1, 0x80, 0xFF} {
			bad := append(List(nil), good...)
			bad[i] ^= x
			if bad.Check() == nil { // data bytes may be anything
				require.Len(t, texts(bad), 5)
			}
		}
		require.Error(t, good[:i].Check())
	}
	for name, bad := range map[string]List{
		"nothing":           nil,
		"zlbytes":           {12, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0xFF},
		"no end":            {11, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0},
		"zltail":            {11, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0xFF},
		"zllen":             {11, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0xFF},
		"first prevlen":     {13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 1, 0xF1, 0xFF},
		"encoding FF":       {13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0xFF, 0xFF},
		"encoding C1":       {15, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0xC1, 0, 0, 0xFF},
		"too long":          {14, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 5, 'a', 0xFF},
		"end inside":        {13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0xFF, 0xF1, 0xFF},
		"half a prevlen":    {12, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0xFE, 0xFF},
		"half an encoding":  {13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0x80, 0xFF},
		"end in the string": {13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0x01, 0xFF},
	} {
		require.Error(t, bad.Check(), name)
	}
}

func TestLayout(t *testing.T) {
	long := strings.Repeat("y", 300)
	l := of("2", long, "x", "70000")
	var cells []Cell
	for c := range l.Layout() {
		cells = append(cells, c)
	}
	require.Equal(t, []Cell{
		{10, 1, 0, 0xF3, 1, 0, Entry{Int: 2}},
		{12, 1, 2, 0x41, 2, 300, Entry{Str: []byte(long)}},
		{315, 5, 303, 0x01, 1, 1, Entry{Str: []byte("x")}},
		{322, 1, 7, 0xF0, 1, 3, Entry{Int: 70000}},
	}, cells)
	kinds := ""
	for _, e := range []Encoding{0x3F, 0x40, 0x80, 0xFE, 0xC0, 0xF0, 0xD0, 0xE0, 0xF1, 0xFD, 0xFF, 0xC1} {
		kinds += e.String() + " "
	}
	require.Equal(t, "str6 str14 str32 int8 int16 int24 int32 int64 imm imm invalid invalid ", kinds)
	for range l.Layout() {
		break
	}
	sum := 0
	for c := range l.Layout() {
		sum += c.Bytes()
	}
	require.Equal(t, l.Bytes()-11, sum)
}
