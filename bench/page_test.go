package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageShowsWhatIsKept: docs/benchmarks.md has the figures of the files beside it; "go run
// ./bench page" writes them.
func TestPageShowsWhatIsKept(t *testing.T) {
	page, err := os.ReadFile("../docs/benchmarks.md")
	require.NoError(t, err)
	require.Regexp(t, figuresMark, string(page))
	written, err := writePage(page, "../docs")
	require.NoError(t, err)
	require.Equal(t, string(written), string(page))
}

func TestFiguresInWhichWeLoseComeFirst(t *testing.T) {
	rows := []row{
		{"name": "a", "server": "redis-8.0", "kps": 100.0}, {"name": "a", "server": "valkey", "kps": 50.0},
		{"name": "a", "server": "ours", "kps": 150.0},
		{"name": "b", "server": "redis-8.0", "kps": 8.0}, {"name": "b", "server": "ours", "kps": 4.0},
		{"name": "only theirs", "server": "redis-8.0", "kps": 8.0},
		{"name": "another figure", "server": "ours", "cpu": 8.0},
	}
	table, err := figure{name: "kps", heading: "k/s", more: true}.table(rows)
	require.NoError(t, err)
	require.Equal(t, "| k/s | here | Redis 8.0 | Valkey | |\n|---|---|---|---|---|\n"+
		"| b | 4.00 | 8.00 | - | 0.50 |\n| a | 150 | 100 | 50.0 | 1.50 |\n", table)
	rows[0]["kps_ratio"] = 4.0 // of the rounds
	table, err = figure{name: "kps", heading: "k/s"}.table(rows)
	require.NoError(t, err)
	require.Regexp(t, `(?s)\| a \| 150 .* 4\.00 \|\n\| b `, table)
	_, err = figure{name: "rss"}.table(rows)
	require.Error(t, err)
}
