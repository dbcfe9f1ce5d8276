package xxh3

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sums are other implementations', at the borders between the ways of hashing.
func TestKnownSums(t *testing.T) {
	b := make([]byte, 3000)
	for i := range b {
		b[i] = byte(i * 7)
	}
	for _, c := range []struct {
		n    int
		want uint64
	}{
		{0, 0x2d06800538d394c2}, {1, 0xc44bdff4074eecdb}, {2, 0x9093381c8763d62e}, {3, 0xc3489259e968ad9e},
		{4, 0xd3d60c1519014e89}, {8, 0xb88dee77f6bf6980}, {9, 0x03688dcad730d826}, {16, 0x9da23836adf2be1e},
		{17, 0xf34c3c9cf5a112d1}, {64, 0x6efb76ff16f37561}, {128, 0x65f3c2c00fa93185}, {129, 0x28065c6ec25f5b25},
		{200, 0x7c64f3b17285e96a}, {240, 0x4917a75c0ef8eed7}, {241, 0x541b19226f0052e8}, {512, 0xf6fe51471f2fa1ec},
		{1024, 0xdc5acf0b043c445b}, {1025, 0xe1d9cd946277ae26}, {2048, 0x848d24cc268f7498}, {2049, 0xc757a52bb931999d},
		{3000, 0x6168bb188259cccf},
	} {
		require.Equal(t, c.want, Sum64(b[:c.n]), "%d bytes", c.n)
	}
}

// Texts with the digests that Redis gives them, in its documentation and its tests.
func TestRedisDigests(t *testing.T) {
	for text, want := range map[string]string{
		"Hello world": "b6acb9d84a38ff74",
		"v8lf0c11xh8ymlqztfd3eeq16kfn4sspw7fqmnuuq3k3t75em5wdizgcdw7uc26nnf961u2jkfzkjytls2kwlj7626sd": "00006c38adf31777",
	} {
		require.Equal(t, want, fmt.Sprintf("%016x", Sum64([]byte(text))))
	}
}

// TestEveryByteCounts changes each byte of texts of many lengths.
func TestEveryByteCounts(t *testing.T) {
	for _, n := range []int{1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 100, 128, 129, 177, 240, 241, 300, 1024, 1100, 2100} {
		b := make([]byte, n)
		seen := map[uint64]bool{Sum64(b): true}
		for i := range b {
			b[i] = 1
			require.False(t, seen[Sum64(b)], "byte %d of %d", i, n)
			seen[Sum64(b)] = true
			b[i] = 0
		}
	}
}

func BenchmarkSum64(b *testing.B) {
	for _, n := range []int{8, 100, 1 << 16} {
		data := make([]byte, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum64(data)
			}
		})
	}
}
