package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLongDoublesAreOrdered(t *testing.T) {
	ascending := []LongDouble{
		parseLong(t, "-inf"), MaxLongDouble.Neg(), parseLong(t, "-1e300"), parseLong(t, "-2"), parseLong(t, "-1.5"),
		parseLong(t, "-1e-300"), parseLong(t, "0"), parseLong(t, "1e-300"), parseLong(t, "0.1"),
		parseLong(t, "0.1000000000000000001"), parseLong(t, "1.5"), parseLong(t, "1e300"), MaxLongDouble,
		parseLong(t, "inf"),
	}
	for i, x := range ascending {
		for j, y := range ascending {
			require.Equal(t, i < j, x.Less(y), "%v %v", x, y)
		}
	}
	require.False(t, parseLong(t, "-0").Less(parseLong(t, "0")))
	require.False(t, parseLong(t, "0").Less(parseLong(t, "-0")))
	nan := parseLong(t, "inf").Add(parseLong(t, "-inf"))
	require.False(t, nan.Less(MaxLongDouble) || MaxLongDouble.Less(nan))
	require.False(t, MaxLongDouble.Add(MaxLongDouble).IsFinite())
	require.True(t, MaxLongDouble.IsFinite())
}
