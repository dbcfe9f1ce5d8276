package disk

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// drain records the calls of WriteBack.
type drain struct {
	memFile
	told  []string
	fails error
}

func (d *drain) WriteBack(from, n int64, wait bool) error {
	d.told = append(d.told, fmt.Sprint(from, " ", n, " ", wait))
	return d.fails
}

// TestIncrementalSync: write-back of full pages starts every 4 MB or a little later, and is waited
// for 32 MB later.
func TestIncrementalSync(t *testing.T) {
	var d drain
	s := &IncrementalSync{WriteBacker: &d}
	const mb = 1 << 20
	begun, done, size, waits := int64(0), int64(0), int64(0), 0
	for range 51 {
		d.told = nil
		n, err := s.Write(make([]byte, mb+1))
		require.NoError(t, err)
		require.Equal(t, mb+1, n)
		size += mb + 1
		var want []string
		if whole := size / 4096 * 4096; whole-begun >= 4*mb {
			want = append(want, fmt.Sprint(begun, " ", whole-begun, " false"))
			if begun = whole; begun-done > 32*mb {
				want = append(want, fmt.Sprint(done, " ", begun-32*mb-done, " true"))
				done = begun - 32*mb
				waits++
			}
		}
		require.Equal(t, want, d.told)
	}
	require.Equal(t, 51*(mb+1), d.Len())
	require.Equal(t, 4, waits)
	d.fails = syscall.EIO
	var err error
	for range 4 {
		if _, err = s.Write(make([]byte, mb)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, syscall.EIO, "the writer gets the error of the disk")
}
