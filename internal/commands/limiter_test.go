package commands_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// The commands that rate limiters use, on values of a limiter's size. They may allocate only memory
// that becomes part of the data.
var limiterSteps = []step{
	{"HGET", []string{"HSET h tokens 10 stamp 1700000000000"}, "HGET h stamp", 0},
	{"HMGET", []string{"HSET h tokens 10 stamp 1700000000000"}, "HMGET h tokens stamp none", 0},
	{"HGETALL", []string{"HSET h tokens 10 stamp 1700000000000 name text"}, "HGETALL h", 0},
	{"HSET", []string{"HSET h tokens 10 stamp 1700000000000"}, "HSET h tokens 9 stamp 17000000{n}", 0},
	{"HINCRBY", []string{"HSET h tokens 10 stamp 1700000000000"}, "HINCRBY h tokens 1", 0},
	{"HINCRBYFLOAT", []string{"HSET h tokens 10"}, "HINCRBYFLOAT h tokens 0.5", 0},
	{"HDEL of an absent field", []string{"HSET h tokens 10"}, "HDEL h none", 0},
	{"ZADD of a known member", []string{"ZADD z 1 a 2 b 3 c"}, "ZADD z 17000000{n} b", 0},
	{"ZADD with conditions", []string{"ZADD z 1 a 2 b 3 c"}, "ZADD z XX GT CH 17000000{n} b", 0},
	{"ZINCRBY", []string{"ZADD z 1 a 2 b 3 c"}, "ZINCRBY z 1.5 b", 0},
	{"ZSCORE", []string{"ZADD z 1 a 2.5 b 3 c"}, "ZSCORE z b", 0},
	{"ZRANK", []string{"ZADD z 1 a 2.5 b 3 c"}, "ZRANK z b", 0},
	{"ZCARD", []string{"ZADD z 1 a 2 b 3 c"}, "ZCARD z", 0},
	{"ZCOUNT", []string{"ZADD z 1 a 2 b 3 c"}, "ZCOUNT z 0 (1700000000000", 0},
	{"ZRANGE", []string{"ZADD z 1 a 2.5 b 3 17"}, "ZRANGE z 0 -1 WITHSCORES", 0},
	{"ZRANGEBYSCORE", []string{"ZADD z 1 a 2.5 b 3 17"}, "ZRANGEBYSCORE z -inf +inf LIMIT 0 2", 0},
	{"HGETALL of a large hash", large("HSET h f{n} {n}"), "HGETALL h", 0},
	{"HINCRBY in a large hash", large("HSET h f{n} 1{n}"), "HINCRBY h f200 1", 0},
	{"ZADD to a large set", large("ZADD z {n} m{n}"), "ZADD z {n} new{n}", 1},
	{"ZADD of a known member to a large set", large("ZADD z {n} m{n}"), "ZADD z 1{n} m200", 0},
	{"ZRANGE of a large set", large("ZADD z {n} m{n}"), "ZRANGE z 0 -1 WITHSCORES", 0},
	{"HEXPIRE to a later time", []string{"HSET h a 1 b 2"}, "HEXPIRE h {n} FIELDS 1 a", 0},
	{"HEXPIRE to a later time in a large hash", large("HSET h f{n} {n}"), "HEXPIRE h {n} FIELDS 1 f200", 0},
	{"ZEXPIRE to a later time", []string{"ZADD z 1 a 2 b"}, "ZEXPIRE z {n} MEMBERS 1 a", 0},
	{"HTTL", []string{"HSET h a 1 b 2", "HEXPIRE h 100 FIELDS 1 a"}, "HTTL h FIELDS 2 a b", 0},
	{"HGET in a hash with a deadline", []string{"HSET h a 1 b 2", "HEXPIRE h 100 FIELDS 1 a"}, "HGET h b", 0},
	{"ZPOPMIN of a large set", large("ZADD z {n} m{n}"), "ZPOPMIN z", 0},
	{"ZREMRANGEBYSCORE of an empty range", []string{"ZADD z 10 a 20 b"}, "ZREMRANGEBYSCORE z -inf (5", 0},
}

func limiterEngine() (*engine.Engine, *engine.Session) {
	return frozen(hashes.Family, zsets.Family)
}

func TestLimiterCommandsDoNotAllocate(t *testing.T) {
	requireAllocs(t, limiterSteps, 1, hashes.Family, zsets.Family)
}

// A sliding window removes the requests that have left it, counts the rest, and adds a new one. The
// set keeps its size, so its memory is reused.
func TestSlidingWindowAllocatesItsDataOnly(t *testing.T) {
	quick.Unchecked(t)
	e, session := limiterEngine()
	window := func(n int) [][][]byte {
		now := 1_700_000_000_000 + int64(n)*1000
		return commands(
			"ZREMRANGEBYSCORE w -inf ("+strconv.FormatInt(now-10_000, 10),
			"ZCARD w",
			"ZADD w "+strconv.FormatInt(now, 10)+" r"+strconv.Itoa(100000+n))
	}
	var steps [][][][]byte
	for n := range 200 {
		steps = append(steps, window(n))
	}
	for _, batch := range steps[:100] {
		e.Do(session, batch)
	}
	i := 99
	got := testing.AllocsPerRun(50, func() {
		i++
		e.Do(session, steps[i])
	})
	require.LessOrEqual(t, got, 2.0, "a removal and an addition may each move the entry to another size class")
}

func BenchmarkLimiterCommands(b *testing.B) {
	benchmarkSteps(b, limiterSteps, hashes.Family, zsets.Family)
}
