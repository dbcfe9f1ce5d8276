package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/persistence/disk"
)

// With a delay of ten seconds for each key a save in the background, and loading, last until the
// delay is taken away.
func TestDelays(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	b.do("MSET a 1 b 2 c 3")
	require.Equal(t, "OK", b.do("CONFIG SET rdb-key-save-delay 10000000"))
	require.Equal(t, "Background saving started", b.do("BGSAVE"))
	require.Contains(t, b.do("INFO persistence"), "rdb_bgsave_in_progress:1\r\n")
	require.Equal(t, "ERR Background save already in progress", b.do("BGSAVE"))
	require.Equal(t, "OK", b.do("CONFIG SET rdb-key-save-delay -1000"))
	b.wait()
	require.Contains(t, b.do("INFO persistence"), "rdb_bgsave_in_progress:0\r\n")

	loading := newBench(t, disk)
	require.Equal(t, "OK", loading.do("CONFIG SET key-load-delay 10000000"))
	heard := ""
	loading.opts.Progress = func(int64, int64) {
		go func() { // Load waits meanwhile
			heard = loading.do("GET a")
			loading.do("CONFIG SET key-load-delay 0")
		}()
	}
	require.NoError(t, loading.Load(false))
	require.Equal(t, "LOADING Redis is loading the dataset in memory", heard)
	require.Equal(t, "1", loading.do("GET a"))
}
