package serve

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLs(t *testing.T) {
	for addr, url := range map[string]string{
		"127.0.0.1:6379": "redis://127.0.0.1:6379",
		"[::1]:6379":     "redis://[::1]:6379",
		"0.0.0.0:6379":   "redis://127.0.0.1:6379",
		"[::]:6379":      "redis://[::1]:6379",
		"127.0.0.1:6380": "rediss://127.0.0.1:6380",
		"/tmp/a:1":       "unix:///tmp/a:1",
	} {
		require.Equal(t, url, urlOf(addr, "6380"), addr)
	}
	require.Equal(t, 6379, portOf([]string{"/tmp/s", "[::1]:6379"}))
	require.Zero(t, portOf([]string{"/tmp/s"}))
}
