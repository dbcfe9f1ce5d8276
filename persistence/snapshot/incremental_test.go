package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/persistence/disk"
)

// TestIncrementalSyncOfFile: files of the operating system are written back, unless a parameter
// turns that off.
func TestIncrementalSyncOfFile(t *testing.T) {
	for _, setting := range []string{"yes", "no"} {
		b := newBench(t, nil)
		require.NoError(t, b.Engine.Params.Named("dir").Set(t.TempDir()))
		require.Equal(t, "yes", b.Engine.Params.Named("rdb-save-incremental-fsync").Get())
		require.NoError(t, b.Engine.Params.Named("rdb-save-incremental-fsync").Set(setting))
		require.NoError(t, b.Engine.Params.Named("rdbcompression").Set("no"))
		b.do("SET large " + strings.Repeat("x", 10<<20))
		require.Equal(t, "OK", b.do("SAVE"))
		b.wait()
		f, err := os.Open(filepath.Join(b.dir, "dump.rdb"))
		require.NoError(t, err)
		require.NoError(t, disk.WriteBack(f, 0, 4<<20, false))
		require.NoError(t, disk.WriteBack(f, 0, 4<<20, true))
		require.NoError(t, f.Close())
		digest := b.Engine.Home().Keyspace.Digest()
		b.do("DEL large")
		require.NoError(t, b.Load(false))
		require.Equal(t, digest, b.Engine.Home().Keyspace.Digest())
	}
}
