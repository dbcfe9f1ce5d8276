package server

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizesByPowersOfTwo(t *testing.T) {
	counts := make([]int, bits.UintSize+1)
	for _, n := range []uint{0, 1, 2, 3, 1023, 1024, 1 << 20, 1<<21 - 1, 1 << 32} {
		counts[bits.Len(n)]++
	}
	require.Equal(t, "0=1,1=1,2=2,512=1,1K=1,1M=2,4G=1", sizesText(counts, 9, 9))
	require.Equal(t, "0=10,1=10,2=20,512=10,1K=10,1M=20,4G=10", sizesText(counts, 90, 9))
}
