package examples_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestSlidingWindowForgetsOneRequestAtATime(t *testing.T) {
	everywhere(t, func(s *stage) {
		call := func() string { return s.run("sliding-window-zset", "k", 3, 60_000, s.now) }
		require.Equal(s.t, "[1 2 0]", call())
		require.Equal(s.t, "[1 1 0]", call(), "the same millisecond counts twice")
		s.pass(20 * time.Second)
		require.Equal(s.t, "[1 0 0]", call())
		require.Equal(s.t, "[0 0 40000]", call())
		s.requireTTL("k", time.Minute)
		s.pass(39_999 * time.Millisecond)
		require.Equal(s.t, "[0 0 1]", call())
		s.pass(time.Millisecond)
		require.Equal(s.t, "[1 1 0]", call(), "the first two are a window old")
		s.pass(time.Minute)
		s.requireGone()
		require.Equal(s.t, "[1 2 0]", call())
	})
}

func TestSlidingWindowWaitsLongerForALoweredLimit(t *testing.T) {
	everywhere(t, func(s *stage) {
		for range 4 {
			s.run("sliding-window-zset", "z", 4, 60_000, s.now)
			s.run("sliding-window-hash", "h", 4, 60_000, 60_000, s.now)
			s.pass(time.Second)
		}
		require.Equal(s.t, "[0 0 58000]", s.run("sliding-window-zset", "z", 2, 60_000, s.now))
		require.Equal(s.t, "[0 0 58000]", s.run("sliding-window-hash", "h", 2, 60_000, 60_000, s.now))
	})
}

func TestSlidingWindowBySlots(t *testing.T) {
	everywhere(t, func(s *stage) {
		call := func() string { return s.run("sliding-window-hash", "k", 3, 60_000, 6, s.now) }
		s.pass(5 * time.Second) // into the middle of a slot
		require.Equal(s.t, "[1 2 0]", call())
		require.Equal(s.t, "[1 1 0]", call())
		s.pass(20 * time.Second)
		require.Equal(s.t, "[1 0 0]", call())
		require.Equal(s.t, "2", text(s.do("HLEN", "k")))
		s.requireTTL("k", 64_999*time.Millisecond)
		require.Equal(s.t, "[0 0 44999]", call(), "the first slot counts for a window from its end on")
		s.pass(44_998 * time.Millisecond)
		require.Equal(s.t, "[0 0 1]", call())
		s.pass(time.Millisecond)
		require.Equal(s.t, "[1 1 0]", call())
		require.Equal(s.t, "2", text(s.do("HLEN", "k")))
		s.pass(70 * time.Second)
		s.requireGone()
	})
}

func TestSlidingWindowKeepsItsLimitWhenTheSlotsChange(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "[1 1 0]", s.run("sliding-window-hash", "k", 2, 60_000, 6, s.now))
		require.Equal(s.t, "[1 0 0]", s.run("sliding-window-hash", "k", 2, 60_000, 60, s.now))
		s.pass(time.Second)
		allowed, _, _ := triple(s.t, s.run("sliding-window-hash", "k", 2, 60_000, 600, s.now))
		require.False(s.t, allowed)
	})
}

// TestNoWindowEverHoldsMoreThanTheLimit sends requests at random times and checks every window.
func TestNoWindowEverHoldsMoreThanTheLimit(t *testing.T) {
	const limit, window = 5, 1000
	calls := map[string][]any{
		"sliding-window-zset": {limit, window},
		"sliding-window-hash": {limit, window, 7},
	}
	for script, args := range calls {
		s, dice := inProcess(t), rand.New(rand.NewPCG(3, 4))
		var passed []int64
		for range 3000 {
			s.pass(time.Duration(dice.IntN(300)) * time.Millisecond)
			if allowed, _, _ := triple(t, s.run(script, "k", append(args, s.now)...)); allowed {
				passed = append(passed, s.now)
			}
		}
		for i := limit; i < len(passed); i++ {
			require.GreaterOrEqual(t, passed[i]-passed[i-limit], int64(window), script)
		}
		require.Greater(t, int64(len(passed)), (s.now-start)/window*limit/2, "%s hardly lets anything through", script)
	}
}

func TestSlotsOfAMillisecondAreExact(t *testing.T) {
	s, dice := inProcess(t), rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		s.pass(time.Duration(dice.IntN(20)) * time.Millisecond)
		limit := 1 + dice.IntN(6)
		require.Equal(t,
			s.run("sliding-window-zset", "z", limit, 50, s.now),
			s.run("sliding-window-hash", "h", limit, 50, 50, s.now))
	}
}

