package engine

import (
	"fmt"
	"github.com/miniserver-go/miniserver/internal/command"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistogramBuckets(t *testing.T) {
	last := -1
	for _, n := range []int64{0, 1, 2, 7, 8, 9, 15, 16, 17, 18, 31, 32, 100, 1000, 123456789, 1<<40 - 1, 1 << 40, math.MaxInt64} {
		b := bucket(n)
		require.GreaterOrEqual(t, b, last, n)
		require.Less(t, b, maxBucket, n)
		last = b
		if n <= maxMicros {
			require.GreaterOrEqual(t, upperBound(b), n)
			require.LessOrEqual(t, float64(upperBound(b)), float64(n)*1.125, "at most an eighth too high")
		}
		if b > 0 && n <= maxMicros {
			require.Less(t, upperBound(b-1), n)
		}
	}
}

func TestHistogramPercentiles(t *testing.T) {
	var h histogram
	require.Zero(t, h.percentile(50))
	for i := range 1000 {
		h.add(int64(i+1), 1)
	}
	for p, n := range map[float64]float64{50: 500, 99: 990, 100: 1000} {
		require.InEpsilon(t, n, float64(h.percentile(p)), 0.13, p)
	}
	var powers [][2]int64
	h.cumulative(func(micros, count int64) { powers = append(powers, [2]int64{micros, count}) })
	require.Equal(t, [2]int64{1, 1}, powers[0])
	require.Equal(t, [2]int64{1024, 1000}, powers[len(powers)-1])
	for i := 1; i < len(powers); i++ {
		require.Greater(t, powers[i][0], powers[i-1][0])
		require.Greater(t, powers[i][1], powers[i-1][1])
	}
}

// The duration of a command is what it advances the clock by.
func TestTimesOfCommands(t *testing.T) {
	now := int64(1e15)
	e := New(Options{Clock: func() int64 { return now }})
	take := func(micros int64) Handler { return func(c *Call) { now += micros; c.Reply.Status("OK") } }
	e.Join(Commands(command.Family{Group: "server", Commands: []command.Line{
		{Name: "quick", Arity: -1, Flags: command.Fast, Run: take(3)},
		{Name: "slow", Arity: -1, Run: take(20000)},
		{Name: "outer", Arity: -1, Flags: command.SkipSlowlog, Run: func(c *Call) {
			now += 5
			e.RunNested(c.Session, e.Commands.Named("slow"), [][]byte{[]byte("slow")})
		}},
	}}))
	s := e.NewSession(nil)
	do := func(names ...string) {
		var batch [][][]byte
		for _, n := range names {
			batch = append(batch, [][]byte{[]byte(n), []byte("arg")})
		}
		e.Do(s, batch)
	}
	do("quick", "quick", "slow", "quick")
	require.Equal(t, int64(9), e.of(e.Commands.Named("quick")).micros)
	require.Equal(t, int64(20000), e.of(e.Commands.Named("slow")).micros)
	require.Equal(t, int64(3), e.of(e.Commands.Named("quick")).calls)
	require.Equal(t, int64(3), e.of(e.Commands.Named("quick")).latency.total)
	require.Len(t, e.slowlog.entries, 1)
	require.Equal(t, []string{"slow", "arg"}, e.slowlog.entries[0].args)
	require.Equal(t, int64(20000), e.slowlog.entries[0].value)

	do("outer")
	require.Equal(t, int64(20005), e.of(e.Commands.Named("outer")).micros, "what a command calls is its own time")
	require.Equal(t, int64(20000), e.of(e.Commands.Named("slow")).micros)
	require.Equal(t, int64(2), e.of(e.Commands.Named("slow")).calls)
	require.Len(t, e.slowlog.entries, 1, "it is not for the slow log")

	e.slowlog.threshold = 0
	do("quick", "quick", "quick")
	require.Len(t, e.slowlog.entries, 4, "each by itself where all are to be shown")

	do("outer")
	require.Len(t, e.slowlog.entries, 5, "and so is what a command calls")
	require.Equal(t, int64(20000), e.slowlog.entries[4].value)
}

// A blocked command is logged when its reply is there, after the one that served it, without the time of waiting.
func TestTimesOfBlockedCommands(t *testing.T) {
	now := int64(1e15)
	e := New(Options{Clock: func() int64 { return now }})
	e.Join(Commands(command.Family{Group: "server", Commands: []command.Line{
		{Name: "push", Arity: 1, Flags: command.Fast, Run: func(c *Call) { now += 2; c.SignalKey([]byte("k")) }},
		{Name: "pop", Arity: 2, Flags: command.Fast | command.Blocking, Run: func(c *Call) {
			if now += 7; !c.Woken() || c.Now() < 1e12+2 {
				c.BlockOnKeys([][]byte{[]byte("k")}, c.Now()+1000, ReplyNullArray)
				c.WakeOnDelete()
			}
		}},
	}}))
	e.slowlog.threshold = 0
	logged := func() (list []string) {
		for _, entry := range e.slowlog.entries {
			list = append(list, fmt.Sprint(entry.args[0], " ", entry.value))
		}
		return list
	}
	a, b := e.NewSession(nil), e.NewSession(nil)
	e.Do(a, [][][]byte{{[]byte("pop"), []byte("k")}})
	for range 2 {
		now += 1000
		e.Do(b, [][][]byte{{[]byte("push")}})
	}
	require.Equal(t, []string{"push 2", "push 2", "pop 21"}, logged(), "it ran three times")
	require.Equal(t, int64(21), e.of(e.Commands.Named("pop")).micros)

	e.Do(a, [][][]byte{{[]byte("pop"), []byte("k")}})
	now += 2e6
	e.Tick()
	require.Equal(t, []string{"push 2", "push 2", "pop 21", "pop 7"}, logged(), "without the time until the timeout")
}

// Reading the clock for each of many fast commands would cost as much as they do.
func TestFastCommandsShareAClockReading(t *testing.T) {
	readings := 0
	e := New(Options{Clock: func() int64 { readings++; return 1e15 }})
	e.Join(Commands(command.Family{Group: "server", Commands: []command.Line{{Name: "quick", Arity: 1, Flags: command.Fast, Run: func(*Call) {}}}}))
	s := e.NewSession(nil)
	batch := make([][][]byte, 4*maxLap)
	for i := range batch {
		batch[i] = [][]byte{[]byte("quick")}
	}
	readings = 0
	e.Do(s, batch)
	require.Equal(t, 1+4, readings)
}
