package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeter(t *testing.T) {
	const mb = 1 << 20
	require.Equal(t, "10%  100 of 1000 MB  200 MB/s", formatProgress(100*mb, 1000*mb, 500*time.Millisecond))
	(*meter)(nil).show(1, 2)
	(*meter)(nil).end()

	var reported []int64
	src := &countingReader{Reader: strings.NewReader("abcdef"), size: 6, report: func(done, total int64) { reported = append(reported, done, total) }}
	_, err := io.CopyN(io.Discard, src, 6)
	require.NoError(t, err)
	require.Equal(t, []int64{6, 6}, reported[len(reported)-2:])
}
