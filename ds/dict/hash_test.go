package dict

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashDependsOnEveryByteAndTheLength(t *testing.T) {
	seen := map[uint64]bool{}
	fresh := func(buf []byte) {
		h := Hash(1, string(buf))
		require.False(t, seen[h], "% x", buf)
		seen[h] = true
		require.NotEqual(t, h, Hash(2, string(buf)))
	}
	for n := range 70 {
		buf := make([]byte, n)
		fresh(buf)
		for i := range buf {
			buf[i] = 0x40
			fresh(buf)
			buf[i] = 0
		}
	}
}

// Timestamps are the typical members; their low and high hash bits must be spread like random ones.
func TestHashSpreadsTimestamps(t *testing.T) {
	const n = 1 << 16
	var low, high [256]int
	for i := range n {
		h := Hash(3, strconv.Itoa(1700000000000+137*i))
		low[h&255]++
		high[h>>56]++
	}
	for i := range 256 {
		require.InDelta(t, n/256, low[i], 100, "index %d", i)
		require.InDelta(t, n/256, high[i], 100, "tag %d", i)
	}
}

func BenchmarkHash(b *testing.B) {
	for _, n := range []int{3, 12, 16, 32, 64} {
		key := string(make([]byte, n))
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				Hash(1, key)
			}
		})
	}
}
