package number

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersPrintWith14Digits compares with strconv, for numbers with few decimals and their
// neighbours.
func TestNumbersPrintWith14Digits(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	check := func(f float64) {
		have := string(Append(nil, f))
		require.Equal(t, strconv.FormatFloat(f, 'g', 14, 64), have)
	}
	for range 200_000 {
		n := float64(dice.Int64N(1 << dice.IntN(52)))
		f := n / math.Pow10(dice.IntN(6))
		for _, f := range []float64{f, -f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1)), dice.NormFloat64()} {
			if f != math.Trunc(f) {
				check(f)
			}
		}
	}
	for _, f := range []float64{0.001, 0.0001, 0.00012, 99999999999.999, 999999999999.999, 9999999999999.5,
		99999999999999.5, 5e-324, 0.1 + 0.2} {
		check(f)
	}
}
