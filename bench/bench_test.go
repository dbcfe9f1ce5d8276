package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

func TestParseStatSkipsTheName(t *testing.T) {
	got, err := parseStat("12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 31 0 0 20 0 1\n")
	require.NoError(t, err)
	require.Equal(t, cpu{2500 * time.Millisecond, 310 * time.Millisecond}, got)
	_, err = parseStat("12 (a) S 1")
	require.Error(t, err)
}

func TestParseStatus(t *testing.T) {
	got, err := parseStatus("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t   1024 kB\nThreads:\t1\n")
	require.NoError(t, err)
	require.Equal(t, memory{1 << 20, 2 << 20}, got)
	_, err = parseStatus("Name:\tx\n")
	require.Error(t, err)
}

func TestParseCSVCountsFromTheEnd(t *testing.T) {
	const head = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"` + "\n"
	for _, name := range []string{"GET", "eval return 'a'\n 0", `eval return "a", 1,"b" 0`} {
		got, err := parseCSV(head + `"` + name + `","52631.58","0.509","0.104","0.263","1.479","4.591","4.623"` + "\n")
		require.NoError(t, err)
		require.Equal(t, sample{rps: 52631.58, p50: 0.263, p95: 1.479, p99: 4.591}, got)
	}
	_, err := parseCSV("could not connect")
	require.Error(t, err)
}

func TestSummarize(t *testing.T) {
	require.Nil(t, summarize(nil))
	f := summarize([]sample{
		{requests: 100, rps: 10, p50: 1, spent: cpu{user: time.Millisecond}, asking: 4 * time.Millisecond, rss: 5},
		{requests: 100, rps: 30, p50: 2, spent: cpu{user: time.Millisecond, sys: 2 * time.Millisecond}, rss: 4},
		{requests: 200, rps: 20, p50: 9},
	})
	require.Equal(t,
		row{"kps": 0.02, "min_kps": 0.01, "max_kps": 0.03, "cpu_us": 10.0, "min_cpu_us": 0.0, "max_cpu_us": 30.0,
			"user_us": 10.0, "min_user_us": 0.0, "max_user_us": 10.0, "sys_us": 0.0, "p50_ms": 2.0, "p95_ms": 0.0,
			"p99_ms": 0.0, "min_p99_ms": 0.0, "max_p99_ms": 0.0, "rss_mb": 5e-6, "server_cores": 1e-4,
			"client_cores": 0.0}, f)
}

func TestGeneratorsShareAWorkload(t *testing.T) {
	for _, n := range []int{50, 7, 1} {
		sum := 0
		for i := range 3 {
			part := portion(n, i, 3)
			require.InDelta(t, float64(n)/3, part, 1)
			sum += part
		}
		require.Equal(t, n, sum)
	}
	got := together([]sample{{requests: 100, rps: 50, p50: 1, p99: 9, asking: time.Second},
		{requests: 100, rps: 25, p50: 2, p99: 3, asking: time.Second}})
	require.Equal(t, sample{requests: 200, rps: 50, p50: 2, p99: 9, asking: 2 * time.Second}, got,
		"it took the second four seconds")
}

func TestTwoGeneratorsSendAllRequests(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	w := workload{name: "INCR", clients: 3, pipeline: 1, share: 1, args: []string{"INCR", "n"}}
	got, errs := w.run(generator{path: reference.Require(t, "redis-benchmark"), processes: 2}, 1001, s)
	require.NoError(t, errs[0])
	require.Equal(t, 1001, got[0].requests)
	require.Positive(t, got[0].asking)
	n, err := s.do("GET", "n")
	require.NoError(t, err)
	require.Equal(t, "1002", n.Text, "one of them tried the command")
}

func TestLosingRowsComeFirst(t *testing.T) {
	named := func(name, server string, ratio float64) row {
		if ratio == 0 {
			return row{"name": name, "server": server}
		}
		return row{"name": name, "server": server, "kps_ratio": ratio}
	}
	rows := []row{named("alone", "ours", 0), named("wins", "a", 1.2), named("wins", "ours", 0),
		named("loses", "a", 1.3), named("loses", "b", 0.8), named("loses", "ours", 0)}
	losingFirst(rows, "kps_ratio", true)
	var order []string
	for _, r := range rows {
		order = append(order, r["name"].(string)+" "+r["server"].(string))
	}
	require.Equal(t, []string{"loses a", "loses b", "loses ours", "wins a", "wins ours", "alone ours"}, order)
}

func TestRivalsHaveNames(t *testing.T) {
	o := newOptions("compare").withServers("redis-server")
	require.NoError(t, o.parse([]string{"-rival", "a=/x/redis-server", "-rival", "b=/y=z", "-rival", "/z/valkey-server",
		"-ours", "/o"}))
	list, clean, err := o.binaries()
	require.NoError(t, err)
	clean()
	require.Equal(t, []binary{{"a", "/x/redis-server"}, {"b", "/y=z"}, {"valkey-server-", "/z/valkey-server"},
		{"ours", "/o"}}, list)
	for _, bad := range []string{"", "=x", "ours=x", "a=", "a=/another"} {
		require.Error(t, o.rivals.Set(bad), bad)
	}

	o = newOptions("compare").withServers("redis-server")
	require.NoError(t, o.parse([]string{"-rival", "a=x", "-redis", "/r", "-ours", "/o"}))
	list, _, err = o.binaries()
	require.NoError(t, err)
	require.Equal(t, []binary{{"redis", "/r"}, {"a", "x"}, {"ours", "/o"}}, list)
}

