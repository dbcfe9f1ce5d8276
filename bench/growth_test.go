package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestGrowthRunsOnRedis runs every operation at its sizes, with few requests.
func TestGrowthRunsOnRedis(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	o := &growthRun{options: newOptions("growth").withLoad(100, 1), most: 1000, clients: 10, bytes: 1000}
	require.NoError(t, o.parse([]string{"-benchmark", reference.Require(t, "redis-benchmark")}))
	due := 0
	for _, g := range o.growths() {
		due += len(g.sizes)
	}
	table := o.measure([]*server{s})
	require.Empty(t, table.notes)
	require.Len(t, table.rows, due)
	for _, r := range table.rows {
		for _, c := range growthColumns {
			require.Equal(t, c.heading == "ours/it", c.cell(r) == "-", "%s of %s", c.heading, r["name"])
		}
	}
	require.Error(t, runGrowth([]string{"-most", "1"}))
}

func TestLargeValuesAreSent(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	_, errs := workload{name: "SET", clients: 1, pipeline: 1, share: 1, args: []string{"SET", "value"}, value: 300_000}.
		run(generator{path: reference.Require(t, "redis-benchmark"), processes: 1}, 5, s)
	require.NoError(t, errs[0])
	length, err := s.do("STRLEN", "value")
	require.NoError(t, err)
	require.EqualValues(t, 300_000, length.Int)
}

func TestGrowthIsDrawnByOperationAndServer(t *testing.T) {
	point := func(name, of, server string, size int, us float64) row {
		return row{"name": name, "of": of, "server": server, "size": size, "user_us": us}
	}
	list := growthCharts(&table{rows: []row{point("GET", "keys", "a", 1000, 1), point("GET", "keys", "b", 1000, 2),
		point("GET", "keys", "a", 10000, 1.5), point("GET", "keys", "b", 10000, 2), point("GET", "keys", "c", 1000, 2),
		point("GET", "clients", "a", 1, 3), point("GET", "clients", "a", 10, 0), point("GET", "clients", "a", 100, 4),
		point("SET", "clients", "a", 1, 0)}})
	require.Len(t, list, 2)
	require.Equal(t, "growth-GET-over-keys", list[0].Name)
	require.Len(t, list[0].Lines, 2)
	require.Equal(t, []float64{1000, 10000}, list[0].Lines[0].X)
	require.Equal(t, []float64{1000, 1500}, list[0].Lines[0].Y)
	require.Equal(t, []float64{1, 100}, list[1].Lines[0].X, "what the clock does not tell is left out")
	require.NoError(t, drawAll(t.TempDir(), list...))
	require.Equal(t, []int{10, 100, 1000}, tens(10, 5000))
}
