package strings

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLCSLength compares the bit-parallel length with that of the table.
func TestLCSLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		letters := 1 + rng.IntN(20)
		text := func() []byte {
			b := make([]byte, rng.IntN(300))
			for i := range b {
				b[i] = byte(rng.IntN(letters))
			}
			return b
		}
		a, b := text(), text()
		require.Equal(t, newLCSTable(a, b).length(), lcsLength(a, b), "%q %q", a, b)
	}
	require.EqualValues(t, 0, lcsLength(nil, nil))
	require.EqualValues(t, 128, lcsLength(make([]byte, 128), make([]byte, 500)))
}
