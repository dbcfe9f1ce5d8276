package geohash

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// someWindow returns a window within the first 2^bits columns and rows.
func someWindow(rng *rand.Rand, bits int) window {
	a, b, c, d := rng.Uint32N(1<<bits), rng.Uint32N(1<<bits), rng.Uint32N(1<<bits), rng.Uint32N(1<<bits)
	return windowOf(min(a, b), min(c, d), max(a, b), max(c, d))
}

// TestWindowNext compares with a walk over all hashes of a small grid.
func TestWindowNext(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const bits = 5
	for range 300 {
		w := someWindow(rng, bits)
		want, found := uint64(0), false
		for hash := uint64(1<<(2*bits) - 1); ; hash-- {
			c := cellAt(hash)
			inside := c.x >= w.west && c.x <= w.east && c.y >= w.south && c.y <= w.north
			require.Equal(t, inside, w.holds(hash), "%v %d", w, hash)
			if inside {
				want, found = hash, true
			}
			got, ok := w.next(hash)
			require.Equal(t, found, ok, "%v %d", w, hash)
			if ok {
				require.Equal(t, want, got, "%v %d", w, hash)
			}
			if hash == 0 {
				break
			}
		}
	}
}

func TestWindowClip(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		w := someWindow(rng, steps)
		c := cellAt(rng.Uint64N(hashes))
		c.step = rng.IntN(steps) + 1
		c.x, c.y = c.x>>(steps-c.step), c.y>>(steps-c.step)
		whole := c.span()
		span, ok := w.clip(c)
		if first, found := w.next(uint64(whole.Min)); !found || float64(first) >= whole.Max {
			require.False(t, ok)
			continue
		} else {
			require.True(t, ok)
			require.Equal(t, float64(first), span.Min)
		}
		require.LessOrEqual(t, span.Max, whole.Max)
		require.True(t, w.holds(uint64(span.Max-1)))
		if rest, found := w.next(uint64(span.Max)); found {
			require.GreaterOrEqual(t, float64(rest), whole.Max)
		}
	}
}

// TestNext: Next skips no point of the area, and returns scores that are no hashes unchanged.
func TestNext(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	inside, jumps := 0, 0
	for range 3000 {
		a := someArea(rng)
		for range 30 {
			low, score := anywhere(rng).Score(), anywhere(rng).Score()
			if low > score {
				low, score = score, low
			}
			next := a.Next(low)
			require.GreaterOrEqual(t, next, low)
			if next > low {
				jumps++
			}
			if finds(&a, score) {
				inside++
				require.LessOrEqual(t, next, score, "%+v", a)
			}
		}
	}
	require.Greater(t, inside, 1000)
	require.Greater(t, jumps, 1000)
	a := Circle(palermo, 1)
	for _, score := range []float64{-1, hashes, 1e300, math.Inf(1), math.Inf(-1)} {
		require.Equal(t, score, a.Next(score))
	}
}
