package suites

import (
	"context"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// allow counts a request in a window that slides. Its reply is whether it may pass, how many are
// left, and after how many milliseconds to come again.
var allow = redis.NewScript(`
	local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
	local count = redis.call('ZCARD', key)
	if count >= limit then
		local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
		return {0, 0, oldest[2] + window - now}
	end
	redis.call('ZADD', key, now, now .. '-' .. redis.call('INCR', key .. ':n'))
	redis.call('PEXPIRE', key, window)
	redis.call('PEXPIRE', key .. ':n', window)
	return {1, limit - count - 1, 0}`)

// limiter lets each user make so many requests in a window.
type limiter struct {
	redis  *redis.Client
	limit  int
	window time.Duration
}

func (l *limiter) allow(ctx context.Context, user string) (ok bool, left int64, again time.Duration, err error) {
	reply, err := allow.Run(ctx, l.redis, []string{"rate:" + user}, l.limit, l.window.Milliseconds()).Int64Slice()
	if err != nil {
		return false, 0, 0, err
	}
	return reply[0] == 1, reply[1], time.Duration(reply[2]) * time.Millisecond, nil
}

func newLimiter(t *testing.T) (*limiter, *miniredis.Miniredis) {
	m := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	return &limiter{client, 3, time.Minute}, m
}

func TestLimiterSlides(t *testing.T) {
	l, m := newLimiter(t)
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for i, want := range []struct {
		after time.Duration
		ok    bool
		left  int64
		again time.Duration
	}{
		{0, true, 2, 0},
		{10 * time.Second, true, 1, 0},
		{20 * time.Second, true, 0, 0},
		{30 * time.Second, false, 0, 30 * time.Second},
		{59 * time.Second, false, 0, time.Second},
		{60 * time.Second, true, 0, 0},
		{69 * time.Second, false, 0, time.Second},
		{85 * time.Second, true, 1, 0},
	} {
		m.SetTime(at.Add(want.after))
		ok, left, again, err := l.allow(t.Context(), "ann")
		require.NoError(t, err)
		require.Equal(t, []any{want.ok, want.left, want.again}, []any{ok, left, again}, "request %d", i)
	}
	members, err := m.ZMembers("rate:ann")
	require.NoError(t, err)
	require.Len(t, members, 2)
}

func TestLimiterForgets(t *testing.T) {
	l, m := newLimiter(t)
	_, _, _, err := l.allow(t.Context(), "ann")
	require.NoError(t, err)
	ok, left, _, err := l.allow(t.Context(), "ben")
	require.NoError(t, err)
	require.True(t, ok)
	require.EqualValues(t, 2, left, "users do not meet")
	require.Equal(t, time.Minute, m.TTL("rate:ann"))
	m.FastForward(time.Minute)
	require.Empty(t, m.Keys())
}

func TestLimiterOfManyAtOnce(t *testing.T) {
	l, m := newLimiter(t)
	m.SetTime(time.Now())
	passed := make(chan bool)
	const clients = 20
	for range clients {
		go func() {
			ok, _, _, err := l.allow(t.Context(), "ann")
			passed <- ok && err == nil
		}()
	}
	n := 0
	for range clients {
		if <-passed {
			n++
		}
	}
	require.Equal(t, l.limit, n)
	scores, err := m.SortedSet("rate:ann")
	require.NoError(t, err)
	require.Len(t, scores, l.limit)
}

func TestLimiterAfterTheScriptsAreGone(t *testing.T) {
	l, _ := newLimiter(t)
	_, _, _, err := l.allow(t.Context(), "ann")
	require.NoError(t, err)
	require.NoError(t, l.redis.ScriptFlush(t.Context()).Err())
	require.ErrorContains(t, allow.EvalSha(t.Context(), l.redis, []string{"x"}, 1, 1).Err(), "NOSCRIPT")
	_, left, _, err := l.allow(t.Context(), "ann")
	require.NoError(t, err)
	require.EqualValues(t, 1, left)
}

func TestLimiterWithAKeyOfAnotherType(t *testing.T) {
	l, m := newLimiter(t)
	require.NoError(t, m.Set("rate:ann", "text"))
	_, _, _, err := l.allow(t.Context(), "ann")
	require.ErrorContains(t, err, "WRONGTYPE")
}