// TestLimitersKeepTheirPromise waits for the time that a refusal returns: a millisecond earlier
// requests are refused, then one passes.
func TestLimitersKeepTheirPromise(t *testing.T) {
	calls := map[string][]any{
		"sliding-window-zset": {3, 700},
		"sliding-window-hash": {3, 700, 9},
		"fixed-window":        {3, 700},
		"token-bucket":        {7, 3, 1000, 2},
		"leaky-bucket":        {3, 77},
	}
	for script, args := range calls {
		s, dice := inProcess(t), rand.New(rand.NewPCG(7, 8))
		call := func() (allowed bool, wait int64) {
			all := args
			if script != "fixed-window" {
				all = append(all[:len(all):len(all)], s.now)
			}
			allowed, _, wait = triple(t, s.run(script, "k", all...))
			return allowed, wait
		}
		for refusals := 0; refusals < 300; {
			allowed, wait := call()
			if allowed {
				s.pass(time.Duration(dice.IntN(100)) * time.Millisecond)
				continue
			}
			refusals++
			require.Positive(t, wait, script)
			s.pass(time.Duration(wait-1) * time.Millisecond)
			allowed, again := call()
			require.False(t, allowed, script)
			require.EqualValues(t, 1, again, script)
			s.pass(time.Millisecond)
			allowed, _ = call()
			require.True(t, allowed, script)
		}
	}
}

func TestFixedWindowOpensWithTheFirstRequest(t *testing.T) {
	s := inProcess(t)
	call := func() string { return s.run("fixed-window", "k", 2, 60_000) }
	require.Equal(t, "[1 1 0]", call())
	s.pass(59 * time.Second)
	require.Equal(t, "[1 0 0]", call())
	require.Equal(t, "[0 0 1000]", call())
	s.requireTTL("k", time.Second)
	s.pass(time.Second)
	s.requireGone()
	require.Equal(t, "[1 1 0]", call())
	require.Equal(t, "[1 0 0]", call(), "twice the limit within a second: the price of simplicity")
}

func TestFixedWindowClosesAWindowWithoutAnEnd(t *testing.T) {
	everywhere(t, func(s *stage) {
		s.do("SET", "k", 99)
		require.Equal(s.t, "[1 1 0]", s.run("fixed-window", "k", 2, 60_000))
		s.requireTTL("k", time.Minute)
		s.do("HSET", "h", "f", "v")
		require.Contains(s.t, s.run("fixed-window", "h", 2, 60_000), "WRONGTYPE")
		require.Equal(s.t, "1", text(s.do("HLEN", "h")))
	})
}

func TestTokenBucketLetsABurstThroughAndRefills(t *testing.T) {
	everywhere(t, func(s *stage) {
		call := func(cost int) string { return s.run("token-bucket", "k", 10, 2, 60_000, cost, s.now) }
		require.Equal(s.t, "[1 3 0]", call(7))
		s.requireTTL("k", 210*time.Second)
		require.Equal(s.t, "[0 3 30000]", call(4), "a token comes each half minute")
		require.Equal(s.t, "[1 0 0]", call(3))
		s.pass(29 * time.Second)
		require.Equal(s.t, "[0 0 1000]", call(1))
		require.Equal(s.t, "[1 0 0]", call(0), "to look costs nothing")
		s.pass(46 * time.Second)
		require.Equal(s.t, "[1 1 0]", call(1), "two and a half had come")
		require.Equal(s.t, "[0 1 -1]", call(11), "more than fits never comes")
		s.pass(5 * time.Minute)
		s.requireGone()
		require.Equal(s.t, "[1 9 0]", call(1))
		require.Equal(s.t, "[1 8 0]", s.run("token-bucket", "j", 9, 2, 60_000), "the cost is 1, the clock the server's")
	})
}

func TestTokenBucketBearsAClockThatGoesBack(t *testing.T) {
	everywhere(t, func(s *stage) {
		require.Equal(s.t, "[1 0 0]", s.run("token-bucket", "k", 3, 1, 60_000, 3, s.now))
		require.Equal(s.t, "[0 0 70000]", s.run("token-bucket", "k", 3, 1, 60_000, 1, s.now-10_000))
		require.Equal(s.t, "[1 0 0]", s.run("token-bucket", "k", 3, 1, 60_000, 1, s.now+60_000))
		require.Equal(s.t, "[0 0 60000]", s.run("token-bucket", "k", 3, 1, 60_000, 1, s.now+60_000))
	})
}

