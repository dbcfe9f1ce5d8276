package resp

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The texts are those of Redis 8.0.2.
func TestFormatShortest(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "1", "-1", "12", "2.4", "0.1", "0.30000000000000004", "inf", "-inf", "nan", "-nan",
		// Up to seven zeros without an exponent.
		"10000000", "1e+8", "1230000000", "1.23e+10", "274643550290942030000000", "-274643550290942030000000",
		// Up to six digits after the point, or more with an exponent from -3 to 3.
		"0.000001", "1.2e-6", "1e-7", "0.0012", "0.00123456", "0.001234567", "0.00012", "1.2345e-4", "1.234567e-4",
		"1234.5678901", "12345.678901", "1.23456789012e+4", "1.7000000001234567e+9", "1700000000000.5",
		// The ends of the range.
		"5e-324", "-5e-324", "1e-323", "2.225073858507201e-308", "2.2250738585072014e-308", "1.7976931348623157e+308",
		// Too long or not the nearest.
		"6.640000000000001e+83", "4.2968263908214726e-174", "1.1708662429912338e-308", "3.1699999999999995e-80",
		"2.9802322387695313e-8",
	} {
		f, ok := ParseFloat([]byte(text))
		require.True(t, ok, text)
		if text[0] == '-' && f == f {
			f = -math.Abs(f)
		} else if text == "-nan" {
			f = math.Copysign(f, -1)
		}
		require.Equal(t, text, string(FormatShortest(nil, f)))
	}
}

// Each power is the nearest of 64 bits.
func TestPowers(t *testing.T) {
	for i, have := range powers {
		exp := firstPower + i*powerStep
		exact, ok := new(big.Rat).SetString("1e" + strconv.Itoa(exp))
		require.True(t, ok)
		binary := powerExponent(exp)
		scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(binary, -binary))))
		if binary < 0 {
			scale.Inv(scale)
		}
		near := exact.Quo(exact, scale).FloatString(0)
		require.Equal(t, near, strconv.FormatUint(have, 10), exp)
	}
}
