package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestTailRunsOnRedis disturbs redis-server in each way, briefly.
func TestTailRunsOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	o := &tailRun{options: newOptions("tail").withServers(""), keys: 10 * paceKeys, members: 1000, share: 0.1}
	require.NoError(t, o.parse(nil))
	table, err := o.measure([]binary{{"redis", path}})
	require.NoError(t, err)
	require.Len(t, table.rows, len(o.disturbances()))
	for _, r := range table.rows {
		for _, c := range tailColumns[:4] {
			require.NotEqual(t, "-", c.cell(r), "%s of %s", c.heading, r["name"])
		}
		require.Positive(t, r["ping_ms"], r["name"])
		require.Positive(t, r["requests"], r["name"])
		require.LessOrEqual(t, r["p99_ms"], r["p999_ms"], r["name"])
	}
	require.Error(t, runTail([]string{"-keys", "1"}))
}
