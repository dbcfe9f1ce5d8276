package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmbeddedPage: docs/start/go.md says how many modules a test gets, and how large it is. What
// takes time is measured by "go run ./bench embedded" only.
func TestEmbeddedPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "start", "go.md"))
	require.NoError(t, err)
	o := &embeddedRun{options: newOptions("embedded"), starts: 5}
	measured, err := o.measure()
	require.NoError(t, err)
	for _, r := range measured.rows {
		require.Positive(t, r["listening_ms"])
	}
	theirs := measured.rows[2]
	for _, ours := range measured.rows[:2] {
		require.LessOrEqual(t, ours.number("modules"), 27.0)
		require.Less(t, ours.number("binary_mb"), 1.8*theirs.number("binary_mb"))
	}
	stays := func(page []byte) (lines []string) { // what is the same on all machines
		_, table, _ := strings.Cut(string(page), embeddedMark)
		for line := range strings.Lines(table) {
			if strings.HasPrefix(line, "| modules") || strings.HasPrefix(line, "| lines of go.sum") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	require.Len(t, stays(page), 2)
	require.Equal(t, stays(writeEmbedded(page, measured)), stays(page),
		"go run ./bench embedded -page docs/start/go.md")
}
