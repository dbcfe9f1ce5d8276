package listpack

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// TestLayout compares with the bytes that redis-server writes.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ value, element string }{
		{"0", "\x00\x01"}, {"127", "\x7f\x01"},
		{"128", "\xc0\x80\x02"}, {"-1", "\xdf\xff\x02"}, {"4095", "\xcf\xff\x02"}, {"-4096", "\xd0\x00\x02"},
		{"4096", "\xf1\x00\x10\x03"}, {"-32768", "\xf1\x00\x80\x03"},
		{"32768", "\xf2\x00\x80\x00\x04"}, {"-8388608", "\xf2\x00\x00\x80\x04"},
		{"8388608", "\xf3\x00\x00\x80\x00\x05"}, {"-2147483648", "\xf3\x00\x00\x00\x80\x05"},
		{"2147483648", "\xf4\x00\x00\x00\x80\x00\x00\x00\x00\x09"},
		{"", "\x80\x01"}, {"abc", "\x83abc\x04"}, {"007", "\x83007\x04"}, {"-0", "\x82-0\x03"},
		{strings.Repeat("x", 64), "\xe0\x40" + strings.Repeat("x", 64) + "\x42"},
		{strings.Repeat("x", 200), "\xe0\xc8" + strings.Repeat("x", 200) + "\x01\xca"},
		{strings.Repeat("x", 4096), "\xf0\x00\x10\x00\x00" + strings.Repeat("x", 4096) + "\x20\x85"},
	} {
		l := New(0).Append([]byte(c.value))
		require.NoError(t, l.Check(), c.value)
		require.Equal(t, c.element, string(l[First:l.End()]), c.value)
		require.Equal(t, 1, l.Len())
	}
}

func TestBacklensOfManySizes(t *testing.T) {
	for _, n := range []int{125, 126, 127, 1<<14 - 8, 1<<14 - 7, 1<<14 - 6, 1<<14 - 5, 1<<21 - 7,
		1<<21 - 6, 1<<21 - 5} {
		l := New(0).AppendInt(1).Append(make([]byte, n)).AppendInt(2)
		require.NoError(t, l.Check(), n)
		pos := l.Prev(l.Prev(l.End()))
		e, next := l.Get(pos)
		require.Equal(t, n, e.Len())
		require.Equal(t, First, l.Prev(pos))
		two, end := l.Int(next)
		require.Equal(t, int64(2), two)
		require.Equal(t, l.End(), end)
	}
}

func TestManyElements(t *testing.T) {
	l := New(0)
	for i := range 70000 {
		l = l.AppendInt(int64(i % 100))
	}
	require.Equal(t, 70000, l.Len())
	require.NoError(t, l.Check())
}

func TestReplaceIntMovesWhatFollows(t *testing.T) {
	l := New(0).AppendInt(5).Append([]byte("tail"))
	for _, n := range []int64{6, 1000, 7, math.MaxInt64, math.MinInt64, -1} {
		l = l.ReplaceInt(First, n)
		require.NoError(t, l.Check())
		got, next := l.Int(First)
		require.Equal(t, n, got)
		e, _ := l.Get(next)
		require.Equal(t, "tail", string(e.Text(nil)))
	}
}

func TestCheckFindsDamage(t *testing.T) {
	whole := New(0).Append([]byte("text")).AppendInt(1000).Append(make([]byte, 5000)).AppendInt(1 << 40)
	require.NoError(t, whole.Check())
	require.Error(t, List(nil).Check())
	for i := range whole {
		require.Error(t, whole[:i].Check(), "cut at %d", i)
	}
	for _, at := range []int{0, 4, First, 11, len(whole) - 1} {
		bad := append(List(nil), whole...)
		bad[at] ^= 0x95
		require.Error(t, bad.Check(), "byte %d", at)
	}
}

// walk checks a list against its texts, both ways.
func walk(t *testing.T, l List, texts []string) {
	require.NoError(t, l.Check())
	require.Equal(t, len(texts), l.Len())
	pos := First
	for _, text := range texts {
		e, next := l.Get(pos)
		require.Equal(t, text, string(e.Text(nil)))
		require.Equal(t, next, l.Next(pos))
		pos = next
	}
	require.Equal(t, l.End(), pos)
	for i := len(texts) - 1; i >= 0; i-- {
		pos = l.Prev(pos)
		e, _ := l.Get(pos)
		require.Equal(t, texts[i], string(e.Text(nil)))
	}
}

func TestRandomLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		l, texts := New(r.IntN(100)), []string(nil)
		for range r.IntN(30) {
			text := strconv.FormatInt(r.Int64()>>r.IntN(64)*int64(1-2*r.IntN(2)), 10)
			if r.IntN(2) == 0 {
				text = strings.Repeat("t", r.IntN(1<<r.IntN(14)))
			}
			l, texts = l.Append([]byte(text)), append(texts, text)
		}
		walk(t, l, texts)
	}
}

// FuzzCheck gives Check anything: what passes is safe to read.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(New(0).Append([]byte("text")).AppendInt(70000)))
	f.Add([]byte("\x07\x00\x00\x00\x00\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := List(data)
		if l.Check() != nil {
			return
		}
		var texts []string
		for pos := First; pos < l.End(); {
			e, next := l.Get(pos)
			texts, pos = append(texts, string(e.Text(nil))), next
		}
		walk(t, l, texts)
	})
}

func TestSizeOfAZiplist(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		l, zl := New(0), ziplist.New()
		for range r.IntN(20) {
			text := []byte(strings.Repeat("t", 1<<r.IntN(15)-r.IntN(2)))
			if r.IntN(2) == 0 {
				text = strconv.AppendInt(nil, (1<<r.IntN(63)-r.Int64N(2))*(1-2*r.Int64N(2)), 10)
			}
			l, zl = l.Append(text), zl.Append(text)
		}
		require.Equal(t, len(l), Size(zl))
	}
}
