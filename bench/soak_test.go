package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestSoakRunsOnRedis writes at the limit of memory, and lets values come and go, briefly.
func TestSoakRunsOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	for _, churn := range []bool{false, true} {
		o := &soakRun{options: newOptions("soak"), length: 300 * time.Millisecond, moments: 4, maxmemory: "3mb",
			churn: churn, keys: 20_000, png: t.TempDir()}
		end, moments, err := o.soakAll([]binary{{"redis", path}})
		require.NoError(t, err)
		r := end.rows[0]
		for _, c := range enduranceColumns {
			require.NotEqual(t, "-", c.cell(r), c.heading)
		}
		for _, name := range []string{"writes_kps", "probes", "rss_peak_mb", "used_mb", "fragmentation_ratio",
			"info_ratio"} {
			require.Positive(t, r[name], name)
		}
		require.GreaterOrEqual(t, r["worst_fragmentation_ratio"], r["fragmentation_ratio"])
		require.NotEmpty(t, moments.rows)
		for _, c := range momentColumns {
			require.NotEqual(t, "-", c.cell(moments.rows[0]), c.heading)
		}
		require.NoError(t, o.draw(moments))
		picture, err := os.ReadFile(filepath.Join(o.png, "soak.png"))
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(picture, []byte("\x89PNG")))
	}
	require.Error(t, runSoak([]string{"-moments", "1"}))
}

// TestChurnTouchesAllKinds looks at what is there after a while: values of all types, some with
// deadlines.
func TestChurnTouchesAllKinds(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	add := churnOf(20_000, false).adder(1)
	for range 20_000 {
		add(s.client)
	}
	require.NoError(t, s.exchange(nil))
	for _, kind := range []string{"string", "hash", "zset", "list"} {
		found, err := s.do("SCAN", "0", "TYPE", kind, "COUNT", "100000")
		require.NoError(t, err)
		require.NotEmpty(t, found.Elems[1].Elems, kind)
	}
	info, err := s.do("INFO", "keyspace")
	require.NoError(t, err)
	require.Regexp(t, `expires=[1-9]`, info.Text)
}
