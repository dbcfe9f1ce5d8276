package keys

import (
	"cmp"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAscendingBitsCompareAsNumbers(t *testing.T) {
	numbers := []float64{math.Inf(-1), -math.MaxFloat64, -2, -1, -0x1p-1022, math.Copysign(0, -1), 0, 0x1p-1022, 1, 2,
		1e300, math.Inf(1)}
	for _, a := range numbers {
		for _, b := range numbers {
			require.Equal(t, cmp.Compare(a, b), cmp.Compare(ascending(a), ascending(b)), "%v %v", a, b)
		}
	}
}
