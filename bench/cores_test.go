package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestCoresRunOnRedis runs every workload with one and two threads, with few requests.
func TestCoresRunOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	o := &coresRun{options: newOptions("cores").withServers("").withLoad(100, 1), loops: []int{1, 2}}
	require.NoError(t, o.parse([]string{"-benchmark", reference.Require(t, "redis-benchmark"), "-ours", path}))
	crews, stop, err := o.startCrews()
	require.NoError(t, err)
	defer stop()
	for i, c := range crews {
		v, err := c.do("CONFIG", "GET", "io-threads")
		require.NoError(t, err)
		require.Equal(t, []string{"1", "2"}[i], v.Elems[1].Text)
	}
	table := o.measure(crews)
	require.Empty(t, table.notes)
	require.Len(t, table.rows, 2*len(coresWorkloads()))
	for i, r := range table.rows {
		require.Equal(t, 1+i%2, r["loops"])
		require.Equal(t, "ours", r["server"])
		require.Positive(t, r["gain"])
		for _, c := range coresColumns {
			require.NotEqual(t, "-", c.cell(r), c.heading)
		}
	}
}

func TestGainIsOverOneLoop(t *testing.T) {
	crews := []crew{{&server{client: &client{name: "a 1"}}, "a", 1}, {&server{client: &client{name: "a 2"}}, "a", 2},
		{&server{client: &client{name: "b 2"}}, "b", 2}}
	rows := coresRows("GET", map[string]row{"a 1": {"kps": 2.0}, "a 2": {"kps": 3.0}, "b 2": {"kps": 1.0}}, crews)
	require.Equal(t, []row{{"name": "GET", "server": "a", "loops": 1, "kps": 2.0, "gain": 1.0},
		{"name": "GET", "server": "a", "loops": 2, "kps": 3.0, "gain": 1.5},
		{"name": "GET", "server": "b", "loops": 2, "kps": 1.0}}, rows)
}

func TestLoopsAreNumbers(t *testing.T) {
	list, err := parseNumbers("-loops", "1,4,2,4", 1, 128)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 4}, list)
	for _, bad := range []string{"", "0", "129", "1,x"} {
		require.Error(t, runCores([]string{"-loops", bad}), bad)
	}
}

func TestModelOfLoops(t *testing.T) {
	m := newModel("GET", 20, 100, 10)
	require.InDelta(t, 100, m.amdahl(1), 1e-9)
	require.InDelta(t, 100, m.ceiling(1), 1e-9)
	require.InDelta(t, 250, m.amdahl(4), 1e-9)
	require.InDelta(t, 400, m.ceiling(4), 1e-9)
	require.InDelta(t, 500, m.ceiling(8), 1e-9, "the lock is always taken")
	o := &coresRun{most: 16}
	table := o.expected([]model{m})
	require.Len(t, table.rows, 5)
	require.Equal(t, 16, table.rows[4]["loops"])
	require.Equal(t, "2.00 of 10.00 (20% ± 4)", expectedColumns[2].cell(table.rows[4]))

	charts := o.charts([]row{{"name": "GET", "server": "ours", "loops": 1, "kps": 90.0},
		{"name": "GET", "server": "ours", "loops": 2, "kps": 95.0},
		{"name": "SET", "server": "ours", "loops": 1, "kps": 1.0}}, []model{m})
	require.Len(t, charts, 1)
	require.Equal(t, []float64{90_000, 95_000}, charts[0].Lines[0].Y)
	require.Len(t, charts[0].Lines[1].X, 16)
	require.NoError(t, drawAll(t.TempDir(), charts...))
}

func TestTimeUnderTheLock(t *testing.T) {
	locked, all := underLock(`File: bench
Duration: 1.20s, Total samples = 60ms (99.16%)
-----------+-------------------------------------------------------
      10ms   strings.Index (inline)
             github.com/miniserver-go/miniserver/internal/engine.(*Engine).Do
             github.com/miniserver-go/miniserver/server.(*conn).execute
-----------+-------------------------------------------------------
      30ms   syscall.Syscall
             github.com/miniserver-go/miniserver/server.(*conn).send
-----------+-------------------------------------------------------
      20ms   runtime.nanotime1
-----------+-------------------------------------------------------
`)
	require.Equal(t, []int{1, 6}, []int{locked, all})
}

// TestScriptsAreUnderTheLock profiles scripts, which are nearly all of a request.
func TestScriptsAreUnderTheLock(t *testing.T) {
	quick.Skip(t, "loads a server")
	o := &coresRun{options: newOptions("cores").withLoad(200_000, 1)}
	require.NoError(t, o.parse([]string{"-benchmark", reference.Require(t, "redis-benchmark")}))
	s, stop, err := startHere("io-threads 1")
	require.NoError(t, err)
	defer stop()
	list := coresWorkloads()
	locked, all, err := o.sample(s, list[len(list)-1])
	require.NoError(t, err)
	require.Greater(t, locked, all/4)
	require.LessOrEqual(t, locked, all)
}
