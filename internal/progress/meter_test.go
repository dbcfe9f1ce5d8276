package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeter(t *testing.T) {
	const mb = 1 << 20
	require.Equal(t, "10%  100 of 1000 MB  200 MB/s", formatProgress(100*mb, 1000*mb, 500*time.Millisecond))
	(*Meter)(nil).Show(1, 2)
	(*Meter)(nil).End()
}
