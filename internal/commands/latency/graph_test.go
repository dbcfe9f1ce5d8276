package latency

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGraph compares a graph with that of redis-server for the same samples.
func TestGraph(t *testing.T) {
	s := series{samples: []sample{{366, 10}, {367, 10}, {892, 10}, {893, 30}, {894, 2}, {896, 58},
		{897, 20}, {898, 41}}}
	low, high := s.bounds()
	var b bytes.Buffer
	drawSamples(&b, s.samples, low, high, 900)
	require.Equal(t, strings.Join([]string{
		"     #  ",
		"   _ | #",
		"   | |_|",
		"ooo|_|||",
		"        ",
		"88876432",
		"mmssssss", ""}, "\n"), b.String())
}

func TestGraphLabels(t *testing.T) {
	var b bytes.Buffer
	drawSamples(&b, []sample{{0, 7}, {999_940, 7}, {1_000_000, 7}}, 7, 7, 1_000_000)
	require.Equal(t, "   \n   \n   \n___\n   \n110\n1ms\nd  \n", b.String())
	require.Equal(t, []string{"59s", "1m", "1h", "23h", "1d"},
		[]string{age(59), age(60), age(3600), age(86399), age(86400)})
}
