package goruntime

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemoryLimit: the runtime's limit is near maxmemory, but never so near to what lives that it
// would collect all the time.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	const mb = 1 << 20
	var l memoryLimit
	l.follow(1000 * mb)
	require.EqualValues(t, before, debug.SetMemoryLimit(-1), "only the server of a process sets it")
	l.begin()
	require.EqualValues(t, 1000*mb/100*120+limitLeast, debug.SetMemoryLimit(-1))
	fit := func(maxmemory, live int64) int64 {
		l.maxmemory = maxmemory
		l.fit(live)
		return debug.SetMemoryLimit(-1)
	}
	require.EqualValues(t, before, fit(0, 50*mb), "no maxmemory, no limit")
	usual := fit(100*mb, 50*mb)
	require.Greater(t, usual, int64(125*mb))
	require.Less(t, usual, int64(145*mb))
	require.Equal(t, usual, fit(100*mb, 105*mb), "a little more than maxmemory lives when it is reached")
	require.Greater(t, fit(100*mb, 400*mb), int64(450*mb), "what may not be evicted is not fought")
	require.Greater(t, fit(1, 5*mb), int64(14*mb))
	require.EqualValues(t, math.MaxInt64, fit(0, 50*mb))
}

// TestPaceWhileLoading: collections are rare only while data are loaded and their allocations stay.
func TestPaceWhileLoading(t *testing.T) {
	before := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(before)
	const mb = 1 << 20
	p := pacer{percent: garbageShare, live: 100 * mb, held: func() int64 { return 0 }}
	follow := func(live int64) int64 {
		p.follow(live)
		return p.percent
	}
	require.NoError(t, p.load(func() error {
		require.EqualValues(t, loadingShare, follow(120*mb), "of 25 MB that were allocated 20 stayed")
		require.EqualValues(t, loadingShare, follow(300*mb))
		require.EqualValues(t, garbageShare, follow(310*mb), "of 600 MB 10 stayed")
		require.EqualValues(t, loadingShare, follow(380*mb))
		return nil
	}))
	p.live = 100 * mb
	require.EqualValues(t, garbageShare, follow(400*mb), "nothing is loaded")
	p = pacer{}
	require.NoError(t, p.load(func() error { return nil }))
	require.Zero(t, p.percent, "the environment says it")
}

// TestPaceWhileClientsHoldMuch: the rest of a large command may follow before the next collection.
func TestPaceWhileClientsHoldMuch(t *testing.T) {
	const mb = 1 << 20
	held := int64(0)
	p := pacer{held: func() int64 { return held }}
	require.EqualValues(t, garbageShare, p.share(100*mb))
	held = 10 * mb
	require.EqualValues(t, garbageShare+40, p.share(100*mb))
	held = 1000 * mb
	require.EqualValues(t, garbageShare+64, p.share(200*mb), "within bounds")
}
