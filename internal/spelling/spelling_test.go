package spelling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"maxmemory", "maxmemory-policy", "maxclients", "port", "tls-port", "serve", "eval",
		"tls-cert-file"}
	for typed, want := range map[string]string{
		"maxmemroy": "maxmemory", "MaxMemory": "maxmemory", "maxmemorypolicy": "maxmemory-policy", "prot": "port",
		"ports": "port",
		"srve":  "serve", "maxmem": "maxmemory", "cert-file": "tls-cert-file", "evl": "eval", "x": "",
		"nothing-like-it": "", "": "",
	} {
		require.Equal(t, want, Nearest(typed, known), typed)
	}
	require.Equal(t, "; did you mean 'port'?", Hint("prot", known))
	require.Empty(t, Hint("quite-different", known))
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"ab", "ba", 1}, {"abc", "abd", 1}, {"abc", "xabc", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
