package slot

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetsAreRanges(t *testing.T) {
	ranges := [][2]int{{0, 0}, {63, 64}, {100, 5460}, {16383, 16383}}
	s := SetOf(ranges)
	require.Equal(t, ranges, s.Ranges())
	require.Equal(t, 1+2+5361+1, s.Len())
	require.True(t, s.Has(64))
	require.False(t, s.Has(65))
	other := SetOf([][2]int{{-5, 63}, {16383, 99999}})
	require.True(t, s.Meets(other))
	s.RemoveAll(other)
	require.Equal(t, [][2]int{{64, 64}, {100, 5460}}, s.Ranges())
	require.False(t, s.Meets(other))
	s.AddAll(other)
	require.Equal(t, [][2]int{{0, 64}, {100, 5460}, {16383, 16383}}, s.Ranges())
	require.Empty(t, new(Set).Ranges())
}
