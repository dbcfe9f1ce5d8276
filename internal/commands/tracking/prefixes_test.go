package tracking

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The neighbours of a prefix tell the same as all prefixes of a session do.
func TestOverlapsAreFoundAmongNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	refused, taken := 0, 0
	for range 500 {
		var list []string
		for range 20 {
			text := make([]byte, r.IntN(5))
			for i := range text {
				text[i] = "ab\x00\xff"[r.IntN(4)]
			}
			p := string(text)
			q, overlaps := overlapping(p, list)
			found, ok := overlappingSorted(p, list)
			require.Equal(t, overlaps, ok, "%q in %q", p, list)
			require.Equal(t, q, found, "%q in %q", p, list)
			if overlaps && p != "" { // BCAST without PREFIX is not looked at
				refused++
				continue
			}
			taken++
			list = merged(list, []string{p})
			require.IsIncreasing(t, list)
		}
	}
	require.Greater(t, min(refused, taken), 1000)
}
