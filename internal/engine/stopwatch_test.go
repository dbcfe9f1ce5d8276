package engine

import (
	"fmt"
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"

	"github.com/stretchr/testify/require"
)

// told returns what an engine tells a part of the durations of commands, of each its name, how long
// it took and how many there were.
func told(e *Engine) *[]string {
	list := new([]string)
	e.Join(Part{Name: "told", Executed: func(x Executed) {
		*list = append(*list, fmt.Sprint(string(x.Args[0]), " ", x.Micros, " ", x.Times))
	}})
	return list
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
	list := told(e)
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
	require.Equal(t, []string{"quick 3 2", "slow 20000 1", "quick 3 1"}, *list)

	do("outer")
	require.Equal(t, int64(20005), e.of(e.Commands.Named("outer")).micros, "what a command calls is its own time")
	require.Equal(t, int64(20000), e.of(e.Commands.Named("slow")).micros)
	require.Equal(t, int64(2), e.of(e.Commands.Named("slow")).calls)
	require.Equal(t, []string{"outer 20005 1"}, (*list)[3:])

	e.Rewire("told", func(p *Part) { p.Precise = true })
	*list = nil
	do("quick", "quick")
	do("outer")
	require.Equal(t, []string{"quick 3 1", "quick 3 1", "slow 20000 1", "outer 20005 1"}, *list,
		"each by itself, and so is what a command calls")
}

// A blocked command is logged when its reply is there, after the one that served it, without the
// time of waiting.
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
	list := told(e)
	a, b := e.NewSession(nil), e.NewSession(nil)
	e.Do(a, [][][]byte{{[]byte("pop"), []byte("k")}})
	for range 2 {
		now += 1000
		e.Do(b, [][][]byte{{[]byte("push")}})
	}
	require.Equal(t, []string{"push 2 1", "push 2 1", "pop 21 1"}, *list, "it ran three times")
	require.Equal(t, int64(21), e.of(e.Commands.Named("pop")).micros)

	e.Do(a, [][][]byte{{[]byte("pop"), []byte("k")}})
	now += 2e6
	e.Tick()
	require.Equal(t, []string{"push 2 1", "push 2 1", "pop 21 1", "pop 7 1"}, *list,
		"without the time until the timeout")
}

// Reading the clock for each of many fast commands would cost as much as they do.
func TestFastCommandsShareAClockReading(t *testing.T) {
	readings := 0
	e := New(Options{Clock: func() int64 { readings++; return 1e15 }})
	e.Join(Commands(command.Family{Group: "server",
		Commands: []command.Line{{Name: "quick", Arity: 1, Flags: command.Fast, Run: func(*Call) {}}}}))
	s := e.NewSession(nil)
	batch := make([][][]byte, 4*maxLap)
	for i := range batch {
		batch[i] = [][]byte{[]byte("quick")}
	}
	readings = 0
	e.Do(s, batch)
	require.Equal(t, 1+4, readings)
}
