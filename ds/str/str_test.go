package str

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncodings(t *testing.T) {
	for _, c := range []struct{ text, encoding string }{
		{"", "embstr"},
		{"0", "int"},
		{"-1", "int"},
		{"12345", "int"},
		{"9223372036854775807", "int"},
		{"-9223372036854775808", "int"},
		{"9223372036854775808", "embstr"},
		{"-9223372036854775809", "embstr"},
		{"18446744073709551616", "embstr"},
		{"99999999999999999999", "embstr"},
		{"-0", "embstr"},
		{"-", "embstr"},
		{"+1", "embstr"},
		{"01", "embstr"},
		{"-01", "embstr"},
		{" 1", "embstr"},
		{"1 ", "embstr"},
		{"1.0", "embstr"},
		{"1e3", "embstr"},
		{strings.Repeat("9", 21), "embstr"},
		{strings.Repeat("x", EmbstrMax), "embstr"},
		{strings.Repeat("x", EmbstrMax+1), "raw"},
	} {
		v := Of([]byte(c.text))
		require.Equal(t, c.encoding, v.Encoding(), c.text)
		require.Equal(t, c.text, string(v.Text(nil)))
		require.Equal(t, len(c.text), v.Len())
		require.NoError(t, v.Check())
		n, ok := v.Int()
		require.Equal(t, c.encoding == "int", ok)
		if ok {
			require.Equal(t, c.text, strconv.FormatInt(n, 10))
		}
	}
}

func TestOfTextIsNeverAnInt(t *testing.T) {
	v := OfText([]byte("10"))
	require.Equal(t, "embstr", v.Encoding())
	_, ok := v.Int()
	require.False(t, ok)
	v = OfText(make([]byte, EmbstrMax+1))
	require.Equal(t, "raw", v.Encoding())
}

func TestZeroValueIsTheEmptyString(t *testing.T) {
	var v Value
	require.Equal(t, "embstr", v.Encoding())
	require.Empty(t, v.Text(nil))
	require.Zero(t, v.Len())
	require.Zero(t, v.Bytes())
	require.NoError(t, v.Check())
}

func TestLenOfInts(t *testing.T) {
	check := func(n int64) {
		v := OfInt(n)
		require.Equal(t, len(strconv.FormatInt(n, 10)), v.Len(), n)
	}
	for _, n := range []int64{0, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		check(n)
	}
	for p, i := int64(1), 0; i < 19; p, i = p*10, i+1 {
		for _, n := range []int64{p - 1, p, p + 1} {
			check(n)
			check(-n)
		}
	}
	for i := range 63 {
		check(1 << i)
		check(-1 << i)
		check(1<<i - 1)
	}
}

func TestEditGrowsWithZeros(t *testing.T) {
	v := Of([]byte("Hello"))
	copy(v.Edit(8)[6:], "xy")
	require.Equal(t, "Hello\x00xy", string(v.Text(nil)))
	require.Equal(t, "raw", v.Encoding())

	v.Edit(2)[0] = 'J'
	require.Equal(t, "Jello\x00xy", string(v.Text(nil)), "a shorter length does not cut")
}

func TestEditClearsWhatWasThere(t *testing.T) {
	buf := []byte("abcdefgh")
	v := OfEnc(buf[:2], Raw)
	v.Edit(6)
	require.Equal(t, "ab\x00\x00\x00\x00", string(v.Text(nil)))
}

func TestWritesMakeAnIntRaw(t *testing.T) {
	v := OfInt(-12)
	v.Edit(3)[0] = '+'
	require.Equal(t, "+12", string(v.Text(nil)))
	require.Equal(t, "raw", v.Encoding())

	v = OfInt(12)
	require.Equal(t, 4, v.Append([]byte("34")))
	require.Equal(t, "1234", string(v.Text(nil)))
	require.Equal(t, "raw", v.Encoding(), "raw for good, as in Redis")
	require.NoError(t, v.Check())

	v = OfInt(7)
	require.Equal(t, 1, v.Append(nil))
	require.Equal(t, "raw", v.Encoding())
}

func TestAppendIsAmortized(t *testing.T) {
	var v Value
	grown := 0
	for i := range 100_000 {
		before := v.Bytes()
		require.Equal(t, i+1, v.Append([]byte{byte(i)}))
		if v.Bytes() != before {
			grown++
		}
	}
	require.Less(t, grown, 60)
	require.Less(t, v.Bytes(), 140_000)
}

func TestCloneSharesNothing(t *testing.T) {
	v := Of([]byte("some text"))
	c := *v.Clone().(*Value)
	v.Edit(1)[0] = 'X'
	require.Equal(t, "some text", string(c.Text(nil)))
	require.Equal(t, "embstr", c.Encoding())
}

func TestAssign(t *testing.T) {
	old := OfEnc(bytes.Repeat([]byte("a"), 1000), Raw)
	next := OfEnc(bytes.Repeat([]byte("b"), 900), Raw)
	require.Zero(t, testing.AllocsPerRun(10, func() { old.Assign(&next) }), "it fits")
	require.Equal(t, next.Text(nil), old.Text(nil))
	next.Edit(1)[0] = 'c'
	require.Equal(t, byte('b'), old.Text(nil)[0], "a copy")

	short := Of([]byte("short"))
	old.Assign(&short)
	require.Equal(t, "short", string(old.Text(nil)))
	require.Equal(t, "embstr", old.Encoding())
	require.Less(t, old.Bytes(), 100, "the large memory is given back")

	number := OfInt(5)
	old.Assign(&number)
	require.Equal(t, "int", old.Encoding())
	require.Zero(t, old.Bytes())
	require.NoError(t, old.Check())

	old.Assign(&next)
	require.Equal(t, next.Text(nil), old.Text(nil))
}

// FuzzParseInt holds parseInt against strconv, restricted to canonical texts.
func FuzzParseInt(f *testing.F) {
	for _, s := range []string{"", "-", "0", "-0", "00", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "18446744073709551617", "1_0", "+5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, err := strconv.ParseInt(string(b), 10, 64)
		canonical := err == nil && strconv.FormatInt(want, 10) == string(b)
		got, ok := parseInt(b)
		require.Equal(t, canonical, ok)
		if ok {
			require.Equal(t, want, got)
		}
	})
}

// FuzzWrites runs a program of writes on a Value and on a plain byte slice. Each instruction is an
// operation, a position and a byte.
func FuzzWrites(f *testing.F) {
	f.Add([]byte("12"), []byte("\x00\x05a\x01\x00b\x02\x09c"))
	f.Fuzz(func(t *testing.T, start, program []byte) {
		v, model := Of(bytes.Clone(start)), bytes.Clone(start)
		v = *v.Clone().(*Value)
		for ; len(program) >= 3; program = program[3:] {
			at, ch := int(program[1]), program[2]
			switch program[0] % 4 {
			case 0:
				v.Append([]byte{ch})
				model = append(model, ch)
			case 1:
				v.Edit(at + 1)[at] = ch
				model = append(model, make([]byte, max(0, at+1-len(model)))...)
				model[at] = ch
			case 2:
				other := Of(bytes.Repeat([]byte{ch}, at))
				v.Assign(&other)
				model = bytes.Repeat([]byte{ch}, at)
			case 3:
				v = *v.Clone().(*Value)
			}
			require.Equal(t, string(model), string(v.Text(nil)))
			require.Equal(t, len(model), v.Len())
			require.NoError(t, v.Check())
		}
	})
}
