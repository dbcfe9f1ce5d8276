package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLine: one line, not at once, not too often, and gone at the end.
func TestLine(t *testing.T) {
	now := time.Unix(1000, 0)
	var out strings.Builder
	l := newLine(&out, true, 500*time.Millisecond, func() time.Time { return now })
	pass := func(d time.Duration) string {
		out.Reset()
		now = now.Add(d)
		l.Show(func(passed time.Duration) string { return "at " + passed.String() })
		return out.String()
	}
	require.Empty(t, pass(400*time.Millisecond))
	l.End()
	require.Empty(t, out.String(), "what takes no time needs no line")
	require.Equal(t, "\x1b[Kat 500ms\r", pass(100*time.Millisecond))
	require.Empty(t, pass(50*time.Millisecond))
	require.Equal(t, "\x1b[Kat 1s\r", pass(450*time.Millisecond))
	out.Reset()
	l.End()
	require.Equal(t, "\x1b[K", out.String())

	l = newLine(&out, false, 0, func() time.Time { return now })
	require.Empty(t, pass(9*time.Second), "a log needs few lines")
	require.Equal(t, "at 10s\n", pass(time.Second))
	l.End()
	require.Equal(t, "at 10s\n", out.String())
}
