package timeseries

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

// TestPlain: a series that is built of its rows is saved as the one that they are of.
func TestPlain(t *testing.T) {
	labels := []timeseries.Label{{Name: "a b", Value: "c"}, {Name: "b", Value: "d"}}
	s := timeseries.New(timeseries.Options{Retention: 5000, ChunkBytes: 128, Plain: true, Policy: timeseries.KeepMin,
		IgnoreTime: 3, IgnoreValue: 0.5, Labels: labels})
	for i, v := range []float64{1, -0.25, math.Copysign(0, -1), 1e300, 5e-324, math.NaN(), math.Inf(1), 1 << 60} {
		s.Add(timeseries.Sample{Time: uint64(i) * 7, Value: v})
	}
	s.SetName("key")
	s.SetSource("from here")
	rule := timeseries.NewRule("to there", timeseries.StdP, 20, 5)
	rule.Reopen(s)
	s.SetRules([]*timeseries.Rule{rule})

	var rows [][]string
	plain.Rows(s, func(row ...string) { rows = append(rows, row) })
	require.Equal(t, []string{"rule to there", "std.p 20 5"}, rows[9])
	again, err := built(rows)
	require.NoError(t, err)
	require.NoError(t, again.Check())
	require.Equal(t, text(t, s), text(t, again))
}

// text returns the parts that a series is saved as, NaN or not.
func text(t *testing.T, s *timeseries.Series) string {
	parts := valuetest.Save(s)
	require.NotEmpty(t, parts)
	return fmt.Sprint(parts)
}

// TestRowsThatAreNone: each is refused.
func TestRowsThatAreNone(t *testing.T) {
	for _, row := range [][]string{{"retention", "-1"}, {"retention", "x"}, {"chunk", "47"}, {"chunk", "12"},
		{"encoding", "compressed"}, {"policy", "most"}, {"ignore", "5"}, {"ignore", "5 -1"}, {"label ", "x"},
		{"label a", ""}, {"rule k", "sum 10"}, {"rule k", "sum 0 0"}, {"rule k", "mean 10 0"}, {"rule k", "sum 10 x"},
		{"-1", "5"}, {"9223372036854775808", "5"}, {"x", "5"}, {"5", "x"}, {"", ""}} {
		_, err := built([][]string{{"5", "5"}, row})
		require.Error(t, err, row)
	}
}