// TestTokenBucketLosesNothingToRounding takes tokens as fast as possible, at a rate of less than
// one token per millisecond.
func TestTokenBucketLosesNothingToRounding(t *testing.T) {
	s := inProcess(t)
	const capacity, refill, period = 2, 3, 7
	periods := quick.Rounds(int64(5000))
	taken := int64(0)
	for s.now <= start+periods*period {
		allowed, _, wait := triple(t, s.run("token-bucket", "k", capacity, refill, period, 1, s.now))
		if allowed {
			taken++
		} else {
			s.pass(time.Duration(wait) * time.Millisecond)
		}
	}
	require.Equal(t, capacity+refill*periods, taken)
}

func TestLeakyBucketPacesAndSpills(t *testing.T) {
	everywhere(t, func(s *stage) {
		call := func() string { return s.run("leaky-bucket", "k", 3, 20_000, s.now) }
		require.Equal(s.t, "[1 2 0]", call())
		require.Equal(s.t, "[1 1 20000]", call())
		require.Equal(s.t, "[1 0 40000]", call())
		require.Equal(s.t, "[0 0 20000]", call())
		s.requireTTL("k", time.Minute)
		s.pass(19 * time.Second)
		require.Equal(s.t, "[0 0 1000]", call())
		s.pass(time.Second)
		require.Equal(s.t, "[1 0 40000]", call())
		s.pass(50 * time.Second)
		require.Equal(s.t, "[1 1 10000]", call(), "one and a half are still in the bucket")
		s.pass(30 * time.Second)
		s.requireGone()
		require.Equal(s.t, "[1 2 0]", call())
	})
}

func TestLeakyBucketLetsRequestsOutAtAnEvenPace(t *testing.T) {
	s, dice := inProcess(t), rand.New(rand.NewPCG(9, 10))
	last := int64(0)
	for range 3000 {
		s.pass(time.Duration(dice.IntN(30)) * time.Millisecond)
		allowed, _, wait := triple(t, s.run("leaky-bucket", "k", 4, 25, s.now))
		if !allowed {
			continue
		}
		require.GreaterOrEqual(t, s.now+wait, last+25)
		require.LessOrEqual(t, wait, int64(3*25))
		last = s.now + wait
	}
}

func TestLimitersTakeTheServersClock(t *testing.T) {
	calls := map[string][]any{
		"sliding-window-zset": {1, 60_000},
		"sliding-window-hash": {1, 60_000, 60_000},
		"leaky-bucket":        {1, 60_000},
		"token-bucket":        {1, 1, 60_000, 1},
	}
	for script, args := range calls {
		s := inProcess(t)
		require.Equal(t, "[1 0 0]", s.run(script, "k", args...), script)
		s.pass(20 * time.Second)
		require.Equal(t, "[0 0 40000]", s.run(script, "k", args...), script)
		require.Equal(t, "[0 0 40000]", s.run(script, "k", append(args, s.now)...), "the same clock, handed in")
		s.pass(40 * time.Second)
		require.Equal(t, "[1 0 0]", s.run(script, "k", args...), script)
	}
}

// TestLimitersAnswerAsOnRedis uses long times. In process minutes pass and keys expire; on
// redis-server hardly any time passes and they stay. So equal replies also show that the expiry of
// a key changes nothing. (The test keeps the rate of a key, except for LIMIT.)
func TestLimitersAnswerAsOnRedis(t *testing.T) {
	const minute = 60_000
	sameReplies(t, "sliding-window-zset", func(s *stage, dice *rand.Rand) (string, []any) {
		return "k", []any{1 + dice.IntN(5), 10 * minute, s.now}
	})
	sameReplies(t, "sliding-window-hash", func(s *stage, dice *rand.Rand) (string, []any) {
		slots := 1 + dice.IntN(20)
		return fmt.Sprint("k", slots), []any{1 + dice.IntN(5), 30 * minute, slots, s.now}
	})
	sameReplies(t, "token-bucket", func(s *stage, dice *rand.Rand) (string, []any) {
		refill := 1 + dice.IntN(2)
		return fmt.Sprint("k", refill), []any{9, refill, minute, dice.IntN(5), s.now}
	})
	sameReplies(t, "leaky-bucket", func(s *stage, dice *rand.Rand) (string, []any) {
		return fmt.Sprint("k", dice.IntN(3)), []any{3 + dice.IntN(2), minute, s.now}
	})
}
