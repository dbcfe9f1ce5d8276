package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMeter: one line, not at once, not too often, and gone at the end.
func TestMeter(t *testing.T) {
	const mb = 1 << 20
	now := time.Unix(1000, 0)
	var out strings.Builder
	m := meterOn(&out, "loading", func() time.Time { return now })
	pass := func(d time.Duration, done int64) string {
		out.Reset()
		now = now.Add(d)
		m.show(done, 1000*mb)
		return out.String()
	}
	require.Empty(t, pass(400*time.Millisecond, 10*mb))
	m.end()
	require.Empty(t, out.String(), "what takes no time needs no line")
	require.Equal(t, "\x1b[Kloading  10%  100 of 1000 MB  200 MB/s\r", pass(100*time.Millisecond, 100*mb))
	require.Empty(t, pass(50*time.Millisecond, 110*mb))
	require.Equal(t, "\x1b[Kloading  30%  300 of 1000 MB  300 MB/s\r", pass(450*time.Millisecond, 300*mb))
	out.Reset()
	m.end()
	require.Equal(t, "\x1b[K", out.String())

	(*meter)(nil).show(1, 2)
	(*meter)(nil).end()
	var told []int64
	src := &counted{Reader: strings.NewReader("abcdef"), size: 6, tell: func(done, total int64) { told = append(told, done, total) }}
	_, err := io.CopyN(io.Discard, src, 6)
	require.NoError(t, err)
	require.Equal(t, []int64{6, 6}, told[len(told)-2:])
}
