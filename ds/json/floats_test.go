package json

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRound(t *testing.T) {
	for _, c := range []struct {
		floats  Floats
		f, want float64
		fits    bool
	}{
		{FP16, 0.3, 0.3, true}, {FP16, 0.1, 0.1, true}, {FP16, 0.30001, 0.3, true}, {FP16, 1234.56, 1235, true},
		{FP16, 65519, 65500, true}, {FP16, 65520, 0, false}, {FP16, -1e100, 0, false}, {FP16, 6e-8, 6e-8, true},
		{FP16, 2e-8, 0, true}, {FP16, 2049, 2048, true}, {FP16, 2051, 2052, true},
		{BF16, 0.3, 0.3, true}, {BF16, 1.005, 1.01, true}, {BF16, 3.39e38, 3.39e38, true}, {BF16, 3.4e38, 0, false},
		{FP32, 0.1, 0.1, true}, {FP32, 16777217, 16777216, true}, {FP32, 3.5e38, 0, false},
		{FP64, 0.1, 0.1, true}, {FP64, 1e308, 1e308, true},
	} {
		got, fits := c.floats.Round(c.f)
		require.Equal(t, c.fits, fits, "%v %v", c.floats, c.f)
		require.Equal(t, c.want, got, "%v %v", c.floats, c.f)
	}
}

// Every number of a type of 16 bits reads back as itself, and so does the number between two.
func TestRoundKeepsTheNumbersOfTheType(t *testing.T) {
	for _, c := range []struct {
		floats Floats
		of     func(bits uint16) float64
	}{
		{BF16, func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }},
		{FP16, func(bits uint16) float64 {
			if exponent := bits >> 10; exponent > 0 {
				return math.Ldexp(float64(bits&0x3ff|0x400), int(exponent)-25)
			}
			return math.Ldexp(float64(bits), -24)
		}},
	} {
		largest := uint16(0x7bff)
		if c.floats == BF16 {
			largest = 0x7f7f
		}
		for bits := uint16(0); bits < largest; bits++ {
			f, next := c.of(bits), c.of(bits+1)
			got, ok := c.floats.Round(f)
			require.True(t, ok && c.floats.nearest(got) == f, "%v %v %v", c.floats, f, got)
			if bits%2 == 0 {
				require.Equal(t, f, c.floats.nearest((f+next)/2), "%v %v", c.floats, f)
			} else {
				require.Equal(t, next, c.floats.nearest((f+next)/2), "%v %v", c.floats, f)
			}
		}
	}
}

func TestParserRoundsArrays(t *testing.T) {
	for _, c := range []struct {
		floats     Floats
		text, want string
	}{
		{FP16, `[[1,2,3,4e3],[5,6.0,7,8]]`, `[[1.0,2.0,3.0,4000.0],[5.0,6.0,7.0,8.0]]`},
		{FP16, `{"a":[0.30001,-0.1,0],"b":0.30001}`, `{"a":[0.3,-0.1,0.0],"b":0.30001}`},
		{FP32, `[ 1 , "s" , 2 , 0.123456789 ]`, `[1.0,"s",2,0.123456789]`},
		{FP32, `[0.123456789,1e20,-0,-1.5e-7]`, `[0.12345679,1e20,-0.0,-1.5e-7]`},
		{FP64, `[1,9007199254740993]`, `[1.0,9007199254740992.0]`},
		{Exact, `[1,0.30001]`, `[1,0.30001]`},
	} {
		p := Parser{Floats: c.floats}
		d, n, err := p.Parse([]byte(c.text))
		require.NoError(t, err, c.text)
		require.Equal(t, len(c.text), n)
		require.NoError(t, d.Check())
		require.Equal(t, c.want, string(AppendText(nil, d.Root())))
	}
	p := Parser{Floats: FP16}
	_, _, err := p.Parse([]byte("[1,\n1e5]"))
	require.EqualError(t, err, "value out of range for F16 at line 2 column 3")
	for _, text := range []string{"[-]", "[1.]", "[1e]", "[1", "[1e999]", "[01]"} {
		_, _, err := new(Parser).Parse([]byte(text))
		_, _, rounding := p.Parse([]byte(text))
		require.Equal(t, err, rounding, text)
	}
}
