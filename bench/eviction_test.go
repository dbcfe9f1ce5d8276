package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

func TestZipf(t *testing.T) {
	z := newZipf(100, 1)
	require.InDelta(t, 1, z.top(100), 1e-9)
	require.InDelta(t, 2, z.top(1)/(z.top(2)-z.top(1)), 1e-9, "the first is asked for twice as often as the second")
	rng, drawn := rand.New(rand.NewPCG(1, 1)), make([]int, 100)
	for range 100_000 {
		drawn[z.draw(rng)]++
	}
	require.InDelta(t, 100_000*z.top(1), drawn[0], 1000)
	require.Positive(t, drawn[99])
	require.Less(t, z.strict(10, 50_000), z.top(10), "nothing is better than to know what is asked for")
	require.InDelta(t, 1, z.strict(100, 50_000), 1e-9)
}

func TestTailOf(t *testing.T) {
	n, _, _ := tailOf(nil)
	require.Zero(t, n)
	var latencies []time.Duration
	for i := range 200 {
		latencies = append(latencies, time.Duration(200-i)*time.Millisecond)
	}
	n, p99, longest := tailOf(latencies)
	require.EqualValues(t, 200, n)
	require.Equal(t, 199.0, p99)
	require.Equal(t, 200.0, longest)
}

// TestEvictionRunsOnRedis runs a policy briefly.
func TestEvictionRunsOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	o := &options{}
	u := &cacheUser{zipf: newZipf(1000, 1), rng: rand.New(rand.NewPCG(1, 1)), rate: 100_000, volatile: true}
	require.NoError(t, o.cache(u, "volatile-lru", "redis", path, 100*time.Millisecond))
	require.Positive(t, u.asked)
	require.Positive(t, u.keys)
}