func TestEachServerIsEverywhereAsOften(t *testing.T) {
	for n := 1; n <= 5; n++ {
		list, places, follows := make([]int, n), map[[2]int]int{}, map[[2]int]int{}
		for i := range list {
			list[i] = i
		}
		for round := range 2 * n {
			order := turn(list, round)
			for place, s := range order {
				places[[2]int{s, place}]++
				if place > 0 {
					follows[[2]int{order[place-1], s}]++
				}
			}
		}
		for at, times := range places {
			require.Equal(t, 2, times, "server %d in place %d", at[0], at[1])
		}
		for pair, times := range follows {
			require.Equal(t, times, follows[[2]int{pair[1], pair[0]}], "%v", pair)
		}
	}
}

func TestRatiosAreThoseOfTheRounds(t *testing.T) {
	run := func(rps float64, user, sys time.Duration) sample {
		return sample{requests: 1, rps: rps, spent: cpu{user * time.Microsecond, sys * time.Microsecond}}
	}
	// The machine is at half its speed in the second round, and at a quarter in the third.
	ours := []sample{run(9000, 2, 0), run(6000, 1, 7), run(2500, 9, 7)}
	theirs := []sample{run(8000, 4, 0), run(4000, 0, 8), run(2000, 9, 23), run(9000, 9, 9)}
	require.Equal(t, row{"kps_ratio": 1.25, "min_kps_ratio": 1.125, "max_kps_ratio": 1.5,
		"cpu_ratio": 0.5, "min_cpu_ratio": 0.5, "max_cpu_ratio": 1.0,
		"user_ratio": 0.75, "min_user_ratio": 0.5, "max_user_ratio": 1.0}, ratios(ours, theirs))
	require.Empty(t, ratios(nil, theirs))

	figures := compareSamples(map[string][]sample{"ours": ours, "redis": theirs})
	require.Equal(t, 1.25, figures["redis"]["kps_ratio"])
	require.Equal(t, 6.0, figures["redis"]["kps"], "the median of four")
	require.Equal(t, 6.0, figures["ours"]["kps"])
	require.NotContains(t, figures["ours"], "kps_ratio")
}

func TestMachineIsDescribed(t *testing.T) {
	path := reference.Require(t, "redis-server")
	m := describe([]binary{{"redis", path}, {"ours", "/no/such"}})
	require.Positive(t, m.Cores)
	require.Positive(t, m.MemoryMB)
	require.NotEmpty(t, m.Kernel)
	require.NotEmpty(t, m.Go)
	require.NotEmpty(t, m.Servers["redis"])
	require.Contains(t, m.Servers, "ours")
	_, err := time.Parse(time.RFC3339, m.Date)
	require.NoError(t, err)
}

func TestTableWhereOneServerRefused(t *testing.T) {
	both := row{"name": "both", "server": "redis", "kps": 1.0, "min_kps": 0.5, "max_kps": 1.5}.ratio("kps_ratio",
		"min_kps", "kps")
	one := row{"name": "one", "server": "redis"}.ratio("kps_ratio", "min_kps", "kps").ratio("other", "kps", "none")
	all := table{columns: workloadColumns, rows: []row{both, one}, notes: []string{"one was not run on ours: ERR no"},
		machine: &machine{CPU: "Z80"}}
	var out bytes.Buffer
	require.NoError(t, all.print(&out, false))
	require.Regexp(t, `both +redis +1.0 \(0.5\.\.1.5\) +0.50`, out.String())
	require.Regexp(t, `one +redis( +-){9}\n`, out.String())
	require.Contains(t, out.String(), "one was not run on ours: ERR no")
	out.Reset()
	require.NoError(t, all.print(&out, true))
	var read struct {
		Title   string
		Machine machine
		Rows    []row
		Notes   []string
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.Equal(t, "workload", read.Title)
	require.Equal(t, "Z80", read.Machine.CPU)
	require.Equal(t, all.rows, read.Rows)
	require.Equal(t, all.notes, read.Notes)
}

func TestMediansOfRows(t *testing.T) {
	rows := []row{{"a_s": 3.0, "b_ms": 1.0}, {"a_s": 1.0, "b_ms": 1.0}, {"a_s": 2.0, "b_ms": 7.0}}
	require.Equal(t, row{"a_s": 2.0, "b_ms": 1.0}, medians(rows))
}

func TestDocumentsHaveTheirSizeAndAreJSON(t *testing.T) {
	for _, size := range []int{1 << 10, 100 << 10} {
		text := document(size)
		require.True(t, json.Valid(text))
		require.InDelta(t, size, len(text), 200)
	}
}

// TestWorkloadsOfModulesRunOnRedisStack tries what the workloads of modules need, their commands,
// and what the rows of memory add.
func TestWorkloadsOfModulesRunOnRedisStack(t *testing.T) {
	s, err := startServer("redis", reference.RedisStack74.Path(t), "")
	require.NoError(t, err)
	defer s.stop()
	for _, w := range slices.Concat(jsonWorkloads(), moduleWorkloads()) {
		require.NoError(t, w.prepare(s), w.name)
	}
	for _, x := range slices.Concat(documents(1000), moduleResidents(20)) {
		_, err := s.do("FLUSHALL")
		require.NoError(t, err)
		require.NoError(t, x.fill(s), x.name)
	}
}

// TestWorkloadsRunOnRedis runs every workload briefly, which tries its setup and its script.
func TestWorkloadsRunOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	benchmark := reference.Require(t, "redis-benchmark")
	s, err := startServer("redis", path, "")
	require.NoError(t, err)
	defer s.stop()
	for _, w := range slices.Concat(plainWorkloads(), dataWorkloads(), luaWorkloads()) {
		got, errs := w.run(generator{path: benchmark, processes: 1}, 100, s)
		require.NoError(t, errs[0], w.name)
		require.Equal(t, w.requestCount(100), got[0].requests)
		require.Positive(t, got[0].rps, w.name)
	}
	for _, c := range collections() {
		weight, err := s.weigh(c)
		require.NoError(t, err, c.name)
		require.Positive(t, weight, c.name)
	}
	f, err := s.footprint()
	require.NoError(t, err)
	require.Positive(t, f["used_mb"])
}

