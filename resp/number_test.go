package resp

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestFormatDouble(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "3": 3, "-3": -3,
		"0.1": 0.1, "1e+20": 1e20, "10000000000000000": 1e16,
		"4611686018427387904": 1 << 62, "-4611686018427387904": -1 << 62,
		"4611686018427389000": 1<<62 + 1024, "1.5e+300": 1.5e300, "1700000000000.5": 1700000000000.5,
		"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.Copysign(math.NaN(), -1),
	} {
		require.Equal(t, want, string(FormatDouble(nil, f)))
	}
}

func TestFormat17(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "3": 3, "-3": -3,
		"0.10000000000000001": 0.1, "1e+20": 1e20, "1e+17": 1e17, "10000000000000000": 1e16,
		"1.5000000000000001e+300": 1.5e300, "4.9406564584124654e-324": math.SmallestNonzeroFloat64,
		"0.0001": 0.0001, "1.0000000000000001e-05": 0.00001,
		"1700000000000.5": 1700000000000.5,
		"inf":             math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(), "-nan": math.Copysign(math.NaN(), -1),
	} {
		require.Equal(t, want, string(Format17(nil, f)))
	}
}

func TestFormatHuman(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "3": 3, "0.10000000000000001": 0.1, "-0.25": -0.25, "100000000000000000000": 1e20,
		"0.00000000000000001": 1e-17, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		require.Equal(t, want, string(FormatHuman(nil, f)))
	}
	require.Equal(t, "0", string(FormatHuman(nil, math.Copysign(0, -1))))
	require.Equal(t, "0", string(FormatHuman(nil, -1e-20)))
}

func TestParseFloat(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "3": 3, "-3": -3, "+3": 3, "00012": 12, "1.": 1, ".5": 0.5, "-.5e-3": -0.0005,
		"0x10": 16, "0X.8": 0.5, "0x1p-3": 0.125, "0e-999": 0, "1E3": 1000,
		"inf": math.Inf(1), "+Inf": math.Inf(1), "-INFINITY": math.Inf(-1), "4.9e-324": math.SmallestNonzeroFloat64,
	} {
		f, ok := ParseFloat([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, f, text)
	}
	for _, text := range []string{
		"", "+", "-", ".", "e", "1e", "1e+", "1_0", "0x1_0", "0x", "0x.", "0x1p", " 1", "1 ", "1\x00", "1,5",
		"1e400", "-1e400", "1e-400", "0x1p-2000", "0x1p2000", "infin", "--1", "+-1", "nan(", "nan(-)",
		"nanx", "abc", "1f",
	} {
		_, ok := ParseFloat([]byte(text))
		require.False(t, ok, text)
	}
	for _, text := range []string{"nan", "NaN", "-nan", "nan()", "nan(0x1_f)"} {
		f, ok := ParseFloat([]byte(text))
		require.True(t, ok && math.IsNaN(f), text)
	}
}

func TestParseInt(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 9, 10, math.MaxInt64, math.MinInt64, 1700000000000} {
		got, ok := ParseInt(strconv.AppendInt(nil, n, 10))
		require.True(t, ok)
		require.Equal(t, n, got)
	}
	for _, text := range []string{
		"", "-", "+1", "-0", "00", "01", "-01", " 1", "1 ", "1.0", "0x1", "1e3", "a",
		"9223372036854775808", "-9223372036854775809", "99999999999999999999", "18446744073709551617",
	} {
		_, ok := ParseInt([]byte(text))
		require.False(t, ok, text)
	}
}

// randomDouble returns doubles of all magnitudes, with small and round ones more often.
func randomDouble(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return float64(r.Int64N(1<<60)-1<<59) / float64(int64(1)<<r.IntN(60))
	case 1:
		return math.Round(r.NormFloat64()*1000) / 100
	case 2:
		return float64(r.Int64()) * float64(1-2*r.IntN(2))
	}
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

func TestDoublesSurviveTheirText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range quick.Rounds(100_000) {
		f := randomDouble(r)
		for _, text := range [][]byte{FormatDouble(nil, f), FormatShortest(nil, f), Format17(nil, f)} {
			back, ok := ParseFloat(text)
			require.True(t, ok, "%s", text)
			require.Equal(t, math.Float64bits(f), math.Float64bits(back), "%s", text)
			require.LessOrEqual(t, len(text), 25)
		}
		require.Equal(t, strconv.FormatFloat(f, 'g', 17, 64), string(Format17(nil, f)))
	}
}

func TestNumbersDoNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 400)
	for _, text := range []string{"1700000000000", "3.25", "-1e10", "0.1", "1700000000000.12345", "inf"} {
		b := []byte(text)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			f, _ := ParseFloat(b)
			buf = FormatDouble(buf[:0], f)
			buf = Format17(buf[:0], f)
			buf = FormatHuman(buf[:0], f)
			x, _ := ParseLongDouble(b)
			buf = x.Add(x).AppendHuman(buf[:0])
		}), text)
	}
}

func BenchmarkFormatDouble(b *testing.B) {
	for _, f := range []float64{12, 1700000000000, 0.1, 1700000000000.5, 56.441257870158204, -1.2345678901234567e-300} {
		b.Run(strconv.FormatFloat(f, 'g', -1, 64), func(b *testing.B) {
			var buf [32]byte
			for b.Loop() {
				FormatDouble(buf[:0], f)
			}
		})
	}
}

func BenchmarkParseFloat(b *testing.B) {
	for _, text := range []string{"12", "1700000000000", "0.1", "-3.25e10"} {
		b.Run(text, func(b *testing.B) {
			s := []byte(text)
			for b.Loop() {
				ParseFloat(s)
			}
		})
	}
}
