package resp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parseLong(t *testing.T, text string) LongDouble {
	t.Helper()
	x, ok := ParseLongDouble([]byte(text))
	require.True(t, ok, text)
	return x
}

func TestLongDoubleAdds(t *testing.T) {
	for _, c := range []struct{ a, b, sum string }{
		{"0.1", "0.2", "0.3"},
		{"3.0e3", "200", "3200"},
		{"10.5", "-10.5", "0"},
		{"-0", "-0", "0"},
		{"0", "-5e-18", "0"},
		{"5.0e-18", "5.0e-18", "0.00000000000000001"},
		{"1", "1e-19", "1"},
		{"18446744073709551615", "1", "18446744073709551616"},
		{"18446744073709551617", "0", "18446744073709551616"},
		{"1e30", "0", "1000000000000000000024696061952"},
		{"1.23456789012345678901234567890", "0", "1.23456789012345679"},
		{"0x1p-3", "0X.8", "0.625"},
		{"inf", "1", "inf"},
		{"1", "-inf", "-inf"},
		{"inf", "inf", "inf"},
		{"inf", "-inf", "nan"},
		{"1.1e4932", "1.1e4932", "inf"},
		{"0", "0.99999999999999999999", "1"},
	} {
		sum := parseLong(t, c.a).Add(parseLong(t, c.b))
		require.Equal(t, c.sum, string(sum.AppendHuman(nil)), "%s + %s", c.a, c.b)
		sum = parseLong(t, c.b).Add(parseLong(t, c.a))
		require.Equal(t, c.sum, string(sum.AppendHuman(nil)), "%s + %s", c.b, c.a)
		require.Equal(t, !strings.ContainsAny(c.sum, "in"), sum.IsFinite())
	}
}

func TestParseLongDoubleRefuses(t *testing.T) {
	for _, text := range []string{
		"", "+", ".", "e1", "1e", "1e+", "1_0", "0x", "0x.", "0x1p", " 1", "1 ", "1\x00", "nan", "-nan(1)", "abc",
		"1.2.3", "1.2e4932", "-1e5000", "1e99999999999999999999", "1e-4951", "1e-99999999999999999999", "0x1p16384",
		"0x1p-16446", strings.Repeat("0", 5120),
	} {
		_, ok := ParseLongDouble([]byte(text))
		require.False(t, ok, text)
	}
	for _, text := range []string{"1.18e4932", "2e-4951", "0x1p16383", "0x1.8p-16446", "0e99999999999",
		strings.Repeat("0", 5119)} {
		parseLong(t, text)
	}
}

// exact returns x as a big.Float, which has the same 64 bits of mantissa.
func (x LongDouble) exact() *big.Float {
	f := new(big.Float).SetPrec(64).SetUint64(x.mant)
	f.SetMantExp(f, x.exp)
	if x.negative {
		f.Neg(f)
	}
	return f
}

// randomDecimal returns the text of a number with up to 22 digits and a small exponent.
func randomDecimal(r *rand.Rand) string {
	digits := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10) + strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
	digits = digits[:1+r.IntN(min(22, len(digits)))]
	at := r.IntN(len(digits) + 1)
	text := digits[:at] + "." + digits[at:]
	if r.IntN(2) == 0 {
		text = "-" + text
	}
	if r.IntN(2) == 0 {
		text += "e" + strconv.Itoa(r.IntN(60)-30)
	}
	return text
}

func TestLongDoubleAgainstBigFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		at, bt := randomDecimal(r), randomDecimal(r)
		a, b := parseLong(t, at), parseLong(t, bt)
		rat, _ := new(big.Rat).SetString(at)
		require.Zero(t, new(big.Float).SetPrec(64).SetRat(rat).Cmp(a.exact()), at)
		sum := a.Add(b)
		want := new(big.Float).SetPrec(64).Add(a.exact(), b.exact())
		require.Zero(t, want.Cmp(sum.exact()), "%s + %s", at, bt)
		text := want.Text('f', 17)
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		if text == "-0" || text == "" || text == "-" {
			text = "0"
		}
		require.Equal(t, text, string(sum.AppendHuman(nil)), "%s + %s", at, bt)
	}
}

func TestFormatHumanIsTheLongDoubleForm(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50_000 {
		f := randomDouble(r)
		x := parseLong(t, strconv.FormatFloat(f, 'x', -1, 64))
		require.Equal(t, string(x.AppendHuman(nil)), string(FormatHuman(nil, f)))
	}
	require.Equal(t, "0", string(FormatHuman(nil, math.SmallestNonzeroFloat64)))
}

func BenchmarkLongDouble(b *testing.B) {
	value, increment := []byte("10.5"), []byte("0.1")
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		x, _ := ParseLongDouble(value)
		y, _ := ParseLongDouble(increment)
		buf = x.Add(y).AppendHuman(buf[:0])
	}
}

// The timeouts of Redis 6.2 are seconds times 1000, without the fraction.
func TestLongDoubleTimesAndTruncate(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "0.001": 0, "0.002": 1, "0.0021": 2, "-0.001": 0, "-0.0015": -1,
		"1e-30": 0, "0.25": 250, "9223372036854775": 9223372036854775000,
		"9223372036854776": math.MinInt64, "1e30": math.MinInt64, "inf": math.MinInt64, "-inf": math.MinInt64,
	} {
		require.Equal(t, want, parseLong(t, text).Times(1000).Truncate(), text)
	}
}

func TestLongDoubleWith17Digits(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "-0", "60": "60", "0.1": "0.1", "3.14": "3.14", "-2.5": "-2.5", "inf": "inf", "-inf": "-inf",
		"1e17": "1e+17", "12345678901234567": "12345678901234567", "123456789012345678": "1.2345678901234568e+17",
		"0.0001": "0.0001", "0.00001": "1e-05", "1e4000": "1e+4000", "100000": "100000",
	} {
		require.Equal(t, want, string(parseLong(t, text).Append17(nil)), text)
	}
	for f, want := range map[float64]string{
		0.1: "0.10000000000000001", -2.5: "-2.5", 1 << 62: "4.6116860184273879e+18", 0: "0",
		5e-324: "4.9406564584124654e-324",
	} {
		require.Equal(t, want, string(LongDoubleOf(f).Append17(nil)))
	}
}

func TestUint(t *testing.T) {
	w := NewWriter(2)
	w.Uint(1)
	w.Uint(1<<64 - 1)
	require.Equal(t, ":1\r\n:18446744073709551615\r\n", string(w.Bytes()))
	v, err := read(":18446744073709551615\r\n")
	require.NoError(t, err)
	require.Equal(t, Value{Kind: BigNumber, Text: "18446744073709551615"}, v)
	_, err = read(":18446744073709551616\r\n")
	require.ErrorIs(t, err, ErrNumber)
}