func TestLongRequestsRunOnRedis(t *testing.T) {
	s, err := startServer("redis", reference.Require(t, "redis-server"), "")
	require.NoError(t, err)
	defer s.stop()
	pop := one([]string{"BLPOP", "list", "0"})
	for _, l := range []longCommand{
		{replies: 1, setup: []string{"MSET", "key:0", "x", "key:1", "x"},
			request: one(numbered(2, []string{"DEL"}, "key:%d"))},
		{replies: 2, request: func(w *resp.Writer) { pop(w); pop(w) },
			after: numbered(2, []string{"RPUSH", "list"}, "%d")},
	} {
		r, err := l.run(s)
		require.NoError(t, err)
		require.Positive(t, r["took_ms"])
		size, err := s.do("DBSIZE")
		require.NoError(t, err)
		require.Zero(t, size.Int)
	}
}

func TestOnlyTakesTheNamesInTheTable(t *testing.T) {
	names := func(only string) (list []string) {
		o := newOptions("persistence").withServers("redis-server").withLoad(1, 1)
		require.NoError(t, o.parse([]string{"-only", only}))
		for _, d := range o.datasets() {
			list = append(list, d.name)
		}
		for _, r := range o.journalRows() {
			for _, p := range r.pairs {
				list = append(list, r.name(p))
			}
		}
		return list
	}
	require.Len(t, names(""), 4+3*len(journalPairs))
	require.Equal(t, []string{"1 GB in values of 4 KB"}, names("gb"))
	require.Len(t, names("SET, 1 client"), len(journalPairs))
	require.Len(t, names("everysec|always"), 3*len(journalPairs))
	require.Equal(t, []string{"SET, 50 clients, pipeline 16, ours always against redis always"},
		names("16, ours always"))
	require.Empty(t, names("nothing"))
}

func TestColumnsHaveAVerbForEachValue(t *testing.T) {
	verb := regexp.MustCompile(`%[+.0-9]*[a-z]`)
	for _, c := range slices.Concat(workloadColumns, longColumns, journalColumns, savingColumns, cacheColumns,
		enduranceColumns, limiterColumns, memoryColumns, residentColumns, tailColumns, momentColumns, growthColumns,
		coresColumns, expectedColumns) {
		verbs := verb.FindAllString(strings.ReplaceAll(c.format, "%%", ""), -1)
		require.Len(t, verbs, len(strings.Fields(c.values)), c.heading)
	}
}

func TestServersTakeTurnsWithinARow(t *testing.T) {
	g := generator{path: reference.Require(t, "redis-benchmark"), processes: 2, slice: 20 * time.Millisecond}
	var servers []*server
	for _, name := range []string{"a", "b"} {
		s, err := startServer(name, reference.Require(t, "redis-server"), "")
		require.NoError(t, err)
		defer s.stop()
		servers = append(servers, s)
	}
	const n = 20_000
	w := workload{name: "INCR", clients: 10, pipeline: 1, share: 1, args: []string{"INCR", "n"}}
	begun := time.Now()
	got, errs := w.run(g, n, servers...)
	wall := time.Since(begun).Seconds()
	asked := 0.0
	for i, s := range servers {
		require.NoError(t, errs[i])
		require.Equal(t, n, got[i].requests)
		asked += n / got[i].rps
		v, err := s.do("GET", "n")
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(n+1), v.Text)
	}
	require.Less(t, asked, wall, "one asks at a time, and the pauses do not count")
	require.Error(t, newOptions("compare").withLoad(1, 1).parse([]string{"-slice", "-1s"}))
}
