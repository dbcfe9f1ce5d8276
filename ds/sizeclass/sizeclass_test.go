package sizeclass

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundIsWhatTheRuntimeHandsOut(t *testing.T) {
	for n := 9; n <= 40000; n++ {
		require.Equal(t, cap(append([]byte(nil), make([]byte, n)...)), Round(n), "%d bytes", n)
	}
	require.Equal(t, 8, Round(1))
}

// TestRoundScannedIsWhatTheHeapGrows measures a thousand blocks of pointers.
func TestRoundScannedIsWhatTheHeapGrows(t *testing.T) {
	for _, words := range []int{64, 65, 128, 500, 1024, 2048, 4095} {
		const blocks = 1000
		kept := make([][]*int, blocks)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range kept {
			kept[i] = make([]*int, words)
		}
		runtime.ReadMemStats(&after)
		got := float64(after.TotalAlloc-before.TotalAlloc) / blocks
		require.InDelta(t, RoundScanned(words*8), got, 32, "%d words", words)
		runtime.KeepAlive(kept)
	}
}
