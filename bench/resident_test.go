package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestResidentsAreFilled fills each row into redis-server, and looks at what is there.
func TestResidentsAreFilled(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	ask := func(args ...string) int64 {
		v, err := s.do(args...)
		require.NoError(t, err)
		return v.Int
	}
	sizes := map[string]string{"zset": "ZCARD", "hash": "HLEN", "set": "SCARD", "list": "LLEN", "stream": "XLEN",
		"string": "STRLEN"}
	due := []int64{16, 16, 1, 2, 2, 10, 300, 300, 300, 300, 300}
	for i, x := range residents(300, 300) {
		ask("FLUSHALL")
		require.NoError(t, x.fill(s), x.name)
		key := residentKey(299)
		if ask("EXISTS", key) == 0 {
			key = "large"
		}
		kind, err := s.do("TYPE", key)
		require.NoError(t, err)
		require.Equal(t, due[i], ask(sizes[kind.Text], key), x.name)
		require.Equal(t, 0 < i && i < 5, ask("TTL", key) > 0, x.name)
		if key != "large" {
			require.EqualValues(t, 300, ask("DBSIZE"), x.name)
		}
	}
}

func TestResidentsAreWeighed(t *testing.T) {
	path := reference.Require(t, "redis-server")
	o := &options{rounds: 2, filter: regexp.MustCompile("^string of 16 B$")}
	table, err := o.weighResidents(residents(20_000, 20_000), []binary{{"redis", path}, {"ours", path}})
	require.NoError(t, err)
	require.Len(t, table.rows, 2)
	r := table.rows[0]
	require.Greater(t, r["rss_bytes"], 32.0, "less than the texts")
	require.LessOrEqual(t, r["min_rss_bytes"], r["rss_bytes"])
	require.LessOrEqual(t, r["rss_bytes"], r["peak_bytes"])
	require.Contains(t, r, "rss_ratio")
	require.NotContains(t, table.rows[1], "rss_ratio")
	require.Error(t, runResident([]string{"-keys", "0"}))
}
