package number

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShortNumerals: a numeral has the value that big.Float computes, and other texts are refused.
func TestShortNumerals(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 2000/len(s)) }
	dice := rand.New(rand.NewPCG(1, 2))
	parts := []string{
		"", " ", "\t\n", "-", "+", "0", "1", "9", "5", "123", "0x", "0X", "f", ".", "e", "E", "p", "e+5", "e-5", "p-3",
		"p9", ")", "_", "x", "\x00", "18446744073709551615", "e0000", "4503599627370497.5", many("0"), many("1"),
		many("9"), many("50"), many(" "), many("f"), many("\n"), "." + many("0"), "e-2000", "e-1990", "e1000",
		"e" + many("0") + "7", "-" + many("7"), "p-8000", "p-7990", "." + many("3"), "e-2300", "p-9030",
	}
	compared := 0
	for range 10000 {
		text := parts[dice.IntN(len(parts))]
		for len(text) < longNumeral {
			text += parts[dice.IntN(len(parts))]
		}
		have, ok := Parse(nil, text)
		_, wantOK := parseBlanks(text)
		require.Equal(t, wantOK, ok, "%q", text)
		_, length := ParsePrefix(nil, text)
		_, wantLength := strtod(text)
		require.Equal(t, wantLength, length, "%q", text)
		if want, known := exactly(text); ok && known {
			compared++
			require.Equal(t, math.Float64bits(want), math.Float64bits(have), "%q", text)
		}
	}
	require.Greater(t, compared, 1000)
}

// exactly returns the value of a numeral between blanks, if big.Float can represent its exponent.
func exactly(text string) (f float64, known bool) {
	text, _, _ = strings.Cut(text, "\x00")
	text = strings.Trim(text, " \t\n")
	base := 10
	if strings.ContainsAny(text, "xX") {
		base = 0
	}
	exact, _, err := big.ParseFloat(text, base, 20000, big.ToNearestEven)
	if err != nil {
		return 0, false
	}
	f, _ = exact.Float64()
	return f, true
}

// TestNumeralsOutOfRange: exponents and payloads may be long too.
func TestNumeralsOutOfRange(t *testing.T) {
	nines := strings.Repeat("9", 2000)
	for text, want := range map[string]float64{
		"1e" + nines: math.Inf(1), "-1e" + nines: math.Inf(-1), "1e-" + nines: 0, "0e" + nines: 0,
		"0x1p" + nines: math.Inf(1), "0x1p-" + nines: 0, strings.Repeat(" ", 2000) + "inf": math.Inf(1),
		"1" + strings.Repeat("0", 2000) + "e-2000": 1, "0." + strings.Repeat("0", 2000) + "1e2001": 1,
	} {
		f, ok := Parse(nil, text)
		require.True(t, ok, text)
		require.Equal(t, want, f, text)
	}
	f, ok := Parse(nil, "nan("+nines+")")
	require.True(t, ok && f != f)
	_, ok = Parse(nil, "nan("+nines)
	require.False(t, ok)
}

// TestNumeralsOfBases: tonumber with a base reads what strtoul does.
func TestNumeralsOfBases(t *testing.T) {
	for _, c := range []struct {
		text string
		base int
		want float64
		ok   bool
	}{
		{"101", 2, 5, true}, {" 7f ", 16, 127, true}, {"0x7F", 16, 127, true}, {"0x", 16, 0, false},
		{"0xg", 16, 0, false},
		{"-1", 16, 1 << 64, true}, {"-0", 16, 0, true}, {"zz", 36, 35*36 + 35, true}, {"12", 2, 0, false},
		{"", 8, 0, false},
		{"-", 8, 0, false}, {"+5", 8, 5, true}, {"+-5", 8, 0, false}, {"5\x00x", 8, 5, true}, {"\x00", 8, 0, false},
		{"1_0", 10, 0, false},
		{"18446744073709551615", 10, 1 << 64, true}, {"18446744073709551616", 10, 1 << 64, true},
		{strings.Repeat("1", 70), 2, 1 << 64, true}, {strings.Repeat("1", 70) + "2", 2, 0, false},
		{"-" + strings.Repeat("1", 70), 2, 1 << 64, true},
	} {
		f, ok := ParseBase(nil, c.text, c.base)
		require.Equal(t, c.ok, ok, "%q in base %d", c.text, c.base)
		if ok {
			require.Equal(t, c.want, f, "%q in base %d", c.text, c.base)
		}
	}
}
