package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

func TestRequestsAreSpreadOverKeysAndTheWindow(t *testing.T) {
	l := &load{traffic: traffics[1], requests: 1000, keys: 10}
	counts := map[string]int{}
	last := int64(0)
	for i := range l.requests {
		key, ms := l.request(i, nil)
		counts[key]++
		require.GreaterOrEqual(t, ms, last)
		last = ms
	}
	require.Len(t, counts, 10)
	require.Equal(t, 100, counts["000000000007"])
	require.Less(t, last-start, windowLength.Milliseconds())
	require.Equal(t, 10*60, l.due())
	l.requests = 1005
	require.Equal(t, 10*60, l.due())
	l.requests = 55
	require.Equal(t, 55, l.due())

	l.traffic = traffics[0]
	_, ms := l.request(1, rand.New(rand.NewPCG(1, 1)))
	require.Zero(t, ms%1000)
	require.Zero(t, l.due())
}

func TestDateHoursAreNotHours(t *testing.T) {
	const night = 1_795_305_600_000 // 2026-11-22 00:00
	require.EqualValues(t, 26112200, yyMMddHH(night))
	require.EqualValues(t, 26112123, yyMMddHH(night-1))
}

// TestLimitersCountRightly sends busy traffic to each limiter that a redis-server knows, at the
// precisions at which it counts rightly, over several connections.
func TestLimitersCountRightly(t *testing.T) {
	path := reference.Require(t, "redis-server")
	s, err := startServer("redis", path, "")
	require.NoError(t, err)
	defer s.stop()
	for _, l := range limiters() {
		if l.script == "" || l.script == "field-deadlines" || l.precision.name == dateHours.name {
			continue
		}
		_, err := s.do("FLUSHALL")
		require.NoError(t, err)
		one := load{limiter: l, traffic: traffics[1], requests: 1000, clients: 4, keys: 10}
		out, err := one.run(s)
		require.NoError(t, err, l.name)
		require.Len(t, out.latencies, 1000)
		require.Equal(t, one.due(), out.passed, "%s by %s", l.name, l.precision.name)
		require.LessOrEqual(t, out.percentile(0.5), out.percentile(0.99))
	}
}

func TestRunsAreChosen(t *testing.T) {
	o := &limiterOptions{options: newOptions("limiter"), clients: 5}
	require.NoError(t, o.parse([]string{"-only", "zset"}))
	o.requests = 1000
	var names []string
	for _, r := range o.runs([]binary{{"ours", "x"}}) {
		names = append(names, r.String())
	}
	require.Equal(t,
		[]string{"ours zset, s, 10 digits, article", "ours zset, s, 10 digits, busy", "ours zset, ms, 13 digits, busy",
			"ours zset, min, 8 digits, busy", "ours zset, yyMMddHH, busy", "ours zset, s, 10 digits, hot"}, names)
	require.Equal(t, 500, o.keysOf(traffics[0]))
	require.Equal(t, 1, o.keysOf(traffics[2]))
}
