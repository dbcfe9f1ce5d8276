package scripting_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoadingTakesNoCopyOfTheLibraries compares the bytes that FUNCTION LOAD allocates beside few
// and many libraries.
func TestLoadingTakesNoCopyOfTheLibraries(t *testing.T) {
	e := newEngine()
	s := e.NewSession(nil)
	loaded := 0
	load := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			loaded++
			source := fmt.Sprintf("#!lua name=l%d\nredis.register_function('f%d', function() return 1 end)",
				loaded, loaded)
			out := e.Do(s, [][][]byte{{[]byte("FUNCTION"), []byte("LOAD"), []byte(source)}}).Out
			require.Equal(t, byte('$'), out[0], "%s", out)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	load(20)
	few := load(100)
	load(2000)
	require.Less(t, load(100), 3*few)
}
