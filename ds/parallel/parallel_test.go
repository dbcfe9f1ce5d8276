package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachCoversAllNumbersOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, n := range []int{0, 1, 7, 8, 9, 1000} {
		for _, grain := range []int{1, 8, 2000} {
			calls := make([]atomic.Int32, n)
			Each(n, grain, func(from, to int) {
				require.LessOrEqual(t, to-from, grain)
				for i := from; i < to; i++ {
					calls[i].Add(1)
				}
			})
			for i := range calls {
				require.EqualValues(t, 1, calls[i].Load(), "%d of %d by %d", i, n, grain)
			}
		}
	}
}

func TestEachWaitsForAll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for range 100 {
		var ended atomic.Int32
		Each(4, 1, func(int, int) {
			runtime.Gosched()
			ended.Add(1)
		})
		require.EqualValues(t, 4, ended.Load())
	}
}

func TestEachOfOneRunStaysOnTheCallersGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	Each(3, 8, func(int, int) { require.Equal(t, before, runtime.NumGoroutine()) })
}
