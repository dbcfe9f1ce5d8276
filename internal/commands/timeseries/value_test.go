package timeseries

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendValue has texts that RedisTimeSeries 1.12 replies.
func TestAppendValue(t *testing.T) {
	for text, v := range map[string]float64{
		"34937015291116576": 34937015291116576, "1.234567890123456E16": 12345678901234560, "1E16": 1e16,
		"10000000000000002": 10000000000000002, "9.999999999999998E16": 99999999999999984, "-1E-5": -1e-5,
		"1.234567890123456E17": 123456789012345600, "9007199254740992": 1 << 53,
		"1234567890123456.5":   1234567890123456.5,
		"7.205759403792794E16": 72057594037927936, "-34937015291116576": -34937015291116576,
		"5E-1": 0.5, "12345.678": 12345.678,
	} {
		require.Equal(t, text, string(appendValue(nil, v)))
	}
}
