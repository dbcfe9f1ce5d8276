package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
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
		{requests: 100, rps: 10, p50: 1, spent: cpu{user: time.Millisecond}, rss: 5},
		{requests: 100, rps: 30, p50: 2, spent: cpu{user: time.Millisecond, sys: 2 * time.Millisecond}, rss: 4},
		{requests: 200, rps: 20, p50: 9},
	})
	require.Equal(t, row{"kps": 0.02, "cpu_us": 10.0, "user_us": 5.0, "sys_us": 5.0, "p50_ms": 2.0, "p95_ms": 0.0, "p99_ms": 0.0, "rss_mb": 5e-6}, f)
}

func TestTableWhereOneServerRefused(t *testing.T) {
	both := row{"name": "both", "redis_kps": 1.0, "redis_cpu_us": 4.0, "redis_user_us": 4.0, "redis_sys_us": 0.0}.
		add("ours_", row{"kps": 2.0, "cpu_us": 1.0, "user_us": 1.0, "sys_us": 0.0}).
		ratio("kps_ratio", "ours_kps", "redis_kps").ratio("cpu_ratio", "ours_cpu_us", "redis_cpu_us")
	one := row{"name": "one", "redis_kps": 1.0}.ratio("kps_ratio", "ours_kps", "redis_kps").ratio("other", "redis_kps", "ours_kps")
	all := table{columns: workloadColumns, rows: []row{both, one}, notes: []string{"one was not run on ours: ERR no"}}
	var out bytes.Buffer
	require.NoError(t, all.print(&out, false))
	require.Regexp(t, `both +1.0 +2.0 +2.00 +4.00 \(4.00\+0.00\) +1.00 \(1.00\+0.00\) +0.25`, out.String())
	require.Regexp(t, `one +1.0( +-){9}\n`, out.String())
	require.Contains(t, out.String(), "one was not run on ours: ERR no")
	out.Reset()
	require.NoError(t, all.print(&out, true))
	var read struct {
		Title string
		Rows  []row
		Notes []string
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.Equal(t, "workload", read.Title)
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

// TestWorkloadsRunOnRedis runs every workload briefly, which tries its setup and its script.
func TestWorkloadsRunOnRedis(t *testing.T) {
	path := reference.Require(t, "redis-server")
	benchmark := reference.Require(t, "redis-benchmark")
	s, err := startServer("redis", path, "")
	require.NoError(t, err)
	defer s.stop()
	for _, w := range slices.Concat(plainWorkloads(), dataWorkloads(), luaWorkloads()) {
		one, err := w.run(s, benchmark, 100)
		require.NoError(t, err, w.name)
		require.Equal(t, w.requestCount(100), one.requests)
		require.Positive(t, one.rps, w.name)
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
		{replies: 1, setup: []string{"MSET", "key:0", "x", "key:1", "x"}, request: one(numbered(2, []string{"DEL"}, "key:%d"))},
		{replies: 2, request: func(w *resp.Writer) { pop(w); pop(w) }, after: numbered(2, []string{"RPUSH", "list"}, "%d")},
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
	require.Equal(t, []string{"SET, 50 clients, pipeline 16, ours always against redis always"}, names("16, ours always"))
	require.Empty(t, names("nothing"))
}

func TestColumnsHaveAVerbForEachValue(t *testing.T) {
	verb := regexp.MustCompile(`%[+.0-9]*[a-z]`)
	for _, c := range slices.Concat(workloadColumns, longColumns, journalColumns, savingColumns, cacheColumns, enduranceColumns, limiterColumns, memoryColumns) {
		verbs := verb.FindAllString(strings.ReplaceAll(c.format, "%%", ""), -1)
		require.Len(t, verbs, len(strings.Fields(c.values)), c.heading)
	}
}
