package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// drain notes what it is told to write back.
type drain struct {
	shelved
	told  []string
	fails error
}

func (d *drain) WriteBack(from, n int64, wait bool) error {
	d.told = append(d.told, fmt.Sprint(from, " ", n, " ", wait))
	return d.fails
}

// TestSteady: of 4 MB or a little more each, the writing is begun, and the one before waited for.
func TestSteady(t *testing.T) {
	var d drain
	s := &Steady{Drain: &d}
	const mb = 1 << 20
	for range 13 {
		n, err := s.Write(make([]byte, mb+1))
		require.NoError(t, err)
		require.Equal(t, mb+1, n)
	}
	require.Equal(t, 13*(mb+1), d.Len())
	piece := int64(4 * (mb + 1))
	require.Equal(t, []string{
		fmt.Sprint(0, " ", piece, " false"),
		fmt.Sprint(piece, " ", piece, " false"), fmt.Sprint(0, " ", piece, " true"),
		fmt.Sprint(2*piece, " ", piece, " false"), fmt.Sprint(piece, " ", piece, " true"),
	}, d.told)
	d.fails = syscall.EIO
	var err error
	for range 3 {
		_, err = s.Write(make([]byte, mb))
	}
	require.ErrorIs(t, err, syscall.EIO, "who writes hears that the disk fails")
}

// TestSteadyFile: the operating system is asked, and the file is what was written. A setting says whether.
func TestSteadyFile(t *testing.T) {
	for _, setting := range []string{"yes", "no"} {
		b := newBench(t, nil)
		require.Empty(t, b.Engine.Param("dir").Set(t.TempDir()))
		require.Equal(t, "yes", b.Engine.Param("rdb-save-incremental-fsync").Get())
		require.Empty(t, b.Engine.Param("rdb-save-incremental-fsync").Set(setting))
		require.Empty(t, b.Engine.Param("rdbcompression").Set("no"))
		b.do("SET large " + strings.Repeat("x", 10<<20))
		require.Equal(t, "OK", b.do("SAVE"))
		b.wait()
		f, err := os.Open(filepath.Join(b.dir, "dump.rdb"))
		require.NoError(t, err)
		require.NoError(t, WriteBack(f, 0, 4<<20, false))
		require.NoError(t, WriteBack(f, 0, 4<<20, true))
		require.NoError(t, f.Close())
		digest := b.Engine.Keyspace.Digest()
		b.do("DEL large")
		require.NoError(t, b.Load(false))
		require.Equal(t, digest, b.Engine.Keyspace.Digest())
	}
}
